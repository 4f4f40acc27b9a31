"""A transport into memory, for tests of applications that use ragauge."""

from collections.abc import Sequence

from ragauge.events import Event
from ragauge.protocol import OK
from ragauge.transport import Answer


class MemoryTransport:
    """Keeps every event that was shipped.

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
        self._shards = shards

    def shards(self) -> int:
        """Return P."""
        return self._shards

    def append(self, shard: int, producer: str, seq: int, sent_at: int, events: Sequence[Event]) -> Answer:
        """Keep the events."""
        del shard, producer, seq, sent_at
        self.events.extend(events)
        return Answer(OK)

    def close(self) -> None:
        """Do nothing."""
