"""``GET /``: the page, a table that reads ``/v1/quality`` from the browser."""

from importlib.resources import files
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

router = APIRouter(include_in_schema=False)

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


@router.get("/")
def page() -> Response:
    """Return the page."""
    text = (files("ragauge_service.api") / "page.html").read_text(encoding="utf-8")
    return HTMLResponse(text, headers=HEADERS)
