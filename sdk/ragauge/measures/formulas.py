"""The measures themselves, over what has been seen down to a cutoff; trec_eval's definitions."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ragauge.measures.judgments import Grade, Profile, exponential
from ragauge.measures.names import Family
from ragauge.measures.ranking import Rank

Value = float | None


class Seen(NamedTuple):
    """What has been met down to a cutoff: the sums that every measure is made of."""

    size: int = 0
    first: Rank | None = None
    relevant: int = 0
    judged: int = 0
    precisions: float = 0.0
    gain: float = 0.0
    exponential_gain: float = 0.0


def discount(rank: Rank) -> float:
    """Return what a gain at ``rank`` is worth (Järvelin & Kekäläinen 2002).

    >>> discount(1), discount(3)
    (1.0, 0.5)
    """
    return 1.0 / math.log2(rank + 1)


def walk(
    met: Iterable[tuple[Rank, Grade]],
    stops: Sequence[int],
    size: int,
    level: Grade,
    *,
    exponentially: bool = False,
) -> tuple[dict[int | None, Seen], Rank | None]:
    """Return what has been seen at every stop (ascending ranks) and, under None, at the list's end.

    ``met`` are the judged documents of a list of ``size``, as ranks and grades, in rank order. Beside it
    stands the first relevant rank of the whole list.

    >>> walk([(2, 1)], [1, 5], size=3, level=1)[0][5].precisions
    0.5
    """
    seen: dict[int | None, Seen] = {}
    at, first, relevant, judged = 0, None, 0, 0
    precisions = gain = raised = 0.0
    for rank, grade in met:
        while at < len(stops) and stops[at] < rank:
            seen[stops[at]] = Seen(stops[at], first, relevant, judged, precisions, gain, raised)
            at += 1
        judged += 1
        if grade >= level:
            relevant += 1
            precisions += relevant / rank
            first = first or rank
        if grade > 0:
            gain += grade / math.log2(rank + 1)
            raised += exponential(grade) / math.log2(rank + 1) if exponentially else 0.0
    for stop in stops[at:]:
        seen[stop] = Seen(min(stop, size), first, relevant, judged, precisions, gain, raised)
    seen[None] = Seen(size, first, relevant, judged, precisions, gain, raised)
    return seen, first


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def reciprocal_rank(seen: Seen, _k: int | None, _profile: Profile) -> float:
    """Return 1 / rank of the first relevant document within the cutoff, else 0."""
    return 1.0 / seen.first if seen.first else 0.0


def hit(seen: Seen, _k: int | None, _profile: Profile) -> float:
    """Return 1 if any relevant document is within the cutoff, else 0."""
    return 1.0 if seen.relevant else 0.0


def precision(seen: Seen, k: int | None, _profile: Profile) -> float:
    """Return relevant documents within k / k: a short list is filled up with irrelevant ones."""
    return seen.relevant / (k or 1)


def recall(seen: Seen, _k: int | None, profile: Profile) -> float:
    """Return relevant documents within the cutoff / R."""
    return _share(seen.relevant, profile.relevant)


def average_precision(seen: Seen, _k: int | None, profile: Profile) -> float:
    """Return the sum of P@i over the ranks i of relevant documents / R (trec_eval's map_cut)."""
    return _share(seen.precisions, profile.relevant)


def average_precision_min(seen: Seen, k: int | None, profile: Profile) -> float:
    """Return the same sum / min(R, k), the average precision of some other libraries."""
    return _share(seen.precisions, min(profile.relevant, k or profile.relevant))


def ndcg(seen: Seen, k: int | None, profile: Profile) -> float:
    """Return the discounted gain / that of the best k of all judged documents, retrieved or not."""
    return _share(seen.gain, profile.ideal(k))


def ndcg_exponential(seen: Seen, k: int | None, profile: Profile) -> float:
    """Return the same with the gain 2 ** grade - 1 (Burges et al. 2005)."""
    return _share(seen.exponential_gain, profile.ideal_exponential(k))


def judged(seen: Seen, _k: int | None, _profile: Profile) -> Value:
    """Return judged documents within the cutoff / documents within it; None of an empty list."""
    return seen.judged / seen.size if seen.size else None


FORMULAS: Final[Mapping[Family, Callable[[Seen, int | None, Profile], Value]]] = {
    "MRR": reciprocal_rank,
    "hit": hit,
    "P": precision,
    "recall": recall,
    "AP": average_precision,
    "Rprec": recall,  # at rank R, recall and precision are the same
    "nDCG": ndcg,
    "judged": judged,
    "ndcg_exp": ndcg_exponential,
    "ap_min_r_k": average_precision_min,
}
