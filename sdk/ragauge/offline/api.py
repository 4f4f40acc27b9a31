"""``ragauge.evaluate``: anything in, a result out."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal

from ragauge.measures import Grade, Measure
from ragauge.offline.evaluation import count_all
from ragauge.offline.formats import Format
from ragauge.offline.inputs import JudgmentsInput, RunInput, questions_from, run_from
from ragauge.offline.progress import on_terminal
from ragauge.offline.results import Result
from ragauge.offline.settings import CUTOFFS, By, Chunks, group_rule, rules_of


def evaluate(
    run: RunInput,
    judgments: JudgmentsInput,
    k: Iterable[int] = CUTOFFS,
    by: By = None,
    *,
    measures: Sequence[str | Measure] | None = None,
    relevance_level: Grade = 1,
    no_relevant: Literal["zero", "skip"] = "zero",
    duplicates: Literal["error", "keep-first"] = "error",
    missing: Literal["error", "zero"] = "error",
    chunk_to_doc: Chunks = None,
    abstain_below: float | None = None,
    intervals: bool = True,
    split: str | None = None,
    run_format: Format | None = None,
    judgments_format: Format | None = None,
) -> Result:
    """Score a run against judgments.

    ``run`` is a file, ``{query: [ids]}``, ``{query: {document: score}}``, a data frame, or a retriever: a
    callable that is asked every question now. ``judgments`` are a file, ``{query: {document: grade}}``,
    a test set, or a data frame. Broken rules are listed in the result's ``violations``; its ``check()``
    raises on them.

    Raises:
        InputError: something cannot be read, or run and judgments have nothing in common.

    >>> result = evaluate({"q1": ["b", "a"], "q2": ["a"]}, {"q1": {"a": 1}, "q2": {"a": 1}}, k=[10])
    >>> result.mean("MRR@10"), result.counts["scored"]
    (0.75, 2)
    """
    rules = rules_of(
        k,
        measures,
        relevance_level=relevance_level,
        no_relevant=no_relevant,
        duplicates=duplicates,
        missing=missing,
        chunk_to_doc=chunk_to_doc,
        abstain_below=abstain_below,
        intervals=intervals,
    )
    questions = questions_from(judgments, split=split, format=judgments_format)
    depth = None if rules.chunk_to_doc else depth_of(rules.measures)
    asking = partial(on_terminal, least=2)
    answered = run_from(run, questions, depth=depth, format=run_format, progress=asking)
    grouped_by = by if isinstance(by, str) else "group" if by else "category"
    return count_all(Result, answered, questions, rules, group_rule(by), grouped_by, on_terminal)


def depth_of(measures: Sequence[Measure]) -> int | None:
    """Return how deep rankings must be read; None for their whole length."""
    cutoffs = [measure.k for measure in measures]
    return None if None in cutoffs else max((k for k in cutoffs if k is not None), default=None)
