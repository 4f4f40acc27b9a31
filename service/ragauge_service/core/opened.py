"""Open retrievals: those that a signal or a changed judgment may still reach, in columns, oldest first.

A retrieval takes the 8-byte hashes of its first documents, its id, the hash of its query key, and two
references; segments of some thousands are filled one after the other and dropped as a whole. The hashes are
Python's own: they never leave the process, and being keyed they cannot be made to collide (decision 45).
"""

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

SEGMENT: Final = 4_096
ID_BYTES: Final = 16
MASK: Final = (1 << 60) - 1
"""Integers of 60 bits take 32 bytes, the next larger ones 48."""


class Segment:
    """Some thousand retrievals in arrival order, as columns; ``first`` is the position of its first one.

    Those from ``starts[i]`` on arrived at shard time ``times[i]``; ``arrived`` is the last of the times.
    """

    __slots__ = ("arrived", "docs", "first", "ids", "outcomes", "places", "queries", "starts", "times")

    def __init__(self, first: int) -> None:
        self.first = first
        self.ids = bytearray()
        self.docs = array("q")
        self.queries = array("q")
        self.places: list[Any] = []
        self.outcomes: list[Any] = []
        self.times = array("q")
        self.starts = array("H")
        self.arrived = 0

    def find(self, id_: bytes) -> int | None:
        """Return where a retrieval stands in this segment; the later of two under one id."""
        at = self.ids.rfind(id_)
        while at >= 0 and at % ID_BYTES:
            at = self.ids.rfind(id_, 0, at + ID_BYTES - 1)
        return at // ID_BYTES if at >= 0 else None

    def time_of(self, index: int) -> int:
        """Return the shard time at which a retrieval arrived."""
        return self.times[bisect_right(self.starts, index) - 1]

    def begin(self, time: int) -> int:
        """Return the index of the first retrieval that arrived after ``time``."""
        at = bisect_right(self.times, time)
        return self.starts[at] if at < len(self.starts) else len(self.places)


class Spot(NamedTuple):
    """Where an open retrieval is, and the shard time at which it arrived."""

    segment: Segment
    row: int
    time: int

    @property
    def position(self) -> int:
        """Return how many retrievals were opened before it."""
        return self.segment.first + self.row


class Opened:
    """The open retrievals of one shard; ``depth`` documents of each are kept.

    >>> opened = Opened(depth=2)
    >>> opened.enter(1_000)
    >>> opened.claim(b"0" * 16)
    True
    >>> opened.add(b"0" * 16, hash("i:q1"), [hash("d1")], "place", "outcome")
    >>> spot = opened.find(b"0" * 16)
    >>> spot.position, spot.time, opened.docs(spot) == [hash("d1")]
    (0, 1000, True)
    """

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.size = SEGMENT
        """How many retrievals a segment takes."""
        self.segments: deque[Segment] = deque([Segment(0)])
        self.index: dict[int, Segment] = {}
        self._tail = self.segments[-1]
        self._strays: dict[bytes, Segment] = {}
        self._padding = [array("q", [0] * missing) for missing in range(depth + 1)]

    @property
    def total(self) -> int:
        """Return how many retrievals were ever opened."""
        return self._tail.first + len(self._tail.places)

    def __len__(self) -> int:
        return self.total - self.segments[0].first

    def enter(self, time: int) -> None:
        """Begin a stream entry at shard time ``time``: what is added next arrived then."""
        tail = self._tail
        if len(tail.places) >= self.size:
            tail = self._tail = Segment(self.total)
            self.segments.append(tail)
        if tail.arrived != time or not tail.times:
            tail.times.append(time)
            tail.starts.append(len(tail.places))
            tail.arrived = time

    def claim(self, id_: bytes) -> bool:
        """Enter an id that is about to be added; False when it was, or may have been, there before."""
        index = self.index
        before = len(index)
        index.setdefault(hash(id_) & MASK, self._tail)
        return len(index) > before

    def claim_again(self, id_: bytes) -> None:
        """Enter an id that only seemed to be there, or whose retrieval is not open any more."""
        if self.index[hash(id_) & MASK] is not self._tail:
            self._strays[id_] = self._tail

    def add(self, id_: bytes, query: int, docs: Sequence[int], place: Any, outcome: Any) -> None:
        """Add a retrieval whose id was claimed; ``docs`` are the hashes of at most ``depth`` documents."""
        tail = self._tail
        tail.ids += id_
        tail.docs.extend(docs)
        if len(docs) < self.depth:
            tail.docs.extend(self._padding[self.depth - len(docs)])
        tail.queries.append(query)
        tail.places.append(place)
        tail.outcomes.append(outcome)

    def find(self, id_: bytes) -> Spot | None:
        """Return where a retrieval is, if it has not been dropped."""
        for segment in (self._strays.get(id_), self.index.get(hash(id_) & MASK)):
            index = segment.find(id_) if segment is not None else None
            if segment is not None and index is not None:
                return Spot(segment, index, segment.time_of(index))
        return None

    def docs(self, spot: Spot) -> list[int]:
        """Return the hashes of a retrieval's documents in rank order."""
        start = spot.row * self.depth
        return [doc for doc in spot.segment.docs[start : start + self.depth] if doc]

    def of_query(self, query: int, since: int) -> Iterator[Spot]:
        """Yield the retrievals of a query that arrived after the time ``since``, oldest first."""
        for segment in self.segments:
            if segment.arrived > since and query in segment.queries:
                for index in range(segment.begin(since), len(segment.queries)):
                    if segment.queries[index] == query:
                        yield Spot(segment, index, segment.time_of(index))

    def between(self, position: int, time: int) -> Iterator[tuple[Segment, int, int]]:
        """Yield segments and ranges of the retrievals from ``position`` on that arrived by ``time``."""
        for segment in self.segments:
            if segment.times and segment.times[0] > time:
                return
            start, end = max(0, position - segment.first), segment.begin(time)
            if start < end:
                yield segment, start, end

    def drop(self, before: int, settled: int, most: int) -> None:
        """Forget the segments in which everything arrived by ``before``; and of those in which everything
        arrived by ``settled``, whatever lies ``most`` or more retrievals back.
        """
        while len(self.segments) > 1:
            oldest = self.segments[0]
            crowded = oldest.arrived <= settled and self.segments[1].first <= self.total - most
            if oldest.arrived > before and not crowded:
                return
            self._forget(self.segments.popleft())

    def _forget(self, segment: Segment) -> None:
        for at in range(0, len(segment.ids), ID_BYTES):
            id_ = bytes(segment.ids[at : at + ID_BYTES])
            if self.index.get(hash(id_) & MASK) is segment:
                del self.index[hash(id_) & MASK]
            if self._strays.get(id_) is segment:
                del self._strays[id_]
