"""Signals meet their retrievals, and retrievals are scored by them when their horizon has passed."""

from collections.abc import Sequence
from typing import Any, Final

from ragauge.events import SIGNAL_KINDS
from ragauge.measures import Judgments
from ragauge_service.core.clicks import click_cells
from ragauge_service.core.feedback import CLICK, DWELL, SHORT_DWELL, Mark, aside, liked, mark_of
from ragauge_service.core.opened import Segment, Spot
from ragauge_service.core.places import CLICKABLE, CLICKS, Place
from ragauge_service.core.state import State

Row = Sequence[Any]

_NOBODY: Final[Judgments[int]] = Judgments({})


def signal(state: State, row: Row) -> None:
    """Take in a checked signal: it meets its retrieval, waits for it, or comes too late."""
    id_, mark = row[1], mark_of(row[3], row[2], row[4])
    spot = state.find(id_)
    if spot is None:
        if not state.waiting.signal(id_, mark, row[5], state.time):
            state.counting.add("ragauge_duplicate_signals_total")
    else:
        _meet(state, spot, id_, mark, row[5])


def meet(state: State, id_: bytes, mark: Mark, at: int) -> None:
    """Let a signal that has waited, or that came to a further page, meet its retrieval."""
    spot = state.find(id_)
    if spot is not None:
        _meet(state, spot, id_, mark, at)


def _meet(state: State, spot: Spot, id_: bytes, mark: Mark, at: int) -> None:
    if state.time >= spot.time + state.config.join_horizon_ms:
        state.counting.add("ragauge_late_events_total", ("signal",))
    elif id_ in state.pages:
        meet(state, state.pages[id_][0], mark, at)
    else:
        _mark(state, spot, mark, at)


def _mark(state: State, spot: Spot, mark: Mark, at: int) -> None:
    marks = state.marks.setdefault(spot.position, {})
    if mark in marks:
        state.counting.add("ragauge_duplicate_signals_total")
        return
    marks[mark] = at
    if mark.kind == CLICK:  # by arrival: that is what the horizon cuts
        state.counting.observe("ragauge_click_delay_seconds", (), (state.time - spot.time) / 1_000)
    place: Place = spot.segment.places[spot.row]
    labels = place.labels
    kind = SIGNAL_KINDS[DWELL if mark.kind >= SHORT_DWELL else mark.kind]
    state.counting.add("ragauge_signals_total", (labels.category, labels.retriever, kind))
    if place.flags & CLICKABLE and labels.group.started is None:
        labels.group.started = spot.position


def mature(state: State) -> None:
    """Score by their clicks the retrievals whose join horizon has passed, in the order they came in."""
    before = state.time - state.config.join_horizon_ms
    for segment, start, end in state.opened.between(state.matured, before):
        for index in range(start, end):
            position = segment.first + index
            place: Place = segment.places[index]
            started = place.labels.group.started
            if place.flags & CLICKABLE and started is not None and position >= started:
                _score(state, segment, index, place)
            elif state.marks:
                state.marks.pop(position, None)
        state.matured = segment.first + end


def _score(state: State, segment: Segment, index: int, place: Place) -> None:
    docs = state.opened.docs(Spot(segment, index, 0))
    marks = state.marks.pop(segment.first + index, None)
    reason = aside(marks, len(docs)) if marks else None
    if reason is not None:
        names = (place.labels.category, place.labels.retriever, reason)
        state.counting.add("ragauge_unscored_retrievals_total", names)
        return
    gains = liked(marks) if marks else {}
    judgments = Judgments(gains) if gains else _NOBODY
    scores, _, _ = state.outcomes.scorer.score(judgments, docs)
    clicked = state.place(place.labels, place.minute, CLICKS)
    state.board.count(clicked, scores)
    ranks = [rank for rank, doc in enumerate(docs, start=1) if doc in gains]
    state.board.click(clicked, click_cells(len(docs), ranks, state.config.depth))
