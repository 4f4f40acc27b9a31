"""Signals on one shard: those that wait for their retrieval, and those that met it."""

from collections import deque
from typing import Final, NamedTuple

from ragauge.events import SIGNAL_KINDS

DWELL: Final = SIGNAL_KINDS.index("dwell")
THUMBS_DOWN: Final = SIGNAL_KINDS.index("thumbs_down")
SHORT_DWELL: Final = len(SIGNAL_KINDS)
"""A dwell under the threshold: known, and worth nothing."""

DWELL_S: Final = 30.0
"""From how many seconds on a dwell says that a document was good."""

NO_DOCUMENT: Final = 0


class Mark(NamedTuple):
    """What a user did with which document (its hash, or ``NO_DOCUMENT``)."""

    kind: int
    doc: int


def mark_of(kind: int, doc: str | None, value: float | None) -> Mark:
    """Return the mark that a signal leaves.

    >>> mark_of(DWELL, "d1", 2.5).kind == SHORT_DWELL
    True
    """
    short = kind == DWELL and (value is None or value < DWELL_S)
    return Mark(SHORT_DWELL if short else kind, NO_DOCUMENT if doc is None else hash(doc))


def liked(marks: set[Mark]) -> dict[int, int]:
    """Return the gains of documents: 1 for those with a good mark and no thumbs down.

    >>> liked({Mark(0, 7), Mark(0, 8), Mark(THUMBS_DOWN, 8)})
    {7: 1}
    """
    good = {mark.doc for mark in marks if mark.kind not in {THUMBS_DOWN, SHORT_DWELL}}
    bad = {mark.doc for mark in marks if mark.kind == THUMBS_DOWN}
    return dict.fromkeys(good - bad - {NO_DOCUMENT}, 1)


class Waiting:
    """What names a retrieval that is not here yet, by that retrieval's id, until a horizon has passed."""

    def __init__(self, horizon_ms: int) -> None:
        self._horizon = horizon_ms
        self.marks: dict[bytes, set[Mark]] = {}
        self.parents: dict[bytes, int] = {}
        self._queue: deque[tuple[int, bytes, Mark | None]] = deque()

    def signal(self, id_: bytes, mark: Mark, time: int) -> bool:
        """Let a signal wait; False when the same one is waiting already."""
        marks = self.marks.setdefault(id_, set())
        if mark in marks:
            return False
        marks.add(mark)
        self._queue.append((time, id_, mark))
        return True

    def parent(self, id_: bytes, time: int) -> None:
        """Remember that a retrieval is a parent."""
        self.parents[id_] = time
        self._queue.append((time, id_, None))

    def expire(self, time: int) -> int:
        """Give up what has waited for the horizon, and return how many signals that were."""
        lost = 0
        while self._queue and self._queue[0][0] + self._horizon <= time:
            _, id_, mark = self._queue.popleft()
            if mark is None:
                if self.parents.get(id_, time) + self._horizon <= time:
                    self.parents.pop(id_, None)
            elif (marks := self.marks.get(id_)) and mark in marks:
                marks.discard(mark)
                lost += 1
                if not marks:
                    del self.marks[id_]
        return lost
