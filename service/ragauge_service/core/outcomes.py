"""What a retrieval can come to, as objects that are shared by all alike: an outcome is counted, not added.

A tally is only touched when it is written: n retrievals of one outcome add n times its cells. Scored
outcomes are the ``RankScores`` of the measures; everything else is a ``Special``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragauge.measures import Grade, Judgments, RankScores, Scorer
from ragauge.measures.judgments import Profile
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.judged import Query
from ragauge_service.core.tally import UNIT, Layout

Cells = tuple[tuple[int, int], ...]
"""The cells that one retrieval touches, and what it adds to each."""

Pattern = tuple[Grade | None, ...]
"""The grades at ranks 1, 2, ...; None where a document is unjudged."""

_MOST_KEPT: Final = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class Special:
    """An outcome that counts more than its ``scores``, or has none.

    ``counts`` are names of a tally's counts with their amounts; ``again`` tells that the retrieval had
    already matured when it came to this.
    """

    counts: tuple[tuple[str, int], ...]
    scores: RankScores | None = None
    reason: str | None = None
    again: bool = False


Outcome = RankScores | Special

VOID: Final = Special(())
"""Nothing: a retrieval that is known, and that no judgment and no click can score."""


class Outcomes:
    """Makes outcomes, one object each, and knows their cells."""

    def __init__(self, config: EngineConfig) -> None:
        self.layout = config.layout
        self.scorer = Scorer.streaming(config.depth, config.cutoffs)
        self._skip = config.no_relevant == "skip"
        self._specials: dict[object, Special] = {}
        self._cells: dict[Outcome, Cells] = {}
        self._known: dict[Profile, dict[Pattern, RankScores]] = {}
        self.unjudged = self.special(("retrievals", 1), ("unjudged", 1), reason="unjudged")

    def of(self, query: Query | None, docs: Sequence[int] | Sequence[str]) -> Outcome:
        """Return what a list of distinct documents comes to, given as ids or as their hashes."""
        if query is None:
            return self.unjudged
        if query.plain and docs and isinstance(docs[0], str):
            return self._plain(query, docs)
        hashed = bool(docs) and isinstance(docs[0], int)
        judgments: Judgments[Any] = query.hashed if hashed else query.judgments
        scores, _, forbidden = self.scorer.score(judgments, docs)
        return scores if query.plain else self._unusual(query, scores, len(forbidden), abstained=not docs)

    def _plain(self, query: Query, docs: Sequence[Any]) -> Outcome:
        """Return what a list of distinct documents comes to for a ``plain`` query."""
        known = query.known
        if known is None or len(known) > _MOST_KEPT:
            known = query.known = self._shared(query.judgments.profile)
        pattern = tuple(map(query.grades.get, docs))
        outcome = known.get(pattern)
        if outcome is None:
            outcome = known[pattern] = self.scorer.score(query.judgments, docs)[0]
        return outcome

    def _shared(self, profile: Profile) -> dict[Pattern, RankScores]:
        known = self._known.get(profile)
        if known is None or len(known) > _MOST_KEPT:
            if len(self._known) > _MOST_KEPT:
                self._known.clear()
            known = self._known[profile] = {}
        return known

    def _unusual(self, query: Query, scores: RankScores, forbidden: int, *, abstained: bool) -> Outcome:
        counts = (("forbidden", forbidden),) if forbidden else ()
        if query.judgments.no_answer:
            answered = (("abstained", 1),) if abstained else ()
            return self.special(("retrievals", 1), ("no_answer", 1), *answered, *counts)
        if query.judgments.relevant:
            return self.special(*counts, scores=scores) if counts else scores
        if self._skip:
            return self.special(("retrievals", 1), ("no_relevant", 1), *counts, reason="no_relevant")
        return self.special(("no_relevant", 1), *counts, scores=scores)

    def again(self, outcome: Outcome) -> Outcome:
        """Return an outcome without scores as that of a retrieval that has matured before."""
        if isinstance(outcome, RankScores) or outcome.scores is not None:
            return outcome
        return self.special(*outcome.counts, reason=outcome.reason, again=True)

    def special(
        self,
        *counts: tuple[str, int],
        scores: RankScores | None = None,
        reason: str | None = None,
        again: bool = False,
    ) -> Special:
        """Return the one outcome of this kind."""
        key = (counts, scores, reason, again)
        if key not in self._specials:
            if len(self._specials) >= _MOST_KEPT:
                self._specials.clear()
            self._specials[key] = Special(counts, scores, reason, again)
        return self._specials[key]

    def cells(self, outcome: Outcome) -> Cells:
        """Return what one retrieval of an outcome adds to a tally."""
        known = self._cells.get(outcome)
        if known is None:
            if len(self._cells) >= _MOST_KEPT:
                self._cells.clear()
            known = self._cells[outcome] = tuple(_cells(self.layout, outcome))
        return known


def matured(outcome: Outcome) -> bool:
    """Tell whether a retrieval that comes to this has been scored, now or before."""
    return isinstance(outcome, RankScores) or outcome.scores is not None or outcome.again


def scores_of(outcome: Outcome) -> RankScores | None:
    """Return the scores of an outcome, or None when it is in no mean."""
    return outcome if isinstance(outcome, RankScores) else outcome.scores


def first_cell(scores: RankScores, depth: int) -> int:
    """Return the cell of the histogram in which a scored retrieval counts: its first rank, or the miss.

    >>> first_cell(RankScores(None, ()), 10), first_cell(RankScores(1, ()), 10)
    (10, 0)
    """
    return depth if scores.first is None else scores.first - 1


def _cells(layout: Layout, outcome: Outcome) -> list[tuple[int, int]]:
    if isinstance(outcome, Special):
        scored = [] if outcome.scores is None else _scored_cells(layout, outcome.scores)
        return [*scored, *((layout.cell(name), amount) for name, amount in outcome.counts)]
    return _scored_cells(layout, outcome)


def _scored_cells(layout: Layout, scores: RankScores) -> list[tuple[int, int]]:
    counts = [(first_cell(scores, layout.depth), 1), (layout.cell("retrievals"), 1)]
    if None not in scores.values:
        counts.append((layout.cell("nonempty"), 1))
    return [*counts, *_sums(layout, scores.values)]


def _sums(layout: Layout, values: Sequence[float | None]) -> list[tuple[int, int]]:
    """Return sums and sums of squares: the scorer's measures stand in the order of the tally's cells."""
    start = layout.size - 2 * len(values)
    pairs: list[tuple[int, int]] = []
    for at, value in enumerate(values):
        if value:
            pairs.append((start + 2 * at, round(value * UNIT)))
            pairs.append((start + 2 * at + 1, round(value * value * UNIT)))
    return pairs
