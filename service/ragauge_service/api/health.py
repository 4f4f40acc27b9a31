"""``/healthz``, ``/readyz`` and ``/metrics``: what probes and Prometheus ask."""

from typing import Annotated

from fastapi import APIRouter, Header, Response
from pydantic import BaseModel

from ragauge_service import __version__
from ragauge_service.api.access import needs
from ragauge_service.api.parts import Given
from ragauge_service.api.problems import Problem

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """The process lives."""

    status: str = "ok"
    version: str = __version__


@router.get("/healthz")
def healthz() -> Health:
    """Answer that the process lives; nothing else is asked."""
    return Health()


@router.get("/readyz")
def readyz(parts: Given) -> Health:
    """Answer 200 when events can be taken and numbers are there, else 503 with what is missing."""
    if missing := parts.ready():
        raise Problem(503, "; ".join(missing), headers={"Retry-After": "1"})
    return Health(status="ready")


@router.get("/metrics", dependencies=[needs("read")], response_class=Response)
def metrics(
    parts: Given,
    accept: Annotated[str, Header()] = "",
    accept_encoding: Annotated[str, Header()] = "",
) -> Response:
    """Return the metrics in Prometheus' text format or OpenMetrics, compressed when that is accepted."""
    body, kind, encoding = parts.exporter.render(accept, accept_encoding)
    headers = {"Content-Type": kind, "Vary": "Accept, Accept-Encoding"}
    if encoding:
        headers["Content-Encoding"] = encoding
    return Response(body, headers=headers)
