"""``POST /v1/signals``: what users did, from servers as JSON and from browsers as a beacon."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, WithJsonSchema

from ragauge.wire import MAX_EVENTS
from ragauge_service.api.access import Raw, needs
from ragauge_service.api.event_bodies import SignalIn, placed_signal
from ragauge_service.api.fields import Body, Rejected
from ragauge_service.api.inlet import Placed
from ragauge_service.api.parts import Given
from ragauge_service.api.problems import Problem, explain

router = APIRouter(tags=["ingest"])

AnySignal = Annotated[Any, WithJsonSchema({"type": "object"})]


class Signals(Body):
    """Signals of any retrievals; one that comes twice counts once."""

    signals: Annotated[list[AnySignal], Field(max_length=MAX_EVENTS)]


class SignalsAccepted(BaseModel):
    """What became of them; whether the retrieval is known is found later, and counted."""

    accepted: int
    rejected: list[Rejected] = []


def read_signals(body: Raw) -> Signals:
    """Return the body, whatever type it says it has: a beacon can only say ``text/plain``."""
    try:
        return Signals.model_validate_json(body)
    except ValidationError as error:
        raise Problem(422, explain(error.errors(include_url=False))) from None


_SIGNAL = TypeAdapter(SignalIn)
_SCHEMA = {"schema": {"$ref": "#/components/schemas/Signals"}}


@router.post(
    "/v1/signals",
    status_code=202,
    dependencies=[needs("signal", in_query=True)],
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": _SCHEMA, "text/plain": _SCHEMA}}
    },
)
def post_signals(body: Annotated[Signals, Depends(read_signals)], parts: Given) -> SignalsAccepted:
    """Take clicks, citations, conversions, dwell times and thumbs."""
    placed, rejected, now_ms = list[Placed](), list[Rejected](), parts.now_ms()
    for index, raw in enumerate(body.signals):
        try:
            placed.append(placed_signal(_SIGNAL.validate_python(raw, strict=True), now_ms))
        except ValidationError as error:
            rejected.append(Rejected(index=index, reason=explain(error.errors(include_url=False))))
    parts.inlet.append(placed, now_ms)
    return SignalsAccepted(accepted=len(placed), rejected=rejected)
