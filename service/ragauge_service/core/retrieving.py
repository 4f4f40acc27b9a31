"""A retrieval comes in: it is scored if its query is judged, counted where it belongs, and kept open."""

from collections.abc import Sequence
from typing import Any, Final

from ragauge.events import OUTCOMES
from ragauge.measures import RankScores, close_ranks
from ragauge_service.core.clicking import meet
from ragauge_service.core.failing import MISS, Failure, growing
from ragauge_service.core.opened import MASK
from ragauge_service.core.outcomes import VOID, Outcome, scores_of
from ragauge_service.core.places import CLICKABLE, FLOATING, PROBE, Labels, Place
from ragauge_service.core.series import DEFAULT_CATEGORY
from ragauge_service.core.slots import MINUTE_MS, minute_of
from ragauge_service.core.state import State

Row = Sequence[Any]

_OK: Final = OUTCOMES.index("ok")
_VOID: Final = 0


def retrieve(state: State, row: Row, skew: int) -> bool:
    """Take in a checked retrieval; ``skew`` corrects its producer's clock, in milliseconds.

    False, and nothing was changed, when one of its names has not been admitted yet.
    """
    id_, key, category = row[1], row[2], row[3]
    query = state.book.get(key)
    flags = CLICKABLE
    if category is None:
        flags = CLICKABLE if query else CLICKABLE | FLOATING
        category = (query.category if query else None) or DEFAULT_CATEGORY
    raw = (category, row[4], row[5])
    labels = state.naming.by_raw.get(raw) or state.naming.labels(raw)
    if labels is None:
        return False
    if hash(id_) & MASK in state.opened.index and state.find(id_) is not None:
        state.counting.add("ragauge_duplicate_retrievals_total")
        return True
    labels.outcomes[row[7]] += 1
    labels.latencies.append(row[15])
    if row[7] != _OK or row[10]:
        _pass_over(state, row, labels)
        return True
    if row[12] is not None:
        flags = flags & ~CLICKABLE | PROBE
    elif row[14] is not None:
        flags &= ~CLICKABLE
    place = _place(state, labels, row[6] + skew, flags)
    head = row[8][: state.config.depth]
    if len(set(head)) != len(head):
        head = _closed_up(state, place, row[8])
    outcome = state.outcomes.of(query, head)
    _count(state, place, outcome)
    if not isinstance(outcome, RankScores) or outcome.first != 1:
        _fail(state, place, outcome, row, head)
    if row[23] is not None:
        place.traces[outcome] = row[23]
    state.opened.add(id_, hash(key), list(map(hash, head)), place, outcome)
    _relate(state, id_, row[11])
    return True


def _place(state: State, labels: Labels, at: int, flags: int) -> Place:
    minute = at // MINUTE_MS * MINUTE_MS
    right = minute_of(at, state.time)
    if minute != right:
        state.counting.add("ragauge_late_events_total", ("retrieval",))
    return state.place(labels, right, flags)


def _count(state: State, place: Place, outcome: Outcome) -> None:
    counts = place.counts
    if not counts and not place.corrections:
        state.board.touch(place)
    counts[outcome] = counts.get(outcome, 0) + 1


def _closed_up(state: State, place: Place, ids: Sequence[str]) -> list[str]:
    """Return the first distinct documents of a list that holds some twice, and count these."""
    head, duplicates = close_ranks(ids, state.config.depth)
    state.board.count(place, state.outcomes.special(("duplicates", duplicates)))
    return head


def _pass_over(state: State, row: Row, labels: Labels) -> None:
    """Know a retrieval that is not scored: a failed call, or a page beyond the first."""
    failed = row[7] != _OK
    reason = "outcome" if failed else "page"
    state.counting.add("ragauge_unscored_retrievals_total", (labels.category, labels.retriever, reason))
    if row[11] is not None and row[11] != row[1] and not failed:
        state.pages[row[1]] = row[11], state.time
    place = state.place(labels, state.time // MINUTE_MS * MINUTE_MS, 0)
    state.opened.add(row[1], _VOID, (), place, VOID)
    state.waiting.parents.pop(row[1], None)
    for mark in state.waiting.marks.pop(row[1], ()):
        meet(state, row[1], mark)


def _fail(state: State, place: Place, outcome: Outcome, row: Row, head: Sequence[str]) -> None:
    """Keep a retrieval as one of the worst, if it is."""
    scores = scores_of(outcome)
    if scores is None or scores.first == 1 or not growing(place.minute, state.time):
        return
    if place.worst is None:
        place.worst = state.failures.worst(place.minute, place.state.key)
    rank = scores.first
    if (rank or MISS) > place.worst.best:
        failure = Failure(rank, row[1].hex(), row[2], row[18], tuple(head), row[23], row[6])
        state.failures.add(place.minute, place.state.key, failure)


def _relate(state: State, id_: bytes, parent: bytes | None) -> None:
    """Connect a retrieval with its parent, and with what was waiting for it."""
    if parent is not None:
        spot = state.find(parent)
        if spot is None:
            state.waiting.parent(parent, state.time)
        else:
            state.unclickable(spot)
    waiting = state.waiting
    if id_ in waiting.parents:
        del waiting.parents[id_]
        spot = state.find(id_)
        if spot is not None:
            state.unclickable(spot)
    if id_ in waiting.marks:
        for mark in sorted(waiting.marks.pop(id_)):
            meet(state, id_, mark)
