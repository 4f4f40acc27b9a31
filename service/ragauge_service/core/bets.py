"""Bets against "the mean is still at least the baseline": what each outcome multiplies the evidence by.

Outcomes come as histograms: ``values`` names what an outcome is worth, in [0, 1], and ``counts`` how often
it was seen. Axes are always in this order: D detectors, M measures, J bets, V outcomes.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

FRACTIONS: Final[Floats] = np.geomspace(0.02, 0.95, 8)
"""How much of the largest safe bet each of the eight bettors stakes: small for small drops."""

MIDDLE: Final = 4
"""The bettor that decides when an excursion has ended: best against drops of about 13 %."""

HIGHEST: Final = 0.999
"""No baseline lies above: a mean of exactly 1 could be refuted by one miss."""


def rank_values(measure: str, depth: int) -> Floats:
    """Return what a first relevant rank of 1..depth, and a miss, is worth to ``MRR@k`` or ``hit@k``.

    Raises:
        KeyError: another measure, or a cutoff beyond ``depth``.

    >>> rank_values("MRR@2", 3).tolist(), rank_values("hit@2", 3).tolist()
    ([1.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0])
    """
    name, _, cutoff = measure.partition("@")
    k = int(cutoff or depth)
    if name not in {"MRR", "hit"} or not 1 <= k <= depth:
        raise KeyError(measure)
    ranks = np.arange(1, depth + 1)
    worth = 1.0 / ranks if name == "MRR" else np.ones(depth)
    return np.append(np.where(ranks <= k, worth, 0.0), 0.0)


def bin_values(bins: int) -> Floats:
    """Return the values of a measure in [0, 1] that is counted in ``bins`` + 1 evenly spaced bins.

    Rounding every outcome to its nearest bin moves a mean by less than half a bin, and the baseline,
    counted in the same bins, moves with it.

    >>> bin_values(4).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    return np.linspace(0.0, 1.0, bins + 1)


def drop_growth(counts: Counts, values: Floats, baseline: Floats) -> Floats:
    """Return the logarithm by which these outcomes multiply each bet that the mean fell below ``baseline``.

    ``counts`` is D x V, ``values`` M x V, ``baseline`` D x M; the result is D x M x J, the sum over outcomes
    of n_v log(1 + lambda_j (b - v)) with lambda_j = f_j / (1 - b), so that no factor falls below 1 - f_j.
    """
    level = np.clip(baseline, 0.0, HIGHEST)
    stakes = FRACTIONS / (1.0 - level)[..., None]
    gaps = level[..., None] - values
    return _growth(counts, stakes, gaps)


def rise_growth(counts: Counts, values: Floats, level: Floats) -> Floats:
    """Return the same for bets that the mean rose above ``level``; no factor falls below 1 - f_j."""
    floor = np.clip(level, 1.0 - HIGHEST, 1.0)
    stakes = FRACTIONS / floor[..., None]
    gaps = values - floor[..., None]
    return _growth(counts, stakes, gaps)


def _growth(counts: Counts, stakes: Floats, gaps: Floats) -> Floats:
    factors = np.log1p(stakes[..., None] * gaps[..., None, :])
    return np.einsum("dmjv,dv->dmj", factors, counts.astype(np.float64))


def log_mean(logs: Floats) -> Floats:
    """Return the logarithm of the mean over the last axis of numbers given by their logarithms.

    >>> float(np.exp(log_mean(np.log([1.0, 3.0]))).round(12))
    2.0
    """
    highest = logs.max(axis=-1)
    safe = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        return safe + np.log(np.exp(logs - safe[..., None]).mean(axis=-1))
