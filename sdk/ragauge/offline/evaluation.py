"""Score a run against judgments: every query counted once, in exactly one way."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final, Literal, TypeVar

from ragauge.errors import InputError
from ragauge.measures import Grade, Judgments, Measure, Rank, Scorer, Summary, summarise, to_documents
from ragauge.offline.data import Params, Question, Questions, Run
from ragauge.offline.intervals import interval

Kind = Literal["forbidden", "duplicate", "missing"]
Progress = Callable[[Sequence[Question]], Iterable[Question]]

OTHER: Final = "default"
_TELLING: Final = 5
"""From how many answered queries on finding not one judged document means that the ids differ in kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How to count: what is relevant, what a list may hold, and what an absence means."""

    measures: tuple[Measure, ...]
    relevance_level: Grade = 1
    no_relevant: Literal["zero", "skip"] = "zero"
    duplicates: Literal["error", "keep-first"] = "error"
    missing: Literal["error", "zero"] = "error"
    abstain_below: float | None = None
    intervals: bool = True
    chunk_to_doc: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that an answer broke; ``rank`` is that of the forbidden or repeated document."""

    query: str
    doc: str | None
    rank: Rank | None
    kind: Kind

    def __str__(self) -> str:
        if self.kind == "missing":
            return f"query {self.query!r} is judged and missing from the run"
        what = "inadmissible" if self.kind == "forbidden" else "a duplicate"
        return f"query {self.query!r}: document {self.doc!r} at rank {self.rank} is {what}"


@dataclass(frozen=True, slots=True)
class Scored:
    """One query's first relevant rank and values, in the order of the measures."""

    query: str
    category: str
    first: Rank | None
    values: tuple[float | None, ...]
    relevant: int


@dataclass(frozen=True, slots=True)
class Mean:
    """A measure over queries; the bounds are None when no interval was asked for.

    ``mean_relevant`` is the mean over only those queries that have relevant documents.
    """

    summary: Summary
    lower: float | None
    upper: float | None
    mean_relevant: float | None


@dataclass(frozen=True)
class Part:
    """The queries of one group: counted, scored, and summed up."""

    measures: tuple[Measure, ...]
    counts: Mapping[str, int]
    scored: tuple[Scored, ...]
    with_intervals: bool = True

    @cached_property
    def means(self) -> dict[str, Mean | None]:
        """Return each measure over the scored queries; None without any."""
        return {str(measure): self._mean(at) for at, measure in enumerate(self.measures)}

    def _mean(self, at: int) -> Mean | None:
        values = [value for scored in self.scored if (value := scored.values[at]) is not None]
        summary = summarise(values)
        if summary is None:
            return None
        some = [scored.values[at] or 0.0 for scored in self.scored if scored.relevant]
        lower, upper = interval(values) if self.with_intervals else (None, None)
        return Mean(summary, lower, upper, math.fsum(some) / len(some) if some else None)

    @cached_property
    def first_ranks(self) -> dict[str, int]:
        """Return how many queries had their first relevant document at each rank, then the misses."""
        found = Counter(scored.first for scored in self.scored)
        misses = found.pop(None, 0)
        ranks = {str(rank): found[rank] for rank in sorted(rank for rank in found if rank is not None)}
        return {**ranks, "miss": misses}


COUNTS: Final = (
    "queries",
    "scored",
    "unjudged",
    "missing",
    "no_relevant",
    "no_answer",
    "abstained",
    "duplicates",
)


@dataclass(frozen=True, kw_only=True)
class Evaluation(Part):
    """A run scored against judgments, as a whole and by group."""

    relevance_level: Grade = 1
    groups: Mapping[str, Part] = field(default_factory=dict[str, Part])
    grouped_by: str = "category"
    violations: tuple[Violation, ...] = ()
    latencies: Mapping[str, float] = field(default_factory=dict[str, float])
    params: Params = field(default_factory=dict[str, object])
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    source: str = "run"

    @property
    def per_query(self) -> dict[str, dict[str, float | None]]:
        """Return every scored query's values by the measures' names."""
        names = [str(measure) for measure in self.measures]
        return {scored.query: dict(zip(names, scored.values, strict=True)) for scored in self.scored}

    def mean(self, name: str) -> float | None:
        """Return the mean of a measure, None when nothing was scored.

        Raises:
            KeyError: the measure was not asked for.
        """
        found = self.means[str(Measure.parse(name))]
        return None if found is None else found.summary.mean


E = TypeVar("E", bound=Evaluation)


class Counting:
    """Counts and scores one query after the other; ``rules`` are fixed."""

    def __init__(self, run: Run, rules: Rules, scorer: Scorer) -> None:
        self.run = run
        self.rules = rules
        self.scorer = scorer
        self.counts: dict[str, Counter[str]] = {}
        self.scored: dict[str, list[Scored]] = {}
        self.violations: list[Violation] = []

    def count(self, question: Question, group: str) -> None:
        """Count one judged question, and score it unless it is outside every mean."""
        counts = self.counts.setdefault(group, Counter())
        counts["queries"] += 1
        ranking = self.run.rankings.get(question.id)
        if ranking is None:
            counts["missing"] += 1
            if self.rules.missing == "error":
                self.violations.append(Violation(question.id, None, None, "missing"))
            ranking = ()
        if self.rules.chunk_to_doc is not None:
            ranking = to_documents(ranking, self.rules.chunk_to_doc)
        judgments = Judgments(question.grades, level=self.rules.relevance_level, forbidden=question.forbidden)
        scores, duplicates, forbidden = self.scorer.score(judgments, ranking)
        counts["duplicates"] += duplicates
        if duplicates or forbidden:
            self._violated(question, ranking, repeated=bool(duplicates))
        if question.no_answer:
            counts["no_answer"] += 1
            counts["abstained"] += self._abstained(question.id, ranking)
            return
        if not judgments.relevant:
            counts["no_relevant"] += 1
            if self.rules.no_relevant == "skip":
                return
        counts["scored"] += 1
        category = question.category or OTHER
        one = Scored(question.id, category, scores.first, scores.values, judgments.relevant)
        self.scored.setdefault(group, []).append(one)

    def _abstained(self, query: str, ranking: Sequence[str]) -> bool:
        if not ranking:
            return True
        best, bound = self.run.best.get(query), self.rules.abstain_below
        return bound is not None and best is not None and best < bound

    def _violated(self, question: Question, ranking: Sequence[str], *, repeated: bool) -> None:
        seen: set[str] = set()
        for rank, doc in enumerate(ranking, start=1):
            if doc in seen:
                if repeated and self.rules.duplicates == "error":
                    self.violations.append(Violation(question.id, doc, rank, "duplicate"))
                continue
            if doc in question.forbidden:
                self.violations.append(Violation(question.id, doc, len(seen) + 1, "forbidden"))
            seen.add(doc)
            if len(seen) == self.scorer.depth:
                break


def count_all(
    into: type[E],
    run: Run,
    questions: Questions,
    rules: Rules,
    group_of: Callable[[Question], str] | None = None,
    grouped_by: str = "category",
    progress: Progress = iter,
) -> E:
    """Return the evaluation of a run; queries of the run without judgments are counted, not scored.

    Raises:
        InputError: run and judgments have no query in common, or no document.
    """
    judged = [question for question in questions.by_id.values() if question.judged]
    known = {question.id for question in judged}
    unjudged = [query for query in run.rankings if query not in known]
    _check_overlap(run, questions, judged, rules)
    scorer = Scorer(rules.measures)
    counting = Counting(run, rules, scorer)
    group = group_of or (lambda _question: "")
    for question in progress(judged):
        counting.count(question, group(question))
    for query in unjudged:
        question = questions.by_id.get(query) or Question(id=query)
        counts = counting.counts.setdefault(group(question), Counter())
        counts["queries"] += 1
        counts["unjudged"] += 1
    return _summed(into, counting, questions, grouped_by if group_of else None)


def _summed(into: type[E], counting: Counting, questions: Questions, grouped_by: str | None) -> E:
    run, rules = counting.run, counting.rules
    parts = {
        name: _part(rules, counts, counting.scored.get(name, [])) for name, counts in counting.counts.items()
    }
    whole = sum(counting.counts.values(), Counter[str]())
    everything = _part(rules, whole, [one for found in counting.scored.values() for one in found])
    texts = {name: question.text for name, question in questions.by_id.items() if question.text}
    return into(
        rules.measures,
        everything.counts,
        everything.scored,
        rules.intervals,
        relevance_level=rules.relevance_level,
        groups=dict(sorted(parts.items())) if grouped_by else {},
        grouped_by=grouped_by or "category",
        violations=tuple(counting.violations),
        latencies=run.latencies,
        params=run.params,
        texts=texts,
        source=run.source,
    )


def _part(rules: Rules, counts: Mapping[str, int], scored: Iterable[Scored]) -> Part:
    all_counts = {name: counts.get(name, 0) for name in COUNTS}
    return Part(rules.measures, all_counts, tuple(scored), rules.intervals)


def _check_overlap(run: Run, questions: Questions, judged: Sequence[Question], rules: Rules) -> None:
    """Refuse a run that has nothing in common with the judgments: its ids are of another kind."""
    if not judged or not run.rankings:
        return
    shared = [question for question in judged if question.id in run.rankings]
    if not shared:
        raise InputError(
            f"{run.source} and {questions.source} have no query in common: "
            f"{_two(run.rankings)} there, {_two(question.id for question in judged)} here"
        )
    graded = [question for question in shared if question.grades and run.rankings[question.id]]
    if not graded or any(_meets(run, question, rules) for question in graded):
        return
    if run.whole is not None:
        run = run.whole()
        if any(_meets(run, question, rules) for question in graded):
            return
    if len(graded) >= _TELLING or _look_alike(run, graded):
        docs = (doc for question in graded for doc in run.rankings[question.id])
        raise InputError(
            f"{run.source} and {questions.source} have no document in common: "
            f"{_two(docs)} there, {_two(doc for question in graded for doc in question.grades)} here"
        )


def _look_alike(run: Run, graded: Sequence[Question]) -> bool:
    """Return whether ids differ only in case, leading zeros or white space."""
    return any(
        not {_plain(doc) for doc in question.grades}.isdisjoint(map(_plain, run.rankings[question.id]))
        for question in graded
    )


def _plain(doc: str) -> str:
    return doc.strip().casefold().lstrip("0")


def _meets(run: Run, question: Question, rules: Rules) -> bool:
    docs = run.rankings[question.id]
    if rules.chunk_to_doc is not None:
        docs = map(rules.chunk_to_doc, docs)
    return not question.grades.keys().isdisjoint(docs)


def _two(names: Iterable[str]) -> str:
    return " and ".join(map(repr, islice(dict.fromkeys(names), 2)))
