"""What the detectors say, in words and numbers for people."""

from typing import Final

import numpy as np

from ragauge_service.core.baseline import HOUR_MS
from ragauge_service.core.bets import Floats
from ragauge_service.core.guards import REASONS, STOPPED
from ragauge_service.core.planning import observations_needed
from ragauge_service.core.size import Size, size_since
from ragauge_service.core.snapshot import DropState, DropStatus
from ragauge_service.core.watch_state import EXPECTED, LEVEL, PHI, WatchSettings, WatchState

TOO_LONG_MS: Final = 28 * 24 * HOUR_MS
"""Who needs longer to see a 10 % drop is told that there is too little traffic."""

SLOW: Final = "too_little_traffic"

MARK_BEFORE_MS: Final = 30 * 60_000
"""How long after a deployment an onset is still said to follow it."""

MARK_AFTER_MS: Final = 60_000
"""By how much an onset may be dated too early."""


def report(state: WatchState, settings: WatchSettings) -> tuple[DropStatus, ...]:
    """Return one status per row and measure."""
    log_a = state.log_threshold(settings.false_alarm_days)
    log_e, needed = state.detectors.log_e(), _needed(state, settings, log_a)
    held, slow = _held(state), needed > (_per_ms(state) * TOO_LONG_MS)[:, None]
    return tuple(
        _status(
            state, row, m, name,
            (held[row], SLOW if slow[row, m] else None),
            (float(log_e[row, m]), log_a, float(needed[row, m])),
        )
        for row in range(len(state.roster))
        for m, name in enumerate(settings.measures)
    )  # fmt: skip


def _needed(state: WatchState, settings: WatchSettings, log_a: float) -> Floats:
    """Return how many observations a 10 % drop takes, rows x M."""
    counts = _totals(state)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    level, phi = np.nan_to_num(state.now[LEVEL]), np.nan_to_num(state.now[PHI], nan=1.0)
    return observations_needed(shares, settings.values, level, phi, log_a)


def _status(
    state: WatchState,
    row: int,
    m: int,
    measure: str,
    reasons: tuple[str | None, str | None],
    numbers: tuple[float, float, float],
) -> DropStatus:
    (held, slow), (log_e, log_a, needed) = reasons, numbers
    key, said = state.roster.keys[row], _state(state, row, m, held)
    known = not np.isnan(state.now[EXPECTED, row, m])
    size, onset = _since_onset(state, row, m) if said == "alarm" else (None, None)
    why = {"held": held, "alarm": _deployment(state, onset), "ok": slow, "learning": None}
    return DropStatus(
        category=key.category,
        retriever=key.retriever,
        evidence=key.evidence,
        measure=measure,
        state=said,
        reason=why[said],
        baseline=float(state.now[EXPECTED, row, m]) if known else None,
        log_e=log_e if np.isfinite(log_e) else None,
        threshold=log_a,
        onset=onset,
        size=None if size is None else size.mean,
        size_lower=None if size is None else size.lower,
        size_upper=None if size is None else size.upper,
        observations_needed=int(np.ceil(needed)) if known and np.isfinite(needed) else None,
    )


def _state(state: WatchState, row: int, m: int, held: str | None) -> DropState:
    if state.alarms.standing[row, m]:
        return "alarm" if held in {None, STOPPED} else "held"
    if np.isnan(state.now[EXPECTED, row, m]):
        return "learning"
    return "ok" if held is None else "held"


def _held(state: WatchState) -> list[str | None]:
    """Return per row why its alarms are held back, None where they are not."""
    silent = state.guards.silent(state.at or 0, _per_ms(state))
    return [
        REASONS[code] or (STOPPED if quiet else None)
        for code, quiet in zip(state.guards.active.tolist(), silent.tolist(), strict=True)
    ]


def _per_ms(state: WatchState) -> Floats:
    """Return each row's usual traffic, from its reference; a parent's is the sum of its members'."""
    hours = np.maximum((state.at or 0) // HOUR_MS - state.reference.first_hour + 1, 1)
    return _with_members(state, state.reference.by_hour.sum(axis=(1, 2)) / (hours * HOUR_MS))


def _totals(state: WatchState) -> Floats:
    """Return the reference's outcomes, rows x outcomes; a parent's are its members'."""
    return _with_members(state, state.reference.by_hour.sum(axis=1).astype(np.float64))


def _with_members(state: WatchState, parts: Floats) -> Floats:
    """Return the same, with what members have added to their parents, which have none of their own."""
    total = parts.copy()
    for column in state.roster.parents.T:
        members = column >= 0
        np.add.at(total, column[members], parts[members])
    return total


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
