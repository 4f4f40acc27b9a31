"""One retriever call, as little as the caller's thread must note; the rest is made of it in the worker."""

from collections.abc import Mapping
from typing import Any

from ragauge.events import Outcome, Retrieval, id_key, normalise, text_key
from ragauge.identity import format_id, new_suffix, now_ms, partition_for


class Call:
    """A call that was answered: the handle that ``logged`` returns, and what the worker ships.

    Everything that an id is made of is fixed at the call; its text is made when somebody asks.
    """

    __slots__ = (
        "_id",
        "at",
        "error_type",
        "ids",
        "latency_ms",
        "names",
        "outcome",
        "query",
        "query_id",
        "scores",
        "suffix",
        "total",
    )

    def __init__(self, names: "Names", query: str | None, query_id: str | None) -> None:
        self.names = names
        self.query = query
        self.query_id = query_id
        self.at = now_ms()
        self.suffix = new_suffix(self.at)
        self.ids: tuple[str, ...] = ()
        self.total = 0
        self.scores: tuple[float, ...] | None = None
        self.latency_ms = 0.0
        self.outcome: Outcome = "ok"
        self.error_type: str | None = None
        self._id: str | None = None

    @property
    def id(self) -> str:
        """Return the retrieval's id: keep it, and give it to ``feedback``."""
        if self._id is None:
            self._id = format_id(partition_for(self.query, self.query_id, self.suffix), self.suffix)
        return self._id

    def event(self, capture_query: str) -> Retrieval:
        """Return the event, with the query's text only if it may be captured."""
        names = self.names
        return Retrieval(
            id=self.id,
            key=self._key(),
            query=self.query if capture_query == "text" else None,
            query_id=self.query_id,
            category=names.category,
            retriever=names.retriever,
            variant=names.variant,
            version=names.version,
            params=names.params,
            ids=self.ids,
            total=self.total,
            scores=self.scores,
            at=self.at,
            latency_ms=self.latency_ms,
            outcome=self.outcome,
            error_type=self.error_type,
        )

    def _key(self) -> str:
        if self.query_id is not None:
            return id_key(self.query_id)
        if self.query is not None and normalise(self.query):
            return text_key(self.query)
        return f"r:{self.id}"


class Names:
    """What a decorator says of all its calls."""

    __slots__ = ("category", "params", "retriever", "variant", "version")

    def __init__(
        self,
        retriever: str,
        category: str | None = None,
        variant: str = "",
        version: str = "",
        params: Mapping[str, Any] | None = None,
    ) -> None:
        self.retriever = retriever
        self.category = category
        self.variant = variant
        self.version = version
        self.params = params or {}
