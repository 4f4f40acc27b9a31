"""A batch of outcomes beside what was to be expected of it: predictable, from the past alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragauge_service.core.bets import Counts, Floats
from ragauge_service.core.watch_state import WatchSettings, WatchState


@dataclass(frozen=True, slots=True)
class Batch:
    """What A rows saw since the last call (A x outcomes), and what was expected of them (A x M).

    ``level`` is the mean that the detector bets against: what is expected, minus slack and doubt.
    """

    rows: Counts
    counts: Counts
    expected: Floats
    level: Floats
    variance: Floats
    phi: Floats
    ready: NDArray[np.bool_]

    @property
    def n(self) -> Floats:
        """Return how many outcomes each row saw."""
        return self.counts.sum(axis=1).astype(np.float64)


def expect(state: WatchState, settings: WatchSettings, rows: Counts, counts: Counts, at: int) -> Batch:
    """Return a batch with its expectations at ``at`` (Unix milliseconds)."""
    phi = state.dispersion.phi(rows)
    normal = state.reference.expected(rows, at, settings.values, phi)
    doubt = np.where(normal.n < settings.settled, 2.0, 0.0)[:, None] * normal.error
    pinned = _objectives(state, settings, rows)
    free = np.isnan(pinned)
    level = np.where(free, normal.mean * (1.0 - settings.slack) - doubt - normal.swing, pinned)
    expected = np.where(free, normal.mean, pinned)
    ready = (normal.n >= settings.learning)[:, None] | ~free
    return Batch(rows, counts, expected, np.clip(level, 0.0, 1.0), normal.variance, phi, ready)


def _objectives(state: WatchState, settings: WatchSettings, rows: Counts) -> Floats:
    """Return the pinned objectives, rows x M, NaN where there is none."""
    names = [state.roster.keys[int(row)].category or "" for row in rows]
    wanted = [[settings.objectives.get((name, m), np.nan) for m in settings.measures] for name in names]
    return np.array(wanted, np.float64).reshape(len(rows), len(settings.measures))


def deficit_sums(counts: Counts, values: Floats, expected: Floats) -> Floats:
    """Return n, the sum of deficits, of their squares, and of what was expected: rows x M x 4."""
    gaps = expected[..., None] - values
    n = np.broadcast_to(counts.sum(axis=1)[:, None], expected.shape).astype(np.float64)
    weighted = counts[:, None, :] * gaps
    return np.stack([n, weighted.sum(axis=2), (weighted * gaps).sum(axis=2), n * expected], axis=-1)
