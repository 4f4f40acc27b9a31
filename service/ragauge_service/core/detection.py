"""The mixture e-Shiryaev-Roberts detector, and beside it the parallel CUSUM that dates a drop.

R_j <- [1 + lambda_j (b - x)]^(1/phi) (R_j + 1), alarm when the mean of the R_j reaches A (Shin, Ramdas and
Rinaldo, "E-detectors", 2022). While the mean of x is at least b, the mean of R_j grows by at most one an
observation in expectation: hence at least A observations to a false alarm, whatever the distribution
and however often one looks. In batches of n: R_j <- exp(growth) (R_j + n), the same bound.
"""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ragauge_service.core.bets import FRACTIONS, Counts, Floats, log_mean

SUMS = 4
"""n, the sum of deficits (baseline - x), of their squares, and of the baselines."""


@dataclass(slots=True)
class Detectors:
    """The state of D x M detectors as arrays; the last axis of the first four is the bet.

    ``log_r`` and ``cusum`` are natural logarithms; ``restart_at`` is when the CUSUM last left zero, in the
    caller's units of time; ``restart_sums`` what ``sums`` were then.
    """

    log_r: Floats
    cusum: Floats
    restart_at: Counts
    restart_sums: Floats
    sums: Floats

    @classmethod
    def fresh(cls, rows: int, measures: int) -> Self:
        """Return detectors that have seen nothing.

        >>> Detectors.fresh(3, 2).log_r.shape
        (3, 2, 8)
        """
        shape = (rows, measures, len(FRACTIONS))
        return cls(
            log_r=np.full(shape, -np.inf),
            cusum=np.zeros(shape),
            restart_at=np.zeros(shape, np.int64),
            restart_sums=np.zeros((*shape, SUMS)),
            sums=np.zeros((rows, measures, SUMS)),
        )

    def grow(self, rows: int) -> None:
        """Append fresh detectors until there are ``rows``."""
        more = rows - len(self.log_r)
        if more > 0:
            fresh = Detectors.fresh(more, self.log_r.shape[1])
            for part in fields(self):
                joined = np.concatenate([getattr(self, part.name), getattr(fresh, part.name)])
                setattr(self, part.name, joined)

    def update(self, rows: Counts, growth: Floats, sums: Floats, since: int | Counts) -> None:
        """Add one batch: ``growth`` (rows x M x J, already over phi) and ``sums`` (rows x M x 4).

        ``since`` is when the batch began: the onset, should an excursion begin with it.
        """
        cusum, n = self.cusum[rows], sums[..., :1]
        restarted = cusum <= 0.0
        self.restart_at[rows] = np.where(restarted, since, self.restart_at[rows])
        self.restart_sums[rows] = np.where(
            restarted[..., None], self.sums[rows][:, :, None, :], self.restart_sums[rows]
        )
        self.cusum[rows] = np.maximum(cusum, 0.0) + growth
        with np.errstate(divide="ignore"):
            self.log_r[rows] = growth + np.logaddexp(self.log_r[rows], np.log(n))
        self.sums[rows] += sums

    def reset(self, rows: Counts | NDArray[np.bool_], measures: Counts | slice = slice(None)) -> None:
        """Forget all evidence: after a recovery, an acknowledgement, or a time of which nothing is known."""
        self.log_r[rows, measures] = -np.inf
        self.cusum[rows, measures] = 0.0

    def log_e(self) -> Floats:
        """Return the logarithm of the mean of the R_j, D x M."""
        return log_mean(self.log_r)

    def leading(self) -> Counts:
        """Return which bet's CUSUM has the most evidence, D x M: its last restart is the onset."""
        return self.cusum.argmax(axis=-1)
