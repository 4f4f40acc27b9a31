"""A transport into memory, for tests of applications that use ragauge."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from ragauge.events import Event, Retrieval, Signal
from ragauge.protocol import DUP, GAP, OK, UNKNOWN
from ragauge.state import init, shutdown
from ragauge.transport import Answer
from ragauge.wire import pack_rows, parse, unpack


class MemoryTransport:
    """Keeps every event that was shipped, by the producer protocol of a real server.

    >>> import ragauge
    >>> transport = MemoryTransport()
    >>> ragauge.init(transport=transport)
    >>> @ragauge.retriever
    ... def search(query: str) -> list[str]:
    ...     return ["a", "b"]
    >>> search("q"), ragauge.flush()
    (['a', 'b'], True)
    >>> transport.events[0].ids
    ('a', 'b')
    >>> ragauge.shutdown()
    """

    def __init__(self, shards: int = 16) -> None:
        self.events: list[Event] = []
        self.timeout = 10.0
        self._shards = shards
        self._marks: dict[tuple[int, str], int] = {}

    @property
    def retrievals(self) -> list[Retrieval]:
        """Return the retrievals that were shipped."""
        return [event for event in self.events if isinstance(event, Retrieval)]

    @property
    def signals(self) -> list[Signal]:
        """Return the signals that were shipped."""
        return [event for event in self.events if isinstance(event, Signal)]

    def shards(self) -> int:
        """Return P."""
        return self._shards

    def encode(self, rows: Sequence[Sequence[Any]]) -> bytes:
        """Return what Redis would be sent."""
        return pack_rows(rows)

    def append(self, shard: int, producer: str, seq: int, sent_at: int, body: bytes) -> Answer:
        """Keep the events, as the append script would."""
        del sent_at
        mark = self._marks.get((shard, producer), 0)
        if seq <= mark:
            return Answer(DUP, mark)
        if seq > mark + 1:
            return Answer(GAP, mark + 1) if mark else Answer(UNKNOWN, 1)
        self.events.extend(parse(row) for row in unpack(body))
        self._marks[shard, producer] = seq
        return Answer(OK)

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def forget(self) -> None:
        """Do nothing: there is no connection."""


@contextmanager
def recorded(**settings: Any) -> Generator[MemoryTransport]:
    """Log into memory for the length of a block; ``settings`` are those of ``ragauge.init``.

    >>> import ragauge
    >>> with recorded() as memory:
    ...     ragauge.log(query="q", ids=["a"]).ids
    ...     ragauge.flush()
    ('a',)
    True
    >>> memory.retrievals[0].query
    'q'
    """
    memory = MemoryTransport()
    init(transport=memory, **cast("Any", {"flush_interval": 0.02, **settings}))
    try:
        yield memory
    finally:
        shutdown()
