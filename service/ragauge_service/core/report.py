"""What the detectors say, in words and numbers for people."""

from typing import Final

import numpy as np

from ragauge_service.core.bets import Floats
from ragauge_service.core.planning import observations_needed
from ragauge_service.core.size import Size, size_since
from ragauge_service.core.snapshot import DropState, DropStatus
from ragauge_service.core.watch_state import EXPECTED, LEVEL, PHI, WatchSettings, WatchState

MARK_BEFORE_MS: Final = 30 * 60_000
"""How long after a deployment an onset is still said to follow it."""

MARK_AFTER_MS: Final = 60_000
"""By how much an onset may be dated too early."""


def report(state: WatchState, settings: WatchSettings) -> tuple[DropStatus, ...]:
    """Return one status per row and measure."""
    log_a = state.log_threshold(settings.false_alarm_days)
    log_e, needed = state.detectors.log_e(), _needed(state, settings, log_a)
    return tuple(
        _status(state, row, m, name, (float(log_e[row, m]), log_a, float(needed[row, m])))
        for row in range(len(state.roster))
        for m, name in enumerate(settings.measures)
    )


def _needed(state: WatchState, settings: WatchSettings, log_a: float) -> Floats:
    """Return how many observations a 10 % drop takes, rows x M; a parent's outcomes are its members'."""
    counts = state.reference.by_hour.sum(axis=1).astype(np.float64)
    for column in state.roster.parents.T:
        members = column >= 0
        np.add.at(counts, column[members], counts[members])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    level, phi = np.nan_to_num(state.now[LEVEL]), np.nan_to_num(state.now[PHI], nan=1.0)
    return observations_needed(shares, settings.values, level, phi, log_a)


def _status(
    state: WatchState, row: int, m: int, measure: str, numbers: tuple[float, float, float]
) -> DropStatus:
    key, said, (log_e, log_a, needed) = state.roster.keys[row], _state(state, row, m), numbers
    known = said != "learning"
    size, onset = _since_onset(state, row, m) if said == "alarm" else (None, None)
    return DropStatus(
        category=key.category,
        retriever=key.retriever,
        evidence=key.evidence,
        measure=measure,
        state=said,
        reason=_deployment(state, onset),
        baseline=float(state.now[EXPECTED, row, m]) if known else None,
        log_e=log_e if np.isfinite(log_e) else None,
        threshold=log_a,
        onset=onset,
        size=None if size is None else size.mean,
        size_lower=None if size is None else size.lower,
        size_upper=None if size is None else size.upper,
        observations_needed=int(np.ceil(needed)) if known and np.isfinite(needed) else None,
    )


def _state(state: WatchState, row: int, m: int) -> DropState:
    if state.alarms.standing[row, m]:
        return "alarm"
    return "learning" if np.isnan(state.now[EXPECTED, row, m]) else "ok"


def _since_onset(state: WatchState, row: int, m: int) -> tuple[Size | None, int]:
    gone = state.detectors.sums[row, m] - state.alarms.onset_sums[row, m]
    n, deficit, squares, baselines = (float(part) for part in gone)
    phi = max(float(np.nan_to_num(state.now[PHI, row, m], nan=1.0)), 1.0)
    return size_since(n, deficit, squares, baselines, phi), int(state.alarms.onset[row, m])


def _deployment(state: WatchState, onset: int | None) -> str | None:
    """Return the deployment that an onset followed, if there is one."""
    if onset is None:
        return None
    first, last = onset - MARK_BEFORE_MS, onset + MARK_AFTER_MS
    near = [(abs(onset - at), at, label) for at, label in state.marks if first <= at <= last]
    if not near:
        return None
    apart, at, label = min(near)
    return f"{label}, {apart // 1000} s {'before' if at <= onset else 'after'} the onset"
