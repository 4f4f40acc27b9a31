"""Judgments as clients send and read them, and the events that they become."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from ragauge.events import JudgmentsEvent, JudgmentsMode, id_key, normalise, partition_of, text_key
from ragauge.wire import MAX_GRADES
from ragauge_service.api.fields import Body, Docs, Grade, Millis, Name, QueryId, Short, Text
from ragauge_service.api.inlet import Placed

Grades = Annotated[dict[Name, Grade], Field(max_length=MAX_GRADES)]


class Known(Body):
    """What is known of one query's documents."""

    category: Name | None = None
    relevant: Grades | Docs = Field({}, description="Grades by document, or the documents of grade 1.")
    no_answer: bool = Field(
        default=False, description="The corpus cannot answer; an empty list under `relevant` says so too."
    )
    forbidden: Docs = Field([], description="Documents that must not be retrieved.")
    source: Short = Field("", description="Where this knowledge comes from.")
    at: Millis | None = Field(None, description="Unix milliseconds of the judgment; now if missing.")

    @property
    def grades(self) -> dict[str, int]:
        """Return the grades by document."""
        return dict(self.relevant) if isinstance(self.relevant, dict) else dict.fromkeys(self.relevant, 1)

    @property
    def unanswerable(self) -> bool:
        """Return whether it says that there is no answer."""
        return self.no_answer or self.relevant == []


class JudgmentsIn(Known):
    """One line of judgments: the query by its id, its text, or both."""

    query_id: QueryId | None = None
    query: Text | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.query_id is None and not normalise(self.query or ""):
            raise ValueError("query_id or query wanted")
        if self.unanswerable and any(grade > 0 for grade in self.grades.values()):
            raise ValueError("no_answer contradicts relevant documents")
        return self


def placed_judgments(record: JudgmentsIn, now_ms: int, mode: JudgmentsMode = "replace") -> list[Placed]:
    """Return one query's judgments under each of its keys, with the partitions of these."""
    return [
        (
            partition_of(source),
            event_of(record, key, now_ms, mode, query_id=record.query_id, query=record.query),
        )
        for key, source in sources_of(record.query_id, record.query)
    ]


def sources_of(query_id: str | None, query: str | None) -> list[tuple[str, str]]:
    """Return the keys of a query that has an id, a text, or both, each with the source of its partition.

    >>> sources_of("q1", None)
    [('i:q1', 'q1')]
    """
    found = [] if query_id is None else [(id_key(query_id), query_id)]
    text = normalise(query or "")
    return [*found, (text_key(text), text)] if text else found


def event_of(
    record: Known, key: str, now_ms: int, mode: JudgmentsMode, *, query_id: str | None, query: str | None
) -> JudgmentsEvent:
    """Return what is known of a query as an event under one of its keys."""
    return JudgmentsEvent(
        key=key,
        grades=record.grades,
        no_answer=record.unanswerable,
        forbidden=tuple(record.forbidden),
        category=record.category,
        query_id=query_id,
        query=query or None,
        source=record.source,
        at=now_ms if record.at is None else record.at,
        mode=mode,
    )
