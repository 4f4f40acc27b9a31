"""How large a drop is since its onset, and how far that is known.

The bounds are an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2021): they
may be read at any time, as often as one likes. The onset was itself chosen by the data, so they are a little
too narrow just after an alarm.
"""

import math
from dataclasses import dataclass
from typing import Final

TIGHT_AT: Final = 500.0
"""After how many observations the sequence is made to be narrowest."""

ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True)
class Size:
    """A mean deficit (baseline - x; positive: worse) with its bounds and the baseline's mean."""

    mean: float
    lower: float
    upper: float
    baseline: float


def size_since(n: float, deficit: float, squares: float, baselines: float, phi: float) -> Size | None:
    """Return the size of a drop from sums over its observations, or None without any.

    >>> size_since(1000.0, 120.0, 200.0, 600.0, 1.0).mean
    0.12
    """
    if n < 1:
        return None
    mean = deficit / n
    variance = max(squares / n - mean * mean, 1.0 / n) * phi
    half = math.sqrt(variance) * half_width(n)
    return Size(mean, max(-1.0, mean - half), min(1.0, mean + half), baselines / n)


def half_width(n: float) -> float:
    """Return the half width of the sequence for unit variance.

    >>> half_width(500.0) > 2 / math.sqrt(500)
    True
    """
    rho = (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA) + 1)) / TIGHT_AT
    scale = n * rho + 1
    return math.sqrt(2 * scale / (n * n * rho) * math.log(math.sqrt(scale) / ALPHA))
