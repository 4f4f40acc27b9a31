"""Which detectors stand in alarm, since when, and what had been seen by then."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ragauge_service.core.bets import Counts, Floats
from ragauge_service.core.detection import SUMS, Detectors


@dataclass(slots=True)
class Alarms:
    """D x M latches; times are Unix milliseconds, ``onset_sums`` the detectors' sums at the onset."""

    standing: NDArray[np.bool_]
    onset: Counts
    onset_sums: Floats

    @classmethod
    def fresh(cls, rows: int, measures: int) -> "Alarms":
        """Return latches of which none stands."""
        shape = (rows, measures)
        return cls(np.zeros(shape, np.bool_), np.zeros(shape, np.int64), np.zeros((*shape, SUMS)))

    def grow(self, rows: int) -> None:
        """Append open latches until there are ``rows``."""
        more = rows - len(self.standing)
        if more > 0:
            fresh = Alarms.fresh(more, self.standing.shape[1])
            for part in fields(self):
                joined = np.concatenate([getattr(self, part.name), getattr(fresh, part.name)])
                setattr(self, part.name, joined)

    def latch(self, detectors: Detectors, log_threshold: float) -> tuple[Counts, Counts]:
        """Latch what has reached the threshold; the onset is the leading CUSUM's last restart.

        Returns:
            The rows and measures that were latched now.
        """
        rows, measures = np.nonzero((detectors.log_e() >= log_threshold) & ~self.standing)
        new = rows.astype(np.int64), measures.astype(np.int64)
        if len(new[0]):
            leading = detectors.leading()[new]
            self.standing[new] = True
            self.onset[new] = detectors.restart_at[(*new, leading)]
            self.onset_sums[new] = detectors.restart_sums[(*new, leading)]
        return new

    def clear(self, rows: Counts | int, measures: Counts | int | slice = slice(None)) -> None:
        """Open latches."""
        self.standing[rows, measures] = False
