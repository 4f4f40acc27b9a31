"""Feeding the guards, and what follows when one becomes active or is lifted."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ragauge_service.core.bets import Counts, Floats
from ragauge_service.core.expectation import Batch
from ragauge_service.core.family import Family
from ragauge_service.core.guards import COVERAGE, SAMPLING, SAMPLING_MS, SIGNALS, VANISHED, Surroundings
from ragauge_service.core.series import Series
from ragauge_service.core.watch_state import EXPECTED, WatchState

RETRIEVALS, UNJUDGED, NONEMPTY, JUDGED, SAMPLED = range(5)


def guard(state: WatchState, batch: Batch, around: Mapping[Series, Surroundings], at: int) -> None:
    """Take in a batch and its surroundings, and hold back or let go of the alarms of each row."""
    totals = _surround(state, around, at)
    if len(batch.rows):
        _runs(state, batch, totals)
        state.guards.last_seen[Family.of(batch.rows, state.roster.parents).rows] = at
    active = _codes(state, at)
    lifted = np.flatnonzero((state.guards.active > 0) & (active == 0))
    state.guards.active = active
    if len(lifted):
        state.alarms.clear(lifted)
        state.detectors.reset(lifted)
        state.release(lifted)


def _surround(state: WatchState, around: Mapping[Series, Surroundings], at: int) -> Floats:
    """Add what else happened; return its sums, all rows x 5."""
    totals = np.zeros((len(state.roster), 5))
    for series, what in around.items():
        totals[state.roster.row(series)] += (
            what.retrievals, what.unjudged, what.nonempty, what.judged, what.sampling_changed,
        )  # fmt: skip
    rows = np.flatnonzero(totals.any(axis=1))
    if len(rows):
        state.guards.sampling_until[totals[:, SAMPLED] > 0] = at + SAMPLING_MS
        family = Family.of(rows, state.roster.parents)
        totals[family.rows] = family.sum(totals[rows])
        seen = totals[family.rows]
        state.guards.cover(family.rows, seen[:, RETRIEVALS], seen[:, RETRIEVALS] - seen[:, UNJUDGED])
    return totals


def _runs(state: WatchState, batch: Batch, totals: Floats) -> None:
    """Prolong or end the runs in which nothing was clicked, or no judged document occurred at all."""
    family = Family.of(batch.rows, state.roster.parents)
    hits = family.sum(batch.n - batch.counts[:, -1])
    around = totals[family.rows]
    none_judged = (around[:, NONEMPTY] > 0) & (around[:, JUDGED] == 0)
    empty = (hits == 0) & (_clicks(state)[family.rows] | none_judged)
    state.guards.runs(family.rows, family.sum(batch.n), empty, state.now[EXPECTED, family.rows, -1])


def _codes(state: WatchState, at: int) -> Counts:
    """Return each row's guard; a retriever's vanished ids and the end of all signals concern all its rows."""
    guards, roster, clicks = state.guards, state.roster, _clicks(state)
    codes = np.where(guards.coverage_fell(), COVERAGE, 0)
    codes = np.where(at < guards.sampling_until, SAMPLING, codes)
    hopeless = guards.hopeless()
    retriever, everything = _parent(roster.parents, 0), _parent(roster.parents, 1)
    codes = np.where(hopeless[retriever] & ~clicks, VANISHED, codes)
    return np.where(hopeless[everything] & clicks, SIGNALS, codes).astype(np.int64)


def _parent(parents: Counts, column: int) -> Counts:
    """Return each row's parent, itself where it has none."""
    return np.where(parents[:, column] >= 0, parents[:, column], np.arange(len(parents)))


def _clicks(state: WatchState) -> NDArray[np.bool_]:
    return np.array([key.evidence == "clicks" for key in state.roster.keys], np.bool_)
