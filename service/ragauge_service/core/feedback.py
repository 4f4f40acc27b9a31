"""Signals on one shard: those that wait for their retrieval, and those that met it."""

from collections import deque
from typing import Final, NamedTuple

from ragauge.events import SIGNAL_KINDS, Signal
from ragauge_service.core.click_hygiene import BURST_CLICKS, DWELL_SECONDS, Aside, set_aside

DWELL: Final = SIGNAL_KINDS.index("dwell")
THUMBS_DOWN: Final = SIGNAL_KINDS.index("thumbs_down")
SHORT_DWELL: Final = len(SIGNAL_KINDS)
"""A dwell under the threshold: it takes a click back."""

UNSAID_DWELL: Final = SHORT_DWELL + 1
"""A dwell of unknown length, which says nothing."""

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
    if kind == DWELL and value is None:
        kind = UNSAID_DWELL
    elif kind == DWELL and value is not None and value < DWELL_SECONDS:
        kind = SHORT_DWELL
    return Mark(kind, NO_DOCUMENT if doc is None else hash(doc))


Marks = dict[Mark, int]
"""What users did with one retrieval, each kind once a document, and when (Unix milliseconds)."""

CLICK: Final = SIGNAL_KINDS.index("click")
_SURE: Final = tuple(SIGNAL_KINDS.index(kind) for kind in ("citation", "conversion", "thumbs_up"))


def liked(marks: Marks) -> dict[int, int]:
    """Return the gains of documents: 1 for each with a good click, by the rules of ``click_hygiene``.

    >>> liked({Mark(CLICK, 7): 0, Mark(CLICK, 8): 0, Mark(THUMBS_DOWN, 8): 0})
    {7: 1}
    """
    docs = {mark.doc for mark in marks} - {NO_DOCUMENT}
    return {doc: 1 for doc in docs if _good(doc, marks)}


def _good(doc: int, marks: Marks) -> bool:
    if Mark(THUMBS_DOWN, doc) in marks:
        return False
    if any(Mark(kind, doc) in marks for kind in (*_SURE, DWELL)):
        return True
    return Mark(CLICK, doc) in marks and Mark(SHORT_DWELL, doc) not in marks


def aside(marks: Marks, length: int) -> Aside | None:
    """Return why clicks on a list of ``length`` say nothing of it, or None."""
    clicks = [(mark, at) for mark, at in marks.items() if mark.kind == CLICK and mark.doc]
    if len(clicks) < BURST_CLICKS:
        return None
    signals = [Signal(retrieval_id="", doc_id=str(mark.doc), at=at) for mark, at in clicks]
    return set_aside(signals, length)


class Waiting:
    """What names a retrieval that is not here yet, by that retrieval's id, until a horizon has passed."""

    def __init__(self, horizon_ms: int) -> None:
        self._horizon = horizon_ms
        self.marks: dict[bytes, Marks] = {}
        self.parents: dict[bytes, int] = {}
        self._queue: deque[tuple[int, bytes, Mark | None]] = deque()

    def signal(self, id_: bytes, mark: Mark, at: int, time: int) -> bool:
        """Let a signal of the moment ``at`` wait; False when the same one is waiting already."""
        marks = self.marks.setdefault(id_, {})
        if mark in marks:
            return False
        marks[mark] = at
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
                del marks[mark]
                lost += 1
                if not marks:
                    del self.marks[id_]
        return lost
