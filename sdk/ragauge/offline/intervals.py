"""Intervals of a mean over queries: Wilson's of a share, Student's of other means."""

import math
from collections.abc import Sequence
from typing import Final

Z95: Final = 1.959963984540054


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of values in [0, 1]; one value says nothing of its spread.

    >>> [round(bound, 3) for bound in interval([1.0, 0.0, 1.0, 1.0])]
    [0.301, 0.954]
    >>> interval([0.5])
    (0.0, 1.0)
    """
    n = len(values)
    if all(value in {0.0, 1.0} for value in values):
        return wilson(n, round(sum(values)))
    if n < 2:
        return 0.0, 1.0
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = student95(n - 1) * math.sqrt(variance / n)
    return max(0.0, mean - half), min(1.0, mean + half)


def wilson(n: int, hits: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share (Wilson 1927)."""
    share, spread = hits / n, Z95 * Z95 / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z95 * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))


def student95(freedom: int) -> float:
    """Return Student's two-sided 95 % quantile (Hill 1970, as a series in 1/freedom; exact for 1 and 2).

    >>> round(student95(4), 2), round(student95(30), 3)
    (2.78, 2.042)
    """
    if freedom == 1:
        return 12.706204736432095
    if freedom == 2:
        return 4.302652729911275
    z, n = Z95, freedom
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / n**power for power, term in enumerate(terms, start=1))
