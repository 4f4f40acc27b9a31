"""Errors as ``application/problem+json`` (RFC 9457): each says what was wanted."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ragauge.errors import EnvironmentFault, RagaugeError
from ragauge_service.store.errors import StoreFull

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER_S: Final = 1
FULL_RETRY_AFTER_S: Final = 5


class Problem(Exception):  # noqa: N818 - the RFC's own word
    """An answer other than success; ``extra`` stands beside the members that the RFC names."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **extra: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.extra = extra

    def body(self) -> dict[str, Any]:
        """Return the document."""
        title = HTTPStatus(self.status).phrase
        return {
            "type": "about:blank",
            "title": title,
            "status": self.status,
            "detail": self.detail,
        } | self.extra

    def response(self) -> JSONResponse:
        """Return the answer."""
        return JSONResponse(self.body(), self.status, self.headers, MEDIA_TYPE)


def unavailable(error: EnvironmentFault) -> Problem:
    """Return what a producer is told when the store cannot take what it sent: wait, and send it again."""
    after = FULL_RETRY_AFTER_S if isinstance(error, StoreFull) else RETRY_AFTER_S
    return Problem(503, str(error), headers={"Retry-After": str(after)})


def problem_of(error: Exception) -> Problem:
    """Return the problem that an error is to a caller."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, EnvironmentFault):
        return unavailable(error)
    if isinstance(error, RequestValidationError):
        return Problem(422, explain(error.errors()))
    if isinstance(error, HTTPException):
        return Problem(error.status_code, str(error.detail), headers=error.headers)
    if isinstance(error, RagaugeError):
        return Problem(422, str(error))
    return Problem(500, f"{type(error).__name__}: this is a bug, please report it")


def explain(errors: Any) -> str:
    """Return the first three of pydantic's errors as text: where, and what was wanted."""
    return "; ".join(f"{_place(error['loc'])}: {error['msg']}" for error in list(errors)[:3])


def _place(location: tuple[Any, ...]) -> str:
    return ".".join(str(part) for part in location) or "body"


def install(app: FastAPI) -> None:
    """Let every error of ``app`` end as a problem."""

    def answer(_: Request, error: Exception) -> JSONResponse:
        return problem_of(error).response()

    for kind in (Problem, RagaugeError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)
