"""What a shard counted, as rows for ``/metrics``; read off the board just before it is written."""

from typing import Final

from ragauge.events import OUTCOMES
from ragauge.measures import RankScores
from ragauge_service.core.outcomes import Outcome, Special, scores_of
from ragauge_service.core.places import Labels, Place
from ragauge_service.core.state import State

HIT_K: Final = 5
"""The cutoff of the hits that are counted, when it is one of those configured."""


def report(state: State) -> None:
    """Count what happened since the last write."""
    for labels in state.naming.all():
        _calls(state, labels)
    for place in state.board.touched:
        if place.counts:
            _place(state, place)


def _calls(state: State, labels: Labels) -> None:
    names = (labels.category, labels.retriever, labels.variant)
    for outcome, amount in zip(OUTCOMES, labels.outcomes, strict=True):
        if amount:
            state.counting.add("ragauge_retrievals_total", (*names, outcome), amount)
    if labels.latencies:
        for latency in labels.latencies:
            state.counting.observe("ragauge_retrieval_duration_seconds", names[1:], latency / 1_000)
        labels.latencies = []
        labels.outcomes = [0, 0, 0, 0]


def _place(state: State, place: Place) -> None:
    labels = place.labels
    names = (labels.category, labels.retriever, labels.variant)
    scored: dict[RankScores, int] = {}
    for outcome, amount in place.counts.items():
        scores = scores_of(outcome)
        if scores is not None:
            scored[scores] = scored.get(scores, 0) + amount
        if isinstance(outcome, Special):
            _special(state, outcome, amount, names)
    if scored:
        _scored(state, place, scored)
    place.traces = {}


def _special(state: State, outcome: Special, amount: int, names: tuple[str, str, str]) -> None:
    counting = state.counting
    if outcome.reason:
        counting.add("ragauge_unscored_retrievals_total", (*names[:2], outcome.reason), amount)
    for count, each in outcome.counts:
        if count in {"forbidden", "duplicates"}:
            name = "forbidden" if count == "forbidden" else "duplicate"
            counting.add(f"ragauge_{name}_documents_total", names, amount * each)


def _scored(state: State, place: Place, scored: dict[RankScores, int]) -> None:
    counting, series = state.counting, place.state.series
    names = (series.category, series.retriever, series.variant, series.evidence)
    counting.add("ragauge_scored_retrievals_total", names, sum(scored.values()))
    depth = state.config.depth
    k = max(state.config.cutoffs)
    hit = HIT_K if HIT_K in state.config.cutoffs else k
    ndcg = state.config.cutoffs.index(k)
    hits = 0
    for scores, amount in scored.items():
        trace = _trace(place, scores)
        at = place.minute / 1_000
        value = 1 / scores.first if scores.first else 0.0
        hits += amount if scores.first and scores.first <= hit else 0
        values = (("ragauge_reciprocal_rank", depth, value), ("ragauge_ndcg", k, scores.values[ndcg] or 0.0))
        for name, cutoff, seen in values:
            counting.observe(name, (*names, str(cutoff)), seen, times=amount, trace_id=trace, at=at)
    counting.add("ragauge_hits_total", (*names, str(hit)), hits)


def _trace(place: Place, scores: Outcome) -> str | None:
    return place.traces.get(scores)
