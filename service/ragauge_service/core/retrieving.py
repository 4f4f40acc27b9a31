"""A retrieval comes in: it is scored if its query is judged, counted where it belongs, and kept open."""

from collections.abc import Sequence
from typing import Any, Final

from ragauge.events import OUTCOMES
from ragauge.measures import close_ranks
from ragauge.wire import parse
from ragauge_service.core.clicking import meet
from ragauge_service.core.failing import MISS, Failure, growing
from ragauge_service.core.outcomes import VOID, Outcome, scores_of
from ragauge_service.core.places import CLICKABLE, FLOATING, PROBE, Labels, Place
from ragauge_service.core.rows import labels_fit
from ragauge_service.core.series import DEFAULT_CATEGORY
from ragauge_service.core.slots import MINUTE_MS, minute_of
from ragauge_service.core.state import State

Row = Sequence[Any]

_OK: Final = OUTCOMES.index("ok")
_VOID: Final = 0


FOREVER_MS: Final = 10**9
"""A call that took longer, or less than no time, is left out of the histogram of durations."""


def retrieve(state: State, row: Row, skew: int) -> bool:  # noqa: C901, PLR0912, PLR0915 - no calls: speed
    """Take in a checked retrieval; ``skew`` corrects its producer's clock, in milliseconds.

    False, and nothing was changed, when one of its names has not been admitted yet. This is the hot path:
    what most retrievals do is written out here.
    """
    id_, key, category = row[1], row[2], row[3]
    query = state.book.queries.get(key) or state.book.get(key)
    flags = CLICKABLE
    if category is None:
        flags = CLICKABLE if query else CLICKABLE | FLOATING
        category = (query.category if query else None) or DEFAULT_CATEGORY
    raw = (category, row[4], row[5])
    labels = state.naming.by_raw.get(raw)
    if labels is None:
        if not labels_fit(row):
            parse(row)  # says what is wrong
        labels = state.naming.labels(raw)
        if labels is None:
            return False
    opened = state.opened
    if not opened.claim(id_):
        if state.find(id_) is not None:
            state.counting.add("ragauge_duplicate_retrievals_total")
            return True
        opened.claim_again(id_)
    labels.outcomes[row[7]] += 1
    if 0 <= row[15] < FOREVER_MS:
        labels.latencies.append(row[15])
    if row[7] != _OK or row[10]:
        _pass_over(state, row, labels)
        return True
    if row[12] is not None:
        flags = flags & ~CLICKABLE | PROBE
    elif row[14] is not None:
        flags &= ~CLICKABLE
    at = row[6] + skew
    if labels.since <= at < labels.until and labels.flags == flags and labels.since >= state.oldest:
        place = labels.latest
    else:
        place = _place(state, labels, at, flags)
    head = row[8][: opened.depth]
    docs = list(map(hash, head))
    if len(set(docs)) != len(docs):
        head = _closed_up(state, place, row[8])
        docs = list(map(hash, head))
    outcome: Outcome | None = None
    if query is not None and query.plain and query.known is not None:
        outcome = query.known.get(tuple(map(query.grades.get, head)))
    if outcome is None:
        outcome = state.outcomes.of(query, head)
    counts = place.counts
    if not counts and not place.corrections:
        state.board.touch(place)
    counts[outcome] = counts.get(outcome, 0) + 1
    if query is not None:
        worst = place.worst
        if worst is None or worst.best < MISS:
            _fail(state, place, outcome, row, head)
        if row[23] is not None:
            place.traces[outcome] = row[23]
    opened.add(id_, hash(key), docs, place, outcome)
    waiting = state.waiting
    if row[11] is not None or id_ in waiting.parents or id_ in waiting.marks:
        _relate(state, id_, row[11])
    return True


def _place(state: State, labels: Labels, at: int, flags: int) -> Place:
    """Return where a retrieval of some moment is counted, and expect more of the same minute."""
    minute = minute_of(at, state.time)
    place = labels.latest = state.place(labels, minute, flags)
    if at // MINUTE_MS * MINUTE_MS != minute:
        state.counting.add("ragauge_late_events_total", ("retrieval",))
        labels.until = 0
    else:
        labels.since, labels.until, labels.flags = minute, minute + MINUTE_MS, flags
    return place


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
    for mark, at in state.waiting.marks.pop(row[1], {}).items():
        meet(state, row[1], mark, at)


def _fail(state: State, place: Place, outcome: Outcome, row: Row, head: Sequence[str]) -> None:
    """Keep a retrieval as one of the worst, if it is."""
    scores = scores_of(outcome)
    if scores is None or scores.first == 1:
        return
    rank, worst = scores.first, place.worst
    if worst is None:
        if not growing(place.minute, state.time):
            return
        worst = place.worst = state.failures.worst(place.minute, place.state.key)
    if (rank or MISS) > worst.best and growing(place.minute, state.time):
        if state.failures.full(place.minute):
            worst.best = MISS
            return
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
        for mark, at in waiting.marks.pop(id_).items():
            meet(state, id_, mark, at)
