"""phi: by how much successive outcomes resemble each other, from blocks of fifty.

Users ask the same thing several times in a row, so outcomes come in clumps and their mean swings more than
that of independent ones. phi is the variance of block sums over what independence would give; the
detector's evidence is divided by it.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from ragauge_service.core.bets import Counts, Floats

BLOCK: Final = 50
"""How many observations a block has at least: several times longer than a clump."""

ENOUGH: Final = 10
"""Below as many blocks nothing is known of phi, and it is 1."""


@dataclass(slots=True)
class Dispersion:
    """The blocks of D rows by M measures; ``new_*`` wait, as the reference's quarantine does."""

    open_n: Floats
    open_gap: Floats
    sums: Floats
    blocks: Floats
    new_sums: Floats
    new_blocks: Floats

    @classmethod
    def fresh(cls, rows: int, measures: int) -> "Dispersion":
        """Return blocks that hold nothing."""
        wide, narrow = np.zeros((rows, measures)), np.zeros((rows, 1))
        parts = (narrow, wide, wide, narrow, wide, narrow)
        return cls(*(part.copy() for part in parts))

    def grow(self, rows: int) -> None:
        """Append rows until there are ``rows``."""
        more = rows - len(self.open_n)
        if more > 0:
            fresh = Dispersion.fresh(more, self.open_gap.shape[1])
            for part in fields(self):
                joined = np.concatenate([getattr(self, part.name), getattr(fresh, part.name)])
                setattr(self, part.name, joined)

    def add(self, rows: Counts, n: Floats, gap: Floats, variance: Floats) -> None:
        """Add a batch: ``n`` observations, ``gap`` the sum of their deficits (rows x M)."""
        self.open_n[rows] += n[:, None]
        self.open_gap[rows] += gap
        full = self.open_n[rows, 0] >= BLOCK
        done = rows[full]
        wanted = self.open_n[done] * np.maximum(variance[full], 1e-12)
        self.new_sums[done] += np.where(variance[full] > 0, self.open_gap[done] ** 2 / wanted, 1.0)
        self.new_blocks[done] += 1
        self.open_n[done] = 0
        self.open_gap[done] = 0

    def settle(self, rows: Counts) -> None:
        """Count the waiting blocks as normal."""
        self.sums[rows] += self.new_sums[rows]
        self.blocks[rows] += self.new_blocks[rows]
        self._drop(rows)

    def discard(self, rows: Counts) -> None:
        """Forget the waiting blocks and the open one."""
        self._drop(rows)
        self.open_n[rows] = 0
        self.open_gap[rows] = 0

    def forget(self, row: int) -> None:
        """Forget everything of a row."""
        self.discard(np.array([row]))
        self.sums[row] = 0
        self.blocks[row] = 0

    def phi(self, rows: Counts) -> Floats:
        """Return phi of these rows, at least 1, rows x M."""
        blocks = self.blocks[rows]
        ratio = self.sums[rows] / np.maximum(blocks, 1.0)
        return np.where(blocks >= ENOUGH, np.maximum(ratio, 1.0), 1.0)

    def _drop(self, rows: Counts) -> None:
        self.new_sums[rows] = 0
        self.new_blocks[rows] = 0
