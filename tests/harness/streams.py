"""Streams of first relevant ranks with a wished mean, for tests and benchmarks."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Shares = NDArray[np.float64]

RANKS: Final = np.array([0.46, 0.15, 0.07, 0.045, 0.03, 0.02, 0.015, 0.01, 0.008, 0.007])
RECIPROCAL: Final = np.append(1.0 / np.arange(1, 11), 0.0)
HIT: Final = np.append(np.ones(10), 0.0)
RAW: Final = np.append(RANKS, 1.0 - RANKS.sum())


def tilted(mean: float, shares: Shares = RAW) -> Shares:
    """Return the shares of rank 1..10 and miss, exponentially tilted to this mean reciprocal rank."""
    low, high = -30.0, 30.0
    while high - low > 1e-12:
        tilt = (low + high) / 2
        low, high = (tilt, high) if _tilt(shares, tilt) @ RECIPROCAL < mean else (low, tilt)
    return _tilt(shares, low)


def _tilt(shares: Shares, by: float) -> Shares:
    weights = shares * np.exp(by * RECIPROCAL)
    return weights / weights.sum()


BASE: Final = tilted(0.6)


def missed(shares: Shares, share: float) -> Shares:
    """Return the shares after ``share`` of all hits became misses."""
    result = shares * (1.0 - share)
    result[-1] += share
    return result
