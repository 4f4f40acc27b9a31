"""Is a difference of means more than chance? Paired, over the same queries: bootstrap and sign flips."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from ragauge.offline.intervals import Z95

Array = NDArray[np.float64]
Method = Literal["bca", "basic", "none"]

RESAMPLES: Final = 5_000
FLIPS: Final = 10_000
SEED: Final = 20_260_101
_EXACT: Final = 13
_CELLS: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """The 95 % interval of a mean difference, and how it was found."""

    lower: float | None
    upper: float | None
    method: Method


def bootstrap(differences: Array, *, resamples: int = RESAMPLES, seed: int = SEED) -> list[Bounds]:
    """Return each column's bias corrected and accelerated interval of its mean (Efron 1987).

    Rows are queries, columns measures; all columns share the resamples. Where the interval is undefined
    (all resampled means on one side) it is the basic one; fewer than two queries say nothing.
    """
    n, columns = differences.shape
    if n < 2:
        return [Bounds(None, None, "none")] * columns
    means = _resampled(differences, resamples, seed)
    return [_bounds(differences[:, at], np.sort(means[:, at])) for at in range(columns)]


def _bounds(differences: Array, means: Array) -> Bounds:
    mean = float(differences.mean())
    if float(np.ptp(differences)) == 0.0:
        return Bounds(mean, mean, "basic")
    equal = np.isclose(means, mean, rtol=0.0, atol=1e-12)
    below = float(np.mean((means < mean) & ~equal)) + 0.5 * float(np.mean(equal))
    if not 0.0 < below < 1.0:
        low, high = (float(bound) for bound in np.quantile(means, [0.025, 0.975]))
        return Bounds(2 * mean - high, 2 * mean - low, "basic")
    bias = NormalDist().inv_cdf(below)
    centred = mean - differences
    acceleration = float((centred**3).sum()) / (6.0 * float((centred**2).sum()) ** 1.5)
    shares = [_adjusted(bias, acceleration, z) for z in (-Z95, Z95)]
    low, high = (float(bound) for bound in np.quantile(means, shares))
    return Bounds(low, high, "bca")


def _adjusted(bias: float, acceleration: float, z: float) -> float:
    return NormalDist().cdf(bias + (bias + z) / (1.0 - acceleration * (bias + z)))


def _resampled(values: Array, resamples: int, seed: int) -> Array:
    """Return the columns' means in every resample, a bounded number of cells at a time."""
    rng, n = np.random.default_rng(seed), len(values)
    step = max(1, _CELLS // n)
    parts: list[Array] = []
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = rng.integers(0, n, size=(rows, n)) + np.arange(rows)[:, None] * n
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        parts.append(times.astype(np.float64) @ values / n)
    return np.concatenate(parts)


def sign_flip(differences: Array, *, flips: int = FLIPS, seed: int = SEED) -> list[float]:
    """Return each column's two-sided p of its mean under random signs (Fisher's randomisation).

    Up to 13 queries that differ, all signs are tried; above, ``flips`` random ones shared by all
    columns, and p is never 0.

    >>> sign_flip(np.array([[0.5], [0.5], [0.5], [0.0]]))
    [0.25]
    """
    sizes = np.abs(differences)
    seen = np.abs(differences.sum(axis=0)) - 1e-12 * sizes.sum(axis=0)
    exact = {
        at: _exact(column[column > 0.0], seen[at])
        for at, column in enumerate(sizes.T)
        if np.count_nonzero(column) <= _EXACT
    }
    if len(exact) == sizes.shape[1]:
        return [exact[at] for at in range(sizes.shape[1])]
    extreme = _random_flips(sizes, seen, flips, seed)
    return [exact.get(at, (int(count) + 1) / (flips + 1)) for at, count in enumerate(extreme)]


def _exact(sizes: Array, seen: float) -> float:
    n = len(sizes)
    signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    return float(np.mean(np.abs(signs @ sizes) >= seen))


def _random_flips(sizes: Array, seen: Array, flips: int, seed: int) -> Array:
    sizes = sizes[sizes.any(axis=1)]
    rng, n, total = np.random.default_rng(seed), len(sizes), sizes.sum(axis=0)
    extreme = np.zeros(sizes.shape[1])
    step = max(1, _CELLS // n)
    for start in range(0, flips, step):
        bits = rng.integers(0, 2, size=(min(step, flips - start), n), dtype=np.int8)
        extreme += np.sum(np.abs(2.0 * (bits.astype(np.float64) @ sizes) - total) >= seen, axis=0)
    return extreme


def holm(values: dict[str, float]) -> dict[str, float]:
    """Return p values adjusted for being the smallest of several (Holm 1979).

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    adjusted: dict[str, float] = {}
    highest, left = 0.0, len(values)
    for name, p in sorted(values.items(), key=lambda item: item[1]):
        highest = max(highest, min(1.0, p * left))
        adjusted[name] = highest
        left -= 1
    return {name: adjusted[name] for name in values}
