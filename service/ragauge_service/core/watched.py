"""Which detectors there are: one per category, one per retriever, one over all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ragauge.events import Evidence
from ragauge_service.core.bets import Counts
from ragauge_service.core.series import Series


class Watched(NamedTuple):
    """What a row of detectors is about; None stands for "all of them"."""

    category: str | None
    retriever: str | None
    evidence: Evidence


@dataclass(slots=True)
class Roster:
    """The rows, in order of appearance; a category's row knows those that it also counts towards."""

    keys: list[Watched] = field(default_factory=list[Watched])
    rows: dict[Watched, int] = field(default_factory=dict[Watched, int])
    parents: Counts = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Per row its retriever's and the global row; -1 for those rows themselves."""

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.keys)

    def row(self, series: Series) -> int:
        """Return the row of a series, variants merged; new ones get a row, and their parents too.

        >>> roster = Roster()
        >>> (
        ...     roster.row(Series("faq", "bm25", "a", "judgments")),
        ...     roster.row(Series("faq", "bm25", "b", "judgments")),
        ... )
        (2, 2)
        """
        key = Watched(series.category, series.retriever, series.evidence)
        known = self.rows.get(key)
        if known is not None:
            return known
        all_row = self._place(Watched(None, None, series.evidence))
        retriever_row = self._place(Watched(None, series.retriever, series.evidence))
        row = self._place(key)
        self.parents[row] = (retriever_row, all_row)
        return row

    def restore(self, keys: Sequence[Watched]) -> None:
        """Give these keys their rows, in this order."""
        for key in keys:
            row = self._place(key)
            if key.category is not None:
                parents = (Watched(None, key.retriever, key.evidence), Watched(None, None, key.evidence))
                self.parents[row] = [self.rows[parent] for parent in parents]

    def members(self, row: int) -> Counts:
        """Return the category rows that count towards a row: itself, if it is one."""
        if self.parents[row, 0] >= 0:
            return np.array([row])
        return np.flatnonzero((self.parents == row).any(axis=1))

    def merged(self, deltas: Mapping[Series, Sequence[int]], outcomes: int) -> tuple[Counts, Counts]:
        """Return the rows that saw something, and what: rows x outcomes."""
        sums: dict[int, list[int]] = {}
        for series, counts in deltas.items():
            if any(counts):
                row = self.row(series)
                known = sums.get(row)
                sums[row] = (
                    list(counts) if known is None else [a + b for a, b in zip(known, counts, strict=True)]
                )
        rows = np.array(sorted(sums), np.int64)
        counts = np.array([sums[int(row)] for row in rows], np.int64).reshape(len(rows), outcomes)
        return rows, counts

    def _place(self, key: Watched) -> int:
        if key not in self.rows:
            self.rows[key] = len(self.keys)
            self.keys.append(key)
            self.parents = np.concatenate([self.parents, [[-1, -1]]])
        return self.rows[key]
