"""How many observations a drop takes to be seen: said before it happens."""

from typing import Final

import numpy as np

from ragauge_service.core.bets import FRACTIONS, HIGHEST, Floats

DROP: Final = 0.10
"""The drop that is planned for, as a share of the mean: lost to misses."""

AHEAD: Final = 0.6
"""What normal traffic has gathered when a drop begins, less what sharing among bettors costs: fitted.

With it the estimate meets the simulated median within a tenth (``tests/statistics/test_planning.py``).
"""


def observations_needed(
    shares: Floats, values: Floats, level: Floats, phi: Floats, log_threshold: float
) -> Floats:
    """Return how many observations a drop of ``DROP`` takes, D x M; infinity where it is never seen.

    ``shares`` is D x V, how often each outcome is normal; ``level`` the detectors' baselines (D x M), with
    slack and standard errors taken off. The evidence of one observation, 1/rate of them, has to grow to
    the threshold at the rate of the best bettor, phi times slower when outcomes resemble each other.
    """
    missed = shares * (1.0 - DROP)
    missed[:, -1] += DROP
    clipped = np.clip(level, 0.0, HIGHEST)[..., None]
    stakes = FRACTIONS / (1.0 - clipped)
    factors = np.log1p(stakes[..., None] * (clipped - values)[..., None, :])
    rate = np.einsum("dmjv,dv->dmj", factors, missed).max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        way = log_threshold - AHEAD + np.log(np.minimum(rate, 1.0))
        return np.where(rate > 0, np.maximum(way, 1.0) / rate * phi, np.inf)
