"""One retriever call, as little as the caller's thread must note; the worker makes the event of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ragauge.events import MAX_IDS
from ragauge.identity import format_id, partition_for, suffix_of


class Identity(NamedTuple):
    """What a retrieval's id is made of; ``at`` is Unix nanoseconds."""

    number: int
    at: int
    query: str | None
    query_id: str | None

    @property
    def id(self) -> str:
        """Return the id: 32 hexadecimal digits."""
        partition = partition_for(self.query, self.query_id, self.number)
        return format_id(partition, suffix_of(self.at // 1_000_000, self.number))


class Found(NamedTuple):
    """What an extractor saw: the first ids in rank order, how many there were, and scores if there are any.

    ``distances`` says that smaller scores are better. ``without_id`` counts documents that had no id of
    their own and are known by a hash of their content.
    """

    ids: Sequence[Any]
    total: int
    scores: Sequence[Any] | None = None
    distances: bool = False
    without_id: int = 0


class Batch(NamedTuple):
    """What an extractor saw in the answer to several queries at once."""

    found: Sequence[Found]


class Plan:
    """What a decorator says of all calls of one retriever."""

    __slots__ = (
        "category", "chunk_to_doc", "dynamic", "extract", "k", "name", "offset", "params", "place",
        "query", "query_default", "query_id", "sample_rate", "signature", "variant", "version",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.query: str | Any = "query"
        self.place = 0
        self.query_default: Any = None
        self.query_id: str | Any | None = None
        self.category: Any = None
        self.variant: Any = ""
        self.version: Any = ""
        self.params: Any = None
        self.k: Any = None
        self.offset: Any = None
        self.extract: Any = None
        self.chunk_to_doc: Any = None
        self.sample_rate: float | None = None
        self.signature: Any = None
        self.dynamic = False


class More(NamedTuple):
    """What few calls have; a field that is None says nothing."""

    said: Mapping[str, Any] | None = None
    """What the decorator's callables said of this call: category, variant, version, params."""
    offset: int = 0
    batch: str | None = None
    trace: tuple[str, str] | None = None
    distances: bool = False
    without_id: int = 0
    unknown: str | None = None
    """The type of a result in which no ids were found."""
    rate: float = 1.0
    probe: str | None = None
    span: Any = None


NOTHING_MORE: Final = More()


class Record(NamedTuple):
    """A call that was answered; ``took`` is seconds."""

    plan: Plan
    identity: Identity
    ids: Sequence[Any] = ()
    total: int = 0
    scores: Sequence[Any] | None = None
    took: float = 0.0
    outcome: str = "ok"
    error_type: str | None = None
    parent: "Identity | str | None" = None
    more: More = NOTHING_MORE


class Handle:
    """What the application keeps of a retrieval, to say later what its user did.

    ``id`` is empty, and the handle false, when nothing was logged: feedback for it is then ignored.
    """

    __slots__ = ("_id", "_ids", "batch", "identity")

    def __init__(
        self, identity: Identity | None = None, ids: Sequence[Any] = (), batch: "Sequence[Handle]" = ()
    ) -> None:
        self.identity = identity
        self._ids = ids
        self._id: str | None = "" if identity is None else None
        self.batch = batch
        """The handles of a batch call's retrievals, one a query; empty for a single query."""

    @property
    def id(self) -> str:
        """Return the retrieval's id: keep it, and give it to ``feedback``."""
        if self._id is None:
            self._id = self.identity.id if self.identity else ""
        return self._id

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids that were returned, in rank order; at most 100."""
        return tuple(map(str, self._ids[:MAX_IDS]))

    def __bool__(self) -> bool:
        return self.identity is not None

    def __repr__(self) -> str:
        return f"<ragauge.Handle {self.id or 'of nothing'}>"


NOTHING: Final = Handle()
