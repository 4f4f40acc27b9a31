"""The page at ``/``: one static file without any external resource."""

from functools import cache
from importlib.resources import files


@cache
def page() -> str:
    """Return the page's HTML; it draws ``GET /v1/quality`` and refreshes itself.

    >>> page().startswith("<!doctype html>")
    True
    """
    return files("ragauge_service.api").joinpath("page.html").read_text(encoding="utf-8")
