"""Anything that can be a run or judgments: files, mappings, data frames, a live retriever."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, cast

from ragauge.errors import InputError
from ragauge.offline.data import Question, Questions, Run
from ragauge.offline.formats import Format, mappings, read_judgments, read_run, records, table, testset

Retriever = Callable[[str], Any]
RunInput = str | PathLike[str] | Run | Mapping[Any, Any] | Retriever | Any
JudgmentsInput = str | PathLike[str] | Questions | Mapping[Any, Any] | Any
Progress = Callable[[Sequence[Question]], Iterable[Question]]


def questions_from(
    value: JudgmentsInput,
    *,
    split: str | None = None,
    format: Format | None = None,  # noqa: A002
) -> Questions:
    """Return the judgments of a file, a mapping, a test set as a mapping, records, or a data frame.

    Raises:
        InputError: it is none of these.
    """
    if isinstance(value, str | PathLike):
        return read_judgments(str(value), format=format, split=split)
    if isinstance(value, Questions):
        found = value
    elif table.is_frame(value):
        found = records.questions_of("judgments", table.frame("judgments", value))
    elif isinstance(value, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        reader = testset if isinstance(mapping.get("questions"), list) else mappings
        found = reader.questions_of("judgments", mapping)
    else:
        found = records.questions_of("judgments", _records("judgments", value))
    return found.of_split(split)


def run_from(
    value: RunInput,
    questions: Questions,
    *,
    depth: int | None = None,
    format: Format | None = None,  # noqa: A002
    progress: Progress = iter,
) -> Run:
    """Return the run of a file, a mapping, records, a data frame, or a retriever that is asked now.

    Raises:
        InputError: it is none of these.
    """
    if isinstance(value, str | PathLike):
        return read_run(str(value), format=format, depth=depth)
    if isinstance(value, Run):
        return value
    if table.is_frame(value):
        return records.run_of("run", table.frame("run", value))
    if isinstance(value, Mapping):
        return mappings.run_of("run", cast("Mapping[object, object]", value))
    if callable(value):
        return asked(cast("Retriever", value), questions, progress)
    return records.run_of("run", _records("run", value))


def _records(name: str, value: object) -> records.Located:
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        rows = list(cast("Iterable[Any]", value))
        if all(isinstance(row, Mapping) for row in rows):
            return [(f"{name}, item {number}", row) for number, row in enumerate(rows, start=1)]
    raise InputError(
        f"{name}: a file, a mapping, a data frame or records are wanted, not {type(value).__name__}"
    )


def asked(retriever: Retriever, questions: Questions, progress: Progress = iter) -> Run:
    """Return what a retriever answers to every question's text (or id, without a text), with latencies.

    Its result may be any shape that the decorator understands.

    Raises:
        InputError: a result has an unknown shape.
    """
    from ragauge.extract import extract  # noqa: PLC0415 - result shapes are the SDK's business

    rankings: dict[str, Sequence[str]] = {}
    latencies: dict[str, float] = {}
    for question in progress(list(questions.by_id.values())):
        began = time.perf_counter()
        result = retriever(question.text or question.id)
        latencies[question.id] = (time.perf_counter() - began) * 1000
        rankings[question.id] = _ids(extract, question.id, result)
    name = getattr(retriever, "__name__", type(retriever).__name__)
    return Run(rankings, name, latencies=latencies)


def _ids(extract: Callable[[Any], Any], query: str, result: Any) -> list[str]:
    where = f"query {query!r}"
    if isinstance(result, Mapping):
        return mappings.ranking_of(where, cast("Mapping[object, object]", result))[0]
    found = extract(result)
    if found is None:
        raise InputError(
            f"{where}: ids, documents or pairs are wanted of the retriever, not {type(result).__name__}"
        )
    return list(found.ids)
