"""Tallies: int64 vectors, so that sums are exact and merging shards is addition.

The first cells are the histogram of the first relevant rank (1..depth, then a miss), which gives MRR@k
and hit@k for every k <= depth; then counts; then, per measure and cutoff, the sum of round(x * 1e9) and
of round(x**2 * 1e9).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

UNIT: Final = 1_000_000_000
"""What the value 1.0 of a measure is in a tally's sums."""

COUNTS: Final = (
    "retrievals",
    "unjudged",
    "no_relevant",
    "no_answer",
    "abstained",
    "duplicates",
    "forbidden",
    "nonempty",
)
"""``retrievals`` counts what could have been scored; ``nonempty`` is the denominator of judged@k."""

SUMMED: Final = ("nDCG", "recall", "P", "AP", "judged")

Z95: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the bounds of its 95 % interval and the number of observations under it."""

    mean: float
    lower: float
    upper: float
    n: int


@dataclass(frozen=True)
class Layout:
    """Which cell means what, for a depth K of the rank histogram and the cutoffs of the other measures.

    >>> layout = Layout(depth=10, cutoffs=(5, 10))
    >>> layout.size, layout.cell("nDCG@10")
    (39, 21)
    """

    depth: int = 10
    cutoffs: tuple[int, ...] = (1, 3, 5, 10)
    _cells: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = [
            *COUNTS,
            *(f"{name}@{k}{part}" for name in SUMMED for k in self.cutoffs for part in ("", "^2")),
        ]
        object.__setattr__(self, "_cells", {name: self.depth + 1 + at for at, name in enumerate(names)})

    @property
    def size(self) -> int:
        """Return how many cells a tally has."""
        return self.depth + 1 + len(self._cells)

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the names of the measures that a tally of this layout can answer."""
        ranks = (f"{name}@{k}" for name in ("MRR", "hit") for k in self.cutoffs)
        return (*ranks, *(f"{name}@{k}" for name in SUMMED for k in self.cutoffs))

    def cell(self, name: str) -> int:
        """Return the cell of a count or of a measure's sum; its sum of squares is the next one.

        Raises:
            KeyError: this layout has no such cell.
        """
        return self._cells[name]

    def zeros(self) -> list[int]:
        """Return an empty tally's cells."""
        return [0] * self.size


@dataclass(frozen=True, slots=True)
class Tally:
    """The merged statistics of a series over some time; ``cells`` are as ``layout`` says."""

    layout: Layout
    cells: Sequence[int]

    @classmethod
    def merged(cls, layout: Layout, parts: Iterable[Sequence[int]]) -> "Tally":
        """Return the sum of tallies: exact, in any order.

        >>> one = Layout(cutoffs=()).zeros()
        >>> one[0] = 2
        >>> Tally.merged(Layout(cutoffs=()), [one, one]).first_ranks[0]
        4
        """
        columns = list(zip(*parts, strict=True))
        return cls(layout, tuple(map(sum, columns)) if columns else tuple(layout.zeros()))

    @property
    def first_ranks(self) -> Sequence[int]:
        """Return how many retrievals had their first relevant document at rank 1..depth, then the misses."""
        return self.cells[: self.layout.depth + 1]

    @property
    def scored(self) -> int:
        """Return the shared denominator of the means."""
        return sum(self.first_ranks)

    def count(self, name: str) -> int:
        """Return one of ``COUNTS``."""
        return self.cells[self.layout.cell(name)]

    @property
    def judged_ratio(self) -> float | None:
        """Return the share of retrievals whose query is judged, or None without retrievals."""
        total = self.count("retrievals")
        return None if total == 0 else (total - self.count("unjudged")) / total

    @property
    def abstained_ratio(self) -> float | None:
        """Return the share of ``no_answer`` retrievals that abstained, or None without any."""
        total = self.count("no_answer")
        return None if total == 0 else self.count("abstained") / total

    def interval(self, measure: str) -> Interval | None:
        """Return a measure's mean with its 95 % interval, or None when nothing was scored.

        Shares (hit@k) carry Wilson's interval, means a normal one; both are fixed-time intervals.

        Raises:
            KeyError: the layout does not hold this measure.

        >>> Tally(Layout(), Layout().zeros()).interval("MRR@10") is None
        True
        """
        name, _, cutoff = measure.partition("@")
        if name in {"MRR", "hit"}:
            return self._by_rank(name, int(cutoff))
        n = self.count("nonempty") if name == "judged" else self.scored
        at = self.layout.cell(measure)
        return _normal(n, self.cells[at] / UNIT, self.cells[at + 1] / UNIT) if n else None

    def mean(self, measure: str) -> float | None:
        """Return a measure's mean, or None when nothing was scored."""
        interval = self.interval(measure)
        return None if interval is None else interval.mean

    def _by_rank(self, name: str, k: int) -> Interval | None:
        if not 1 <= k <= self.layout.depth:
            raise KeyError(f"{name}@{k}")
        n, first = self.scored, self.first_ranks[:k]
        if n == 0:
            return None
        if name == "hit":
            return _wilson(n, sum(first))
        total = math.fsum(count / rank for rank, count in enumerate(first, start=1))
        squares = math.fsum(count / rank**2 for rank, count in enumerate(first, start=1))
        return _normal(n, total, squares)


def _normal(n: int, total: float, squares: float) -> Interval:
    """Return the normal interval of a mean in [0, 1]; one observation says nothing of its spread."""
    mean = total / n
    if n < 2:
        return Interval(mean, 0.0, 1.0, n)
    variance = max(0.0, (squares - n * mean * mean) / (n - 1))
    half = Z95 * math.sqrt(variance / n)
    return Interval(mean, max(0.0, mean - half), min(1.0, mean + half), n)


def _wilson(n: int, hits: int) -> Interval:
    """Return Wilson's interval of a share (Wilson 1927)."""
    share, spread = hits / n, Z95 * Z95 / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z95 * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return Interval(share, min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)), n)
