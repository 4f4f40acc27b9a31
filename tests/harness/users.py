"""Users who click on ten results, by the two pictures that click models have of them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Clicks = NDArray[np.bool_]
Chances = NDArray[np.float64]

DEPTH: Final = 10
ATTRACTIVE: Final = np.array([0.6, 0.4, 0.3, 0.25, 0.2, 0.18, 0.16, 0.14, 0.12, 0.1])
DISCOUNTS: Final = 1.0 / np.log2(np.arange(2, DEPTH + 2))


def position_based(rng: np.random.Generator, n: int, attractive: Chances) -> Clicks:
    """Return the clicks of ``n`` users who look at rank r with probability 1/r, n x DEPTH."""
    looked = 1.0 / np.arange(1, DEPTH + 1)
    return rng.random((n, DEPTH)) < looked * attractive


def dynamic_bayesian(rng: np.random.Generator, n: int, attractive: Chances, satisfied: float) -> Clicks:
    """Return the clicks of ``n`` users who read down and stop when a click has satisfied them."""
    clicks, reading = np.zeros((n, DEPTH), np.bool_), np.ones(n, np.bool_)
    for rank in range(DEPTH):
        clicks[:, rank] = reading & (rng.random(n) < attractive[rank])
        reading &= ~(clicks[:, rank] & (rng.random(n) < satisfied))
    return clicks


def cells_of(clicks: Clicks) -> list[int]:
    """Return clicks by rank and looks by rank, summed: an independent count of what clicks.py adds up."""
    last = np.where(clicks.any(axis=1), DEPTH - np.argmax(clicks[:, ::-1], axis=1), DEPTH)
    looks = [int((last >= rank).sum()) for rank in range(1, DEPTH + 1)]
    return [*(int(count) for count in clicks.sum(axis=0)), *looks]


def reciprocal_ranks(clicks: Clicks) -> Chances:
    """Return the reciprocal rank of each user's first click, 0 without one."""
    return np.where(clicks.any(axis=1), 1.0 / (np.argmax(clicks, axis=1) + 1), 0.0)
