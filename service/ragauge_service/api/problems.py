"""What goes wrong over HTTP: problem+json (RFC 9457) that says what was wanted."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ragauge.errors import InputError
from ragauge_service.store.errors import StoreFull, StoreUnavailable

MEDIA_TYPE: Final = "application/problem+json"
BUSY_RETRY_S: Final = 1
FULL_RETRY_S: Final = 5


class Problem(Exception):  # noqa: N818 - RFC 9457's own term
    """An answer that is not a success: ``detail`` says what was wrong and what was wanted."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more


def answer(problem: Problem) -> JSONResponse:
    """Return the response that a problem is told by."""
    title = HTTPStatus(problem.status).phrase
    body = {"type": "about:blank", "title": title, "status": problem.status, "detail": problem.detail}
    return JSONResponse(
        {**body, **problem.more}, problem.status, media_type=MEDIA_TYPE, headers=problem.headers
    )


def busy(error: StoreUnavailable) -> Problem:
    """Return the problem that asks a producer to come again: nothing acknowledged is lost."""
    full = isinstance(error, StoreFull)
    wait = FULL_RETRY_S if full else BUSY_RETRY_S
    return Problem(503, str(error), headers={"Retry-After": str(wait)}, reason="full" if full else "store")


def install(app: FastAPI) -> None:
    """Answer every error of ``app`` with problem+json."""

    @app.exception_handler(Problem)
    def _problem(_: Request, error: Problem) -> JSONResponse:
        return answer(error)

    @app.exception_handler(StoreUnavailable)
    def _busy(_: Request, error: StoreUnavailable) -> JSONResponse:
        return answer(busy(error))

    @app.exception_handler(InputError)
    def _input(_: Request, error: InputError) -> JSONResponse:
        return answer(Problem(422, str(error)))

    @app.exception_handler(HTTPException)
    def _http(_: Request, error: HTTPException) -> JSONResponse:
        return answer(Problem(error.status_code, str(error.detail), headers=error.headers))

    @app.exception_handler(RequestValidationError)
    def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        return answer(Problem(422, f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"))

    _ = (_problem, _busy, _input, _http, _invalid)
