"""``POST /v1/events`` and ``GET /v1/shards``: what retrievers and their SDKs send."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, WithJsonSchema

from ragauge.errors import MalformedEventError
from ragauge.events import shard_of
from ragauge.wire import MAX_EVENTS
from ragauge_service.api.access import needs
from ragauge_service.api.event_bodies import placed_event
from ragauge_service.api.fields import Body, Millis, Rejected
from ragauge_service.api.inlet import Placed
from ragauge_service.api.parts import Given
from ragauge_service.api.problems import Problem

router = APIRouter(tags=["ingest"])

AnyEvent = Annotated[Any, WithJsonSchema({"type": "object"})]


class Events(Body):
    """One entry: with ``producer``, ``shard`` and ``seq`` counted exactly once, without at least once."""

    producer: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:-]{1,128}$")] | None = Field(
        None, description="A name that no other sender has, new at every start."
    )
    shard: Annotated[int, Field(ge=0)] | None = Field(
        None, description="The shard of all events of this body."
    )
    seq: Annotated[int, Field(ge=1, lt=2**53)] | None = Field(None, description="1, 2, 3, ... per shard.")
    sent_at: Millis | None = Field(None, description="Unix milliseconds on the sender's clock.")
    events: Annotated[list[AnyEvent], Field(max_length=MAX_EVENTS)]


class Accepted(BaseModel):
    """What became of a body: a duplicate was counted before; what is rejected must not be sent again."""

    accepted: int
    duplicate: int = 0
    rejected: list[Rejected] = []


class Shards(BaseModel):
    """What a producer must know: the shard of an event is its partition modulo ``shards``."""

    shards: int
    now: int = Field(description="Unix milliseconds on the store's clock.")


@router.get("/v1/shards", dependencies=[needs("ingest")])
def shards(parts: Given) -> Shards:
    """Return the number of shards, and the time."""
    return Shards(shards=parts.inlet.shards, now=parts.now_ms())


@router.post("/v1/events", status_code=202, dependencies=[needs("ingest")])
def post_events(body: Events, parts: Given) -> Accepted:
    """Take retrievals, signals and judgments; a part that cannot be read is rejected alone."""
    named = (body.producer, body.shard, body.seq)
    if all(part is None for part in named):
        now_ms = parts.now_ms()
        placed, rejected = _sort(body, now_ms, None, parts.inlet.shards)
        parts.inlet.append(placed, now_ms if body.sent_at is None else body.sent_at)
        return Accepted(accepted=len(body.events) - len(rejected), rejected=rejected)
    if body.producer is None or body.shard is None or body.seq is None:
        raise Problem(422, "producer, shard and seq: all three wanted, or none")
    return _proxy(body, body.producer, body.shard, body.seq, parts)


def _proxy(body: Events, producer: str, shard: int, seq: int, parts: Given) -> Accepted:
    now_ms, inlet = parts.now_ms(), parts.inlet
    if shard >= inlet.shards:
        raise Problem(
            422, f"shard {shard}: 0 to {inlet.shards - 1} wanted; see /v1/shards", shards=inlet.shards
        )
    placed, rejected = _sort(body, now_ms, shard, inlet.shards)
    sent_at = now_ms if body.sent_at is None else body.sent_at
    answer = inlet.proxy(producer, shard, seq, sent_at, [event for _, event in placed])
    if answer.expected is not None:
        what = "this producer is not known: take a new name" if answer.unknown else "send from there again"
        raise Problem(
            409,
            f"sequence {answer.expected} wanted: {what}",
            expected=answer.expected,
            unknown=answer.unknown,
        )
    count = len(body.events) - len(rejected)
    return Accepted(
        accepted=0 if answer.duplicate else count,
        duplicate=count if answer.duplicate else 0,
        rejected=rejected,
    )


def _sort(body: Events, now_ms: int, shard: int | None, shards: int) -> tuple[list[Placed], list[Rejected]]:
    """Return the events that can be taken, and the others with the reason."""
    placed, rejected = list[Placed](), list[Rejected]()
    for index, raw in enumerate(body.events):
        try:
            placed += _here(placed_event(raw, now_ms), shard, shards)
        except MalformedEventError as error:
            rejected.append(Rejected(index=index, reason=str(error)))
    return placed, rejected


def _here(events: list[Placed], shard: int | None, shards: int) -> list[Placed]:
    """Return events that all belong to ``shard``, if one is given."""
    for partition, _ in events:
        if shard is not None and shard_of(partition, shards) != shard:
            raise MalformedEventError(f"belongs to shard {shard_of(partition, shards)}, not {shard}")
    return events
