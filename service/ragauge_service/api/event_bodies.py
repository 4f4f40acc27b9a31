"""Events as HTTP clients send them, and the values that they become."""

import secrets
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, Field, TypeAdapter, ValidationError

from ragauge.errors import MalformedEventError
from ragauge.events import (
    MAX_IDS,
    JudgmentsMode,
    Outcome,
    Retrieval,
    Signal,
    SignalKind,
    id_key,
    normalise,
    partition_of,
    partition_of_id,
    text_key,
)
from ragauge_service.api.fields import (
    MAX_SENT_IDS,
    Body,
    Count,
    Docs,
    Finite,
    HexId,
    Ids,
    Millis,
    Name,
    Params,
    QueryId,
    Rate,
    Scalar,
    Short,
    Text,
)
from ragauge_service.api.inlet import Placed
from ragauge_service.api.judgment_bodies import Grades, JudgmentsIn, placed_judgments, sources_of
from ragauge_service.api.problems import explain


class RetrievalIn(Body):
    """One retriever call. ``id`` is made here if it is missing, but then no signal can name it."""

    type: Literal["retrieval"] = "retrieval"
    id: HexId | None = None
    key: Name | None = Field(
        None, description="Query key, for clients that keep the query's text to themselves."
    )
    query: Text | None = None
    query_id: QueryId | None = None
    category: Name | None = None
    retriever: Name = "default"
    variant: Short = ""
    version: Short = ""
    params: Params = Field(default_factory=dict[str, Scalar])
    ids: Ids = Field([], description="Document ids in rank order.")
    total: Count | None = Field(None, description="How many were retrieved, when more than were sent.")
    scores: Annotated[list[Finite], Field(max_length=MAX_SENT_IDS)] | None = None
    distances: bool = Field(default=False, description="Whether lower scores are better.")
    at: Millis | None = Field(None, description="Unix milliseconds; the time of arrival if missing.")
    latency_ms: Annotated[Finite, Field(ge=0)] = 0.0
    outcome: Outcome = "ok"
    error_type: Short | None = None
    parent: HexId | None = None
    offset: Count = 0
    batch: Name | None = None
    sample_rate: Rate = 1.0
    trace_id: Short | None = None
    span_id: Short | None = None
    probe: Name | None = None


class SignalIn(Body):
    """What a user did with a retrieval."""

    type: Literal["signal"] = "signal"
    retrieval_id: HexId
    doc_id: Name | None = None
    kind: SignalKind = "click"
    value: Finite | None = Field(None, description="Seconds, for dwell.")
    rank: Count | None = None
    at: Millis | None = Field(None, description="Unix milliseconds; the time of arrival if missing.")
    user: Short | None = Field(
        None, description="A pseudonym, by which users who click everything are set aside."
    )


class JudgmentsEventIn(JudgmentsIn):
    """One query's judgments, as an event of a producer: ``grades`` is another name of ``relevant``.

    With a ``key`` they are stored under it alone.
    """

    type: Literal["judgments"]
    relevant: Grades | Docs = Field({}, validation_alias=AliasChoices("relevant", "grades"))
    key: Name | None = None
    mode: JudgmentsMode = "replace"

    def placed(self, now_ms: int) -> list[Placed]:
        """Return the events, with their partitions."""
        found = placed_judgments(self, now_ms, self.mode)
        keys = [key for key, _ in sources_of(self.query_id, self.query)]
        mine = [each for key, each in zip(keys, found, strict=True) if self.key in {None, key}]
        if not mine:
            raise MalformedEventError(f"key {self.key!r}: the key of query_id or query wanted")
        return mine


EventIn = Annotated[RetrievalIn | SignalIn | JudgmentsEventIn, Field(discriminator="type")]

EVENT: Final[TypeAdapter[RetrievalIn | SignalIn | JudgmentsEventIn]] = TypeAdapter(EventIn)


def placed_event(raw: Any, now_ms: int) -> list[Placed]:
    """Return the events that one member of a body stands for, with their partitions.

    Raises:
        MalformedEventError: says which field, and what was wanted.
    """
    if isinstance(raw, dict) and "type" not in raw:
        raw = {**raw, "type": "retrieval"}
    try:
        event = EVENT.validate_python(raw, strict=True)
    except ValidationError as error:
        raise MalformedEventError(explain(error.errors(include_url=False))) from None
    if isinstance(event, SignalIn):
        return [placed_signal(event, now_ms)]
    if isinstance(event, JudgmentsEventIn):
        return event.placed(now_ms)
    return [placed_retrieval(event, now_ms)]


def placed_signal(event: SignalIn, now_ms: int) -> Placed:
    """Return a signal with the partition of its retrieval."""
    fields = event.model_dump(exclude={"type", "at"})
    return partition_of_id(event.retrieval_id), Signal(at=_at(event.at, now_ms), **fields)


def placed_retrieval(event: RetrievalIn, now_ms: int) -> Placed:
    """Return a retrieval with its partition, which its id must begin with.

    Raises:
        MalformedEventError: the id belongs to another query.
    """
    key, source = _key_of(event)
    wanted = None if source is None else partition_of(source)
    identifier = event.id or _new_id(wanted)
    partition = partition_of_id(identifier)
    if wanted is not None and partition != wanted:
        raise MalformedEventError(f"id: the query's partition is {wanted:04x}, so the id must begin with it")
    return partition, _retrieval(event, identifier, key, now_ms)


def _key_of(event: RetrievalIn) -> tuple[str, str | None]:
    """Return a retrieval's query key, and its source where that is known here."""
    if event.query_id is not None:
        return id_key(event.query_id), event.query_id
    if event.query is not None and (text := normalise(event.query)):
        return text_key(event.query), text
    return event.key or f"r:{secrets.token_hex(8)}", None


def _new_id(partition: int | None) -> str:
    head = secrets.token_hex(2) if partition is None else f"{partition:04x}"
    return head + secrets.token_hex(14)


def _retrieval(event: RetrievalIn, identifier: str, key: str, now_ms: int) -> Retrieval:
    fields = event.model_dump(exclude={"type", "id", "key", "at", "ids", "total", "scores"})
    return Retrieval(
        id=identifier,
        key=key,
        at=_at(event.at, now_ms),
        ids=tuple(event.ids[:MAX_IDS]),
        total=max(event.total or 0, len(event.ids)),
        scores=None if event.scores is None else tuple(event.scores[:MAX_IDS]),
        **fields,
    )


def _at(at: int | None, now_ms: int) -> int:
    return now_ms if at is None else at
