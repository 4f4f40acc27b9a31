"""Scoring one ranking: one walk over the judged documents met, the scores of known patterns remembered."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from ragauge.measures.formulas import FORMULAS, Value, walk
from ragauge.measures.judgments import Grade, Judgments, Profile
from ragauge.measures.names import Family, Measure, measures_of
from ragauge.measures.ranking import Rank, close_ranks

D = TypeVar("D", bound=Hashable)

Pattern = tuple[Grade | None, ...]
"""The grades at ranks 1, 2, ... of a list of distinct documents; None where a document is unjudged."""

STREAMED: Final[tuple[Family, ...]] = ("nDCG", "recall", "P", "AP", "judged")
"""The families that a tally sums beside the first relevant rank."""

_LONGEST_KEPT: Final = 32
_MOST_KEPT: Final = 65_536


@dataclass(slots=True, eq=False)
class RankScores:
    """The first relevant rank, None for a miss, and the values in the order of the scorer's measures.

    Only ``judged@k`` can be None: of an empty list. One object serves all rankings of one pattern, so it
    is compared by identity and may key what is derived from it.
    """

    first: Rank | None
    values: tuple[Value, ...]


class Scorer:
    """Scores rankings by some measures, looking ``depth`` documents deep: their deepest cutoff.

    ``depth`` may be given to find first relevant ranks and forbidden documents deeper than that; it is
    None when a measure wants the whole list.
    """

    __slots__ = ("_cutoffs", "_exponential", "_formulas", "_known", "_to_r", "depth", "measures")

    def __init__(self, measures: Iterable[Measure], *, depth: int = 0) -> None:
        self.measures = tuple(measures)
        whole = any(measure.k is None and measure.family != "Rprec" for measure in self.measures)
        self._cutoffs = sorted({measure.k for measure in self.measures if measure.k is not None})
        self._exponential = any(measure.family == "ndcg_exp" for measure in self.measures)
        self._to_r = any(measure.family == "Rprec" for measure in self.measures)
        self.depth = None if whole else max([depth, *self._cutoffs])
        self._formulas = [
            (FORMULAS[measure.family], measure.k, measure.family == "Rprec") for measure in self.measures
        ]
        self._known: dict[tuple[Profile, Pattern], RankScores] = {}

    @classmethod
    def of(cls, *names: str) -> "Scorer":
        """Return a scorer of named measures.

        >>> Scorer.of("nDCG@5", "P@10").depth
        10
        """
        return cls(measures_of(names))

    @classmethod
    def streaming(cls, depth: int = 10, cutoffs: Sequence[int] = (1, 3, 5, 10)) -> "Scorer":
        """Return a scorer of ``STREAMED`` at every cutoff, in the order of a tally's cells.

        >>> [str(measure) for measure in Scorer.streaming(10, (5,)).measures]
        ['nDCG@5', 'recall@5', 'P@5', 'AP@5', 'judged@5']
        """
        return cls([Measure(family, k) for family in STREAMED for k in cutoffs], depth=depth)

    def score(self, judgments: Judgments[D], ids: Sequence[D]) -> tuple[RankScores, int, tuple[Rank, ...]]:
        """Return a ranking's scores, the duplicates met on the way, and the ranks of forbidden documents.

        ``ids`` are in rank order. Only as many are read as it takes to fill ``depth`` distinct ones.

        >>> Scorer.of("P@2").score(Judgments({"a": 1}, forbidden=["x"]), ["x", "x", "a"])[1:]
        (1, (1,))
        """
        depth, duplicates = self.depth, 0
        if self._to_r and depth is not None and judgments.profile.relevant > depth:
            depth = judgments.profile.relevant
        head = ids if depth is None else ids[:depth]
        if len(set(head)) != len(head):
            head, duplicates = close_ranks(ids, depth)
        pattern = tuple(map(judgments.grades.get, head))
        scores = self._known.get((judgments.profile, pattern))
        if scores is None:
            scores = self._remembered(judgments.profile, pattern)
        forbidden = judgments.forbidden
        if not forbidden or forbidden.isdisjoint(head):
            return scores, duplicates, ()
        return scores, duplicates, tuple(rank for rank, doc in enumerate(head, 1) if doc in forbidden)

    def values(self, judgments: Judgments[D], ids: Sequence[D]) -> dict[str, Value]:
        """Return a ranking's scores by the measures' names.

        >>> Scorer.of("P@2", "MRR").values(Judgments({"a": 1}), ["x", "a"])
        {'P@2': 0.5, 'MRR': 0.5}
        """
        scores, _, _ = self.score(judgments, ids)
        return dict(zip(map(str, self.measures), scores.values, strict=True))

    def _remembered(self, profile: Profile, pattern: Pattern) -> RankScores:
        scores = self._scored(profile, pattern)
        if len(pattern) <= _LONGEST_KEPT:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[profile, pattern] = scores
        return scores

    def _scored(self, profile: Profile, pattern: Pattern) -> RankScores:
        met = [(rank, grade) for rank, grade in enumerate(pattern, start=1) if grade is not None]
        stops = sorted({*self._cutoffs, profile.relevant}) if self._to_r else self._cutoffs
        seen, first = walk(met, stops, len(pattern), profile.level, exponentially=self._exponential)
        return RankScores(
            first,
            tuple(
                [
                    formula(seen[profile.relevant if to_r else k], k, profile)
                    for formula, k, to_r in self._formulas
                ]
            ),
        )


def score(judgments: Judgments[D], ids: Sequence[D], *names: str) -> dict[str, Value]:
    """Return one ranking's scores; a ``Scorer`` kept for many rankings is faster.

    >>> score(Judgments({"a": 1, "b": 1, "c": 1}), ["a", "x", "b", "y", "c"], "AP", "recall@3")
    {'AP': 0.7555555555555555, 'recall@3': 0.6666666666666666}
    """
    return Scorer.of(*names).values(judgments, ids)
