"""Which clicks are good ones, which retrievals are set aside, and how late clicks come."""

import bisect
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from ragauge.events import Signal

Aside = Literal["everything", "burst"]

DWELL_SECONDS: Final = 30.0
"""Who leaves sooner did not find it."""

EVERYTHING: Final = 0.8
"""Who clicks on as large a share of at least ``EVERYTHING_LENGTH`` documents is not choosing."""

EVERYTHING_LENGTH: Final = 5
BURST_CLICKS: Final = 3
BURST_MS: Final = 1_000

_GAIN: Final = frozenset({"click", "citation", "conversion", "thumbs_up"})
_SURE: Final = frozenset({"citation", "conversion", "thumbs_up"})

DELAY_EDGES_MS: Final = tuple(int(1_000 * 2 ** (step / 2)) for step in range(34))
"""Upper edges of the click delays' histogram: from 1 s by half doublings to about a day."""


def good_documents(signals: Iterable[Signal], dwell_seconds: float = DWELL_SECONDS) -> frozenset[str]:
    """Return the documents of one retrieval with a good click; each counts once.

    A click is taken back by a thumbs_down, and by a dwell time that never reached ``dwell_seconds``; a
    citation, a conversion or a thumbs_up outweighs a short stay.

    >>> click = Signal(retrieval_id="r", doc_id="a")
    >>> left = Signal(retrieval_id="r", doc_id="a", kind="dwell", value=2.0)
    >>> sorted(good_documents([click])), sorted(good_documents([click, left]))
    (['a'], [])
    """
    kinds: dict[str, set[str]] = {}
    stays: dict[str, float] = {}
    for signal in signals:
        if signal.doc_id is not None:
            kinds.setdefault(signal.doc_id, set()).add(signal.kind)
            if signal.kind == "dwell" and signal.value is not None:
                stays[signal.doc_id] = max(stays.get(signal.doc_id, 0.0), signal.value)
    return frozenset(doc for doc, seen in kinds.items() if _good(seen, stays.get(doc), dwell_seconds))


def _good(kinds: set[str], stay: float | None, wanted: float) -> bool:
    if "thumbs_down" in kinds:
        return False
    if kinds & _SURE:
        return True
    return stay >= wanted if stay is not None else bool(kinds & _GAIN)


def good_ranks(ids: Sequence[str], good: frozenset[str]) -> tuple[int, ...]:
    """Return the 1-based ranks of good documents; later copies of a document do not count.

    >>> good_ranks(["a", "b", "a"], frozenset({"a"}))
    (1,)
    """
    firsts: Mapping[str, int] = {doc: rank for rank, doc in reversed(list(enumerate(ids, start=1)))}
    return tuple(sorted(firsts[doc] for doc in good if doc in firsts))


def set_aside(signals: Sequence[Signal], length: int) -> Aside | None:
    """Return why one retrieval's clicks say nothing of its ranking, or None.

    ``everything``: nearly all of ``length`` documents were clicked; ``burst``: three different documents
    within a second, faster than a person reads.
    """
    clicks = sorted(
        (signal.at, signal.doc_id) for signal in signals if signal.kind == "click" and signal.doc_id
    )
    if length >= EVERYTHING_LENGTH and len({doc for _, doc in clicks}) >= EVERYTHING * length:
        return "everything"
    times = sorted({doc: at for at, doc in reversed(clicks)}.values())
    pairs = zip(times, times[BURST_CLICKS - 1 :], strict=False)
    return "burst" if any(last - first < BURST_MS for first, last in pairs) else None


def delay_cell(delay_ms: int) -> int:
    """Return the cell of the delays' histogram, of ``len(DELAY_EDGES_MS)`` + 1 cells.

    >>> delay_cell(0), delay_cell(1_200)
    (0, 1)
    """
    return bisect.bisect_left(DELAY_EDGES_MS, delay_ms)


def delay_quantile(cells: Sequence[int], share: float) -> int | None:
    """Return within how many milliseconds this share of clicks came (a cell's upper edge), or None.

    >>> cells = [0] * (len(DELAY_EDGES_MS) + 1)
    >>> cells[2] = 10
    >>> delay_quantile(cells, 0.5)
    2000
    """
    if not sum(cells):
        return None
    cell = bisect.bisect_left(list(itertools.accumulate(cells)), share * sum(cells))
    return DELAY_EDGES_MS[min(cell, len(DELAY_EDGES_MS) - 1)]


def horizon_advice(cells: Sequence[int], horizon_ms: int) -> str | None:
    """Return what ``doctor`` says when the join horizon cuts clicks off, or None when it does not.

    Delays are only seen up to the horizon, so a p99 near to it means that more came after.
    """
    p99 = delay_quantile(cells, 0.99)
    if p99 is None or 2 * p99 <= horizon_ms:
        return None
    return (
        f"1 % of clicks come later than {p99 / 60_000:.1f} min after the retrieval, and the join horizon is "
        f"{horizon_ms / 60_000:.1f} min: clicks are lost; set it to {2 * p99 / 60_000:.0f} min or more"
    )
