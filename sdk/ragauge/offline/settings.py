"""The options of an evaluation, from what a person writes to ``Rules``."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal

from ragauge.errors import ConfigurationError, MeasureError
from ragauge.measures import Family, Grade, Measure, measures_of
from ragauge.offline.data import Question
from ragauge.offline.evaluation import OTHER, Rules

CUTOFFS: Final = (1, 3, 5, 10)
FAMILIES: Final[tuple[Family, ...]] = ("MRR", "hit", "nDCG", "recall", "P", "AP", "judged")
Chunks = str | Callable[[str], str] | None
By = str | Callable[[Question], str] | None


def rules_of(
    k: Iterable[int] = CUTOFFS,
    measures: Sequence[str | Measure] | None = None,
    *,
    relevance_level: Grade = 1,
    no_relevant: Literal["zero", "skip"] = "zero",
    duplicates: Literal["error", "keep-first"] = "error",
    missing: Literal["error", "zero"] = "error",
    chunk_to_doc: Chunks = None,
    abstain_below: float | None = None,
    intervals: bool = True,
) -> Rules:
    """Return checked rules; without ``measures`` they are the common families at every cutoff.

    Raises:
        MeasureError: a cutoff below 1, or an unknown measure.
        ConfigurationError: a rule that maps chunks to documents cannot be used.
    """
    cutoffs = sorted(set(k))
    if not cutoffs and measures is None:
        raise MeasureError("cutoffs: at least one is wanted, as in -k 1,3,5,10")
    every = [Measure(family, cutoff) for family in FAMILIES for cutoff in cutoffs]
    return Rules(
        measures=tuple(every) if measures is None else measures_of(measures),
        relevance_level=relevance_level,
        no_relevant=no_relevant,
        duplicates=duplicates,
        missing=missing,
        chunk_to_doc=document_rule(chunk_to_doc),
        abstain_below=abstain_below,
        intervals=intervals,
    )


def document_rule(rule: Chunks) -> Callable[[str], str] | None:
    """Return how a chunk's id leads to its document's id.

    A text is a separator (the document is what stands before its first place), ``last:SEPARATOR``, or
    ``re:PATTERN`` with one group.

    Raises:
        ConfigurationError: it is empty, or no pattern with one group.

    >>> document_rule("#")("guide#3"), document_rule("last:-")("a-b-3"), document_rule("re:^([^/]+)/")("d/7")
    ('guide', 'a-b', 'd')
    """
    if rule is None or callable(rule):
        return rule
    if rule.startswith("re:"):
        return _by_pattern(rule[3:])
    if rule.startswith("last:") and len(rule) > 5:
        separator = rule[5:]
        return lambda chunk: chunk.rpartition(separator)[0] or chunk
    if not rule:
        raise ConfigurationError("chunk-to-doc: a separator, last:SEPARATOR or re:PATTERN is wanted")
    return lambda chunk: chunk.partition(rule)[0]


def _by_pattern(text: str) -> Callable[[str], str]:
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise ConfigurationError(f"chunk-to-doc: {text!r} is no pattern: {error}") from None
    if pattern.groups != 1:
        raise ConfigurationError(f"chunk-to-doc: {text!r} must have one group, not {pattern.groups}")

    def document_of(chunk: str) -> str:
        match = pattern.search(chunk)
        return match[1] if match and match[1] else chunk

    return document_of


def group_rule(by: By) -> Callable[[Question], str] | None:
    """Return how a question leads to its group: ``category``, ``split``, or a function of the question.

    Raises:
        ConfigurationError: another name.
    """
    if by is None or callable(by):
        return by
    if by == "category":
        return lambda question: question.category or OTHER
    if by == "split":
        return lambda question: question.split or OTHER
    raise ConfigurationError(f"by {by!r}: category, split or a function of the question is wanted")
