"""What clicks say of a ranking, zeros kept: nobody clicked is an answer too.

Users look at the top more than at the bottom, so counting clicks measures habits. Two pictures of a user
take that out: the position-based one (rank r is looked at with probability 1/r, until told otherwise) and
the simplified dynamic Bayesian one (everything down to the last click is looked at, Chapelle and Zhang 2009).
Where the two lead to different numbers, at least one is wrong, and clicks alone cannot say which.

A retrieval adds integers to a vector of ``2 * depth`` cells, clicks by rank and looks by rank, so that
merging is addition; every estimate is a function of such a vector and of the number of retrievals.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

CLIP: Final = 20.0
"""The largest weight that one click may have."""


@dataclass(frozen=True, slots=True)
class Score:
    """An estimate for one retrieval, its variance, and the share of its weight that clipping took."""

    value: float
    variance: float
    clipped: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` retrievals with its standard error; ``clipped`` is the share of weight cut off."""

    mean: float
    error: float
    clipped: float
    n: int


def first_click(clicked: Sequence[int], k: int) -> int | None:
    """Return the rank of the highest clicked document within ``k``, or None: a zero that counts.

    >>> first_click([7, 2], 10), first_click([], 10)
    (2, None)
    """
    within = [rank for rank in clicked if rank <= k]
    return min(within) if within else None


def click_rr(clicked: Sequence[int], k: int) -> float:
    """Return the reciprocal rank of the highest click within ``k``; 0 when nobody clicked."""
    first = first_click(clicked, k)
    return 0.0 if first is None else 1.0 / first


def click_hit(clicked: Sequence[int], k: int) -> float:
    """Return 1 if anything within ``k`` was clicked, else 0."""
    return 0.0 if first_click(clicked, k) is None else 1.0


def default_propensities(k: int) -> tuple[float, ...]:
    """Return how often ranks 1..k are looked at, as long as nobody has measured it: 1/rank."""
    return tuple(1.0 / rank for rank in range(1, k + 1))


def looked_at(length: int, clicked: Sequence[int], depth: int) -> int:
    """Return down to which rank the page was read: to the last click, or all of it when there was none.

    >>> looked_at(10, [2, 4], 10), looked_at(7, [], 10)
    (4, 7)
    """
    return min(max(clicked, default=length), depth)


def click_cells(length: int, clicked: Sequence[int], depth: int) -> list[int]:
    """Return what one retrieval adds: clicks on ranks 1..depth, then looks at ranks 1..depth.

    ``length`` is the ranked list's, ``clicked`` the distinct 1-based ranks with a good click.

    >>> click_cells(3, [2], 3)
    [0, 1, 0, 1, 1, 0]
    """
    cells = [0] * (2 * depth)
    for rank in set(clicked):
        if 1 <= rank <= depth:
            cells[rank - 1] = 1
    read = looked_at(length, clicked, depth)
    cells[depth : depth + read] = [1] * read
    return cells


def ips_dcg(clicked: Sequence[int], propensities: Sequence[float], *, k: int, clip: float = CLIP) -> Score:
    """Return the DCG@k that clicks stand for when rank r is looked at with ``propensities[r - 1]``.

    A click weighs 1/propensity, at most ``clip``: unbiased when the propensities are right and nothing is
    clipped (Joachims, Swaminathan and Schnabel 2017). The variance is Horvitz and Thompson's.

    >>> ips_dcg([1, 3], (1.0, 0.5, 0.25), k=3).value
    3.0
    """
    value = variance = kept = whole = 0.0
    for rank in set(clicked):
        if rank <= min(k, len(propensities)):
            share = propensities[rank - 1]
            weight, discount = min(1.0 / share, clip), _discount(rank)
            value += weight * discount
            variance += weight * weight * discount * discount * (1.0 - share)
            kept, whole = kept + weight, whole + 1.0 / share
    return Score(value, variance, 1.0 - kept / whole if whole else 0.0)


def mean_ips_dcg(
    cells: Sequence[int], n: int, propensities: Sequence[float] | None = None, *, k: int, clip: float = CLIP
) -> Estimate | None:
    """Return the mean IPS-DCG@k of ``n`` retrievals from their summed cells, or None without any."""
    return _mean(cells, n, propensities or default_propensities(k), k, clip)


def mean_sdbn_dcg(cells: Sequence[int], n: int, *, k: int, clip: float = CLIP) -> Estimate | None:
    """Return the mean DCG@k by the share of those who looked at a rank that clicked on it.

    That is IPS-DCG with the propensities that the last clicks themselves tell.
    """
    return _mean(cells, n, sdbn_propensities(cells, n), k, clip) if n else None


def sdbn_propensities(cells: Sequence[int], n: int) -> tuple[float, ...]:
    """Return how often each rank was looked at, if everything down to the last click is."""
    depth = len(cells) // 2
    return tuple(looks / max(n, 1) for looks in cells[depth:])


def disagreement(
    cells: Sequence[int], n: int, propensities: Sequence[float] | None = None, *, k: int
) -> float | None:
    """Return the logarithm of IPS-DCG over SDBN-DCG, or None without clicks.

    Near 0 both pictures of the user lead to the same number. Beyond 0.1 in size one of them is wrong, and
    neither level is to be trusted; a change of either still is a change.
    """
    ips, sdbn = mean_ips_dcg(cells, n, propensities, k=k), mean_sdbn_dcg(cells, n, k=k)
    if ips is None or sdbn is None or ips.mean <= 0 or sdbn.mean <= 0:
        return None
    return math.log(ips.mean / sdbn.mean)


def _mean(
    cells: Sequence[int], n: int, propensities: Sequence[float], k: int, clip: float
) -> Estimate | None:
    """Return a weighted mean; its error treats clicks on different ranks as independent."""
    if n == 0:
        return None
    total = variance = kept = whole = 0.0
    for rank, clicks in enumerate(cells[: min(k, len(cells) // 2, len(propensities))], start=1):
        share = propensities[rank - 1]
        if clicks and share > 0:
            weight, rate = min(1.0 / share, clip), clicks / n
            gain = weight * _discount(rank)
            total += rate * gain
            variance += rate * (1.0 - rate) * gain * gain
            kept, whole = kept + rate * weight, whole + rate / share
    return Estimate(total, math.sqrt(variance / n), 1.0 - kept / whole if whole else 0.0, n)


def _discount(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)
