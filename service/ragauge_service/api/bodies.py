"""The bodies that clients send, checked, and the events that they become."""

import secrets
import time
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ragauge.events import (
    JudgmentsEvent,
    JudgmentsMode,
    Outcome,
    Retrieval,
    Signal,
    SignalKind,
    id_key,
    normalise,
    partition_of,
    text_key,
)
from ragauge.wire import MAX_GRADES, MAX_ID_LENGTH, MAX_TEXT_LENGTH

Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]
Short = Annotated[str, Field(max_length=MAX_ID_LENGTH)]
Text = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]
RetrievalId = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
Millis = Annotated[int, Field(ge=0, lt=2**53)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Grade = Annotated[int, Field(gt=-(2**31), lt=2**31)]


class Body(BaseModel):
    """A body: unknown fields are ignored, as on the wire."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class RetrievalBody(Body):
    """One retriever call; ``id`` and ``key`` are made from the query when they are missing."""

    type: Literal["retrieval"] = "retrieval"
    id: RetrievalId | None = None
    key: Id | None = None
    query: Text | None = None
    query_id: Id | None = None
    category: Id | None = None
    retriever: Id = "default"
    variant: Short = ""
    version: Short = ""
    params: Annotated[dict[str, str | int | Number | bool], Field(max_length=64)] | None = None
    ids: Annotated[list[Id], Field(max_length=10_000)] = Field(default_factory=list[str])
    total: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    scores: Annotated[list[Number], Field(max_length=10_000)] | None = None
    distances: bool = False
    at: Millis | None = None
    latency_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    outcome: Outcome = "ok"
    error_type: Short | None = None
    parent: RetrievalId | None = None
    offset: Annotated[int, Field(ge=0, lt=2**53)] = 0
    batch: Id | None = None
    sample_rate: Annotated[float, Field(gt=0, le=1)] = 1.0
    trace_id: Short | None = None
    span_id: Short | None = None
    probe: Id | None = None

    def event(self) -> Retrieval:
        """Return the event, with the first 100 ids and the original length."""
        values = self.model_dump(exclude={"type", "ids", "scores", "params", "id", "key", "at", "total"})
        retrieval_id = self.id or new_id(self.query, self.query_id)
        return Retrieval(
            **values,
            id=retrieval_id,
            key=self.key or _key(self.query, self.query_id) or f"r:{retrieval_id}",
            ids=tuple(self.ids[:100]),
            total=len(self.ids) if self.total is None else self.total,
            scores=None if self.scores is None else tuple(self.scores[:100]),
            params=self.params or {},
            at=now_ms() if self.at is None else self.at,
        )


class SignalBody(Body):
    """What a user did with a retrieval."""

    type: Literal["signal"] = "signal"
    retrieval_id: RetrievalId
    doc_id: Id | None = None
    kind: SignalKind = "click"
    value: Number | None = None
    rank: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    at: Millis | None = None
    user: Short | None = None

    def event(self) -> Signal:
        """Return the event."""
        values = self.model_dump(exclude={"type", "at"})
        return Signal(**values, at=now_ms() if self.at is None else self.at)


class JudgmentsBody(Body):
    """What is known of one query's documents; an empty ``relevant`` list says that there is no answer."""

    type: Literal["judgments"] = "judgments"
    query_id: Id | None = None
    query: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_LENGTH)] | None = None
    category: Id | None = None
    relevant: Annotated[dict[Id, Grade] | list[Id], Field(max_length=MAX_GRADES)] = Field(
        default_factory=dict[str, int]
    )
    no_answer: bool = False
    forbidden: Annotated[list[Id], Field(max_length=MAX_GRADES)] = Field(default_factory=list[str])
    source: Short = ""
    at: Millis | None = None
    mode: JudgmentsMode = "replace"

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.query_id is None and not normalise(self.query or ""):
            raise ValueError("query_id or query wanted, to say which query is judged")
        return self

    def events(self) -> list[tuple[int, JudgmentsEvent]]:
        """Return partition and event of each key that the record is stored under."""
        at = now_ms() if self.at is None else self.at
        grades = self.relevant if isinstance(self.relevant, dict) else dict.fromkeys(self.relevant, 1)
        empty = isinstance(self.relevant, list) and not self.relevant and "relevant" in self.model_fields_set
        sources = [(id_key(self.query_id), self.query_id)] if self.query_id else []
        sources += [(text_key(self.query), normalise(self.query))] if self.query else []
        return [
            (
                partition_of(source),
                JudgmentsEvent(
                    key=key,
                    grades=grades,
                    no_answer=self.no_answer or empty,
                    forbidden=tuple(self.forbidden),
                    category=self.category,
                    query_id=self.query_id,
                    query=self.query,
                    source=self.source,
                    at=at,
                    mode=self.mode,
                ),
            )
            for key, source in sources
        ]


class EventsBody(Body):
    """A batch; with producer, shard and seq it is counted once however often it is sent."""

    producer: Annotated[str, Field(pattern="^[A-Za-z0-9_.:-]{1,64}$")] | None = None
    shard: Annotated[int, Field(ge=0, lt=1024)] | None = None
    seq: Annotated[int, Field(ge=1, lt=2**53)] | None = None
    sent_at: Millis | None = None
    events: Annotated[list[dict[str, Any]], Field(max_length=2_000)]

    @model_validator(mode="after")
    def _together(self) -> Self:
        given = [value is not None for value in (self.producer, self.shard, self.seq)]
        if any(given) and not all(given):
            raise ValueError("producer, shard and seq go together: all of them, or none")
        return self


class SignalsBody(Body):
    """Signals, of any shard."""

    signals: Annotated[list[dict[str, Any]], Field(max_length=2_000)]


def now_ms() -> int:
    """Return this machine's clock in Unix milliseconds."""
    return time.time_ns() // 1_000_000


def new_id(query: str | None, query_id: str | None) -> str:
    """Return a fresh retrieval id on the shard where the query's judgments are."""
    source = query_id or normalise(query or "")
    partition = partition_of(source) if source else secrets.randbits(16)
    return f"{partition:04x}{now_ms() & (2**48 - 1):012x}{secrets.token_hex(8)}"


def _key(query: str | None, query_id: str | None) -> str | None:
    if query_id:
        return id_key(query_id)
    return text_key(query) if query and normalise(query) else None
