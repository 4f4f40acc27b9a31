"""The recovery detector: after an alarm, bets that the mean has risen above half way back."""

import math
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from ragauge_service.core.bets import FRACTIONS, MIDDLE, Counts, Floats, log_mean

LOG_CLEAR: Final = math.log(1_000)
"""While the mean stays half way down, at least so many observations pass to a wrong all-clear."""

SMALLEST: Final = 0.02
"""The least drop, as a share of the baseline, from which a recovery is told."""


@dataclass(slots=True)
class Recovery:
    """D x M recovery detectors; ``level`` is the sums (n, deficit) since onset by which the drop is sized.

    The level is only brought up to date when the middle bet's CUSUM restarts, so that the recovery
    itself does not move it.
    """

    log_r: Floats
    cusum: Floats
    level: Floats

    @classmethod
    def fresh(cls, rows: int, measures: int) -> "Recovery":
        """Return detectors that have seen nothing."""
        return cls(
            np.full((rows, measures, len(FRACTIONS)), -np.inf),
            np.zeros((rows, measures)),
            np.zeros((rows, measures, 2)),
        )

    def grow(self, rows: int) -> None:
        """Append fresh detectors until there are ``rows``."""
        more = rows - len(self.log_r)
        if more > 0:
            fresh = Recovery.fresh(more, self.log_r.shape[1])
            for part in fields(self):
                joined = np.concatenate([getattr(self, part.name), getattr(fresh, part.name)])
                setattr(self, part.name, joined)

    def start(self, at: tuple[Counts, Counts], n: Floats, deficit: Floats) -> None:
        """Begin to look for the recovery of these (rows, measures) from a drop of ``deficit`` over ``n``."""
        self.log_r[at] = -np.inf
        self.cusum[at] = 0.0
        self.level[at] = np.stack([n, deficit], axis=-1)

    def half(self, row: int, measure: int) -> float:
        """Return half the mean deficit."""
        n, deficit = self.level[row, measure]
        return max(0.0, float(deficit) / max(float(n), 1.0)) / 2

    def update(self, row: int, measure: int, growth: Floats, n: float, since: Floats) -> bool:
        """Add one batch (``growth`` is J long, ``since`` n and deficit since onset before it).

        Returns:
            Whether the drop is over.
        """
        if self.cusum[row, measure] <= 0.0:
            self.level[row, measure] = since
        self.cusum[row, measure] = max(float(self.cusum[row, measure]), 0.0) + growth[MIDDLE]
        with np.errstate(divide="ignore"):
            self.log_r[row, measure] = growth + np.logaddexp(self.log_r[row, measure], np.log(n))
        return bool(log_mean(self.log_r[row, measure][None])[0] >= LOG_CLEAR)
