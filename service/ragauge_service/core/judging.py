"""Judgments come in: they are in force from here on, and score again what is still open of their query."""

from ragauge.events import JudgmentsEvent
from ragauge_service.core.judged import Query
from ragauge_service.core.opened import Spot
from ragauge_service.core.outcomes import VOID, Outcome, matured, scores_of
from ragauge_service.core.places import FLOATING, Place
from ragauge_service.core.state import State, retained_ms


def judge(state: State, event: JudgmentsEvent) -> bool:
    """Take in judgments; False, and nothing was changed, when their category is not admitted yet."""
    known = state.book.get(event.key)
    if not state.naming.knows(event.category) or not state.naming.knows(known.category if known else None):
        return False
    changed = state.book.apply(event, state.entry, state.time - retained_ms(state.config))
    if changed:
        query = state.book.get(event.key)
        since = state.time - state.config.rescore_horizon_ms
        for spot in state.opened.of_query(hash(event.key), since):
            if state.is_open(spot):
                _score_again(state, spot, query)
    return True


def _score_again(state: State, spot: Spot, query: Query | None) -> None:
    old: Outcome = spot.segment.outcomes[spot.row]
    if old is VOID:
        return
    new = state.outcomes.of(query, state.opened.docs(spot))
    had_matured = matured(old)
    if had_matured:
        new = state.outcomes.again(new)
    place: Place = spot.segment.places[spot.row]
    target = _settled(state, place, query)
    if new is old and target is place:
        return
    spot.segment.outcomes[spot.row] = new
    state.moved(spot, target)
    state.board.correct(place, old, -1)
    if had_matured or scores_of(new) is None:
        state.board.correct(target, new, 1)
    else:
        state.board.count(target, new)
    start = spot.row * 16
    state.failures.drop(place.minute, place.state.key, bytes(spot.segment.ids[start : start + 16]))


def _settled(state: State, place: Place, query: Query | None) -> Place:
    """Return where a retrieval belongs once judgments have named its category for good."""
    if query is None or not place.flags & FLOATING:
        return place
    labels = place.labels
    if query.category is not None:
        labels = state.naming.relabelled(labels, query.category)
    return state.place(labels, place.minute, place.flags & ~FLOATING)
