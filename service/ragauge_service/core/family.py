"""Adding up: what category rows sum to for themselves, their retriever and everything."""

from dataclasses import dataclass

import numpy as np

from ragauge_service.core.bets import Counts, Floats


@dataclass(frozen=True, slots=True)
class Family:
    """Category rows and their parents: ``rows`` are all of them, ``places`` where each adds to (3 x A)."""

    rows: Counts
    places: Counts

    @classmethod
    def of(cls, rows: Counts, parents: Counts) -> "Family":
        """Return the family of category rows; ``parents`` is the roster's, two columns.

        >>> Family.of(np.array([2, 3]), np.array([[-1, -1], [-1, -1], [1, 0], [1, 0]])).rows.tolist()
        [0, 1, 2, 3]
        """
        everyone, places = np.unique(np.vstack([rows, parents[rows].T]), return_inverse=True)
        return cls(everyone, places.reshape(3, -1).astype(np.int64))

    def sum(self, parts: Floats) -> Floats:
        """Return what category rows (first axis) add up to, for each of ``rows``."""
        total = np.zeros((len(self.rows), *parts.shape[1:]))
        for place in self.places:
            np.add.at(total, place, parts)
        return total
