"""Many queries' values as one: the mean beside its denominator, and how the values are spread."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """The mean of n values, their median, and the values that a tenth lies under and over."""

    n: int
    mean: float
    median: float
    p10: float
    p90: float


def summarise(values: Iterable[float]) -> Summary | None:
    """Return the summary of values, None if there are none: no denominator, no value.

    >>> summarise([0.5, 1.0, 0.0]).mean
    0.5
    >>> summarise([]) is None
    True
    """
    ordered = sorted(values)
    if not ordered:
        return None
    n = len(ordered)
    at = (quantile(ordered, share) for share in (0.5, 0.1, 0.9))
    return Summary(n, math.fsum(ordered) / n, *at)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value that a share of ascending values lies under, between two by straight line.

    >>> quantile([0.0, 1.0], 0.25)
    0.25
    """
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
