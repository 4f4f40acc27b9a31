"""Runs and judgments as mappings: JSON files and Python dictionaries have the same rules."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from ragauge.errors import InputError, JudgmentsError
from ragauge.measures import Grade, by_score
from ragauge.offline.data import Question, Questions, Run
from ragauge.offline.formats.source import text
from ragauge.offline.formats.trec import grade_of, ordered

_WRAPPED: Final = {"run", "params", "latency_ms", "schema"}


def loads(path: Path, data: bytes) -> Any:
    """Return a JSON document; a key given twice in one object is an error, as one of them would be lost.

    Raises:
        InputError: it is not JSON.
    """
    try:
        return json.loads(text(path, data), object_pairs_hook=lambda pairs: _unique(path, pairs))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise InputError(f"{path}: JSON nested too deeply") from None


def _unique(path: Path, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise InputError(f"{path}: the key {twice!r} stands twice in one object")
    return found


def name_of(where: str, value: object) -> str:
    """Return an id as text; whole numbers are ids too, written as they are.

    Raises:
        InputError: it is no id.

    >>> name_of("run", 1), name_of("run", "01")
    ('1', '01')
    """
    if isinstance(value, str):
        if not value:
            raise InputError(f"{where}: an id is empty")
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return name_of(where, cast("Any", value).item())
    raise InputError(f"{where}: an id must be a text, not {type(value).__name__} {value!r:.40}")


def names_of(where: str, keys: Iterable[object]) -> list[str]:
    """Return ids as texts.

    Raises:
        InputError: two of them collide, as 1 and "1" do.
    """
    keys = list(keys)
    names = [name_of(where, key) for key in keys]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{where}: the id {twice!r} stands for two keys (a number and a text)")
    return names


def run_of(source: str, value: object) -> Run:
    """Return the run of ``{query: [ids]}`` or ``{query: {document: score}}``.

    It may be wrapped, to carry more: ``{"run": ..., "params": {...}, "latency_ms": {query: ms}}``.

    Raises:
        InputError: anything else.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{source}: an object {{query: [ids]}} is wanted, not {type(value).__name__}")
    table = cast("Mapping[object, object]", value)
    if isinstance(table.get("run"), Mapping) and set(table) <= _WRAPPED:
        run = run_of(source, table["run"])
        latencies = latencies_of(source, table.get("latency_ms") or {})
        return Run(run.rankings, source, run.best, latencies, params_of(source, table.get("params") or {}))
    rankings: dict[str, Sequence[str]] = {}
    best: dict[str, float] = {}
    for query, answer in zip(names_of(f"{source}: queries", table), table.values(), strict=True):
        rankings[query], scores = ranking_of(f"{source}: query {query!r}", answer)
        if scores:
            best[query] = max(scores)
    return Run(rankings, source, best)


def ranking_of(where: str, answer: object) -> tuple[list[str], list[float]]:
    """Return ranked ids and their scores, if any; a list is in rank order, a mapping is ordered by score.

    A list holds ids, or pairs of an id and a score, which is then ordered by score.

    Raises:
        InputError: anything else, or a score that is not a number.
    """
    if isinstance(answer, Mapping):
        table = cast("Mapping[object, object]", answer)
        names = names_of(where, table)
        scores = _scores(where, names, table.values())
        return by_score(dict(zip(names, scores, strict=True))), scores
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise InputError(f"{where}: a list of ids or an object of scores is wanted, not {answer!r:.40}")
    items = list(cast("Iterable[object]", answer))
    if items and all(isinstance(item, list | tuple) for item in items):
        pairs = _pairs(where, items)
        docs = [name_of(where, doc) for doc, _ in pairs]
        scores = _scores(where, docs, (score for _, score in pairs))
        return ordered(docs, scores), scores
    return [item if type(item) is str and item else name_of(where, item) for item in items], []


def _pairs(where: str, items: list[Any]) -> list[tuple[object, object]]:
    if any(len(item) != 2 for item in items):
        raise InputError(f"{where}: ids, or pairs of an id and a score, are wanted")
    return [(item[0], item[1]) for item in items]


def _scores(where: str, docs: list[str], scores: Iterable[object]) -> list[float]:
    return [score_of(f"{where}, document {doc!r}", score) for doc, score in zip(docs, scores, strict=True)]


def score_of(where: str, value: object) -> float:
    """Return a score.

    Raises:
        InputError: it is not a number, or NaN.
    """
    if isinstance(value, bool | str) or value is None:
        raise InputError(f"{where}: the score must be a number, not {value!r:.40}")
    try:
        score = float(cast("Any", value))
    except (TypeError, ValueError):
        raise InputError(f"{where}: the score must be a number, not {value!r:.40}") from None
    if math.isnan(score):
        raise InputError(f"{where}: the score must be a number, not NaN")
    return score


def params_of(source: str, value: object) -> dict[str, object]:
    """Return a run's parameters.

    Raises:
        InputError: they are no object.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{source}: params must be an object, not {type(value).__name__}")
    return {str(name): item for name, item in cast("Mapping[object, object]", value).items()}


def latencies_of(source: str, value: object) -> dict[str, float]:
    """Return milliseconds by query.

    Raises:
        InputError: they are no object of numbers.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{source}: latency_ms must be an object {{query: ms}}, not {type(value).__name__}")
    table = cast("Mapping[object, object]", value)
    where = f"{source}: latency_ms"
    return {name_of(where, query): score_of(where, ms) for query, ms in table.items()}


def questions_of(source: str, value: object) -> Questions:
    """Return the judgments of ``{query: {document: grade}}`` or ``{query: [relevant ids]}``.

    An empty value is an unjudged query: ``no_answer`` is explicit, and has no place in this form.

    Raises:
        JudgmentsError: anything else.
    """
    if not isinstance(value, Mapping):
        raise JudgmentsError(f"{source}: an object {{query: {{document: grade}}}} is wanted")
    table = cast("Mapping[object, object]", value)
    names = names_of(f"{source}: queries", table)
    found = {
        query: Question(id=query, grades=grades_of(f"{source}: query {query!r}", judged))
        for query, judged in zip(names, table.values(), strict=True)
    }
    return Questions(found, source)


def grades_of(where: str, value: object) -> dict[str, Grade]:
    """Return grades by document; a list of documents grades each 1.

    Raises:
        JudgmentsError: anything else.
    """
    if isinstance(value, Mapping):
        table = cast("Mapping[object, object]", value)
        names = names_of(where, table)
        return {
            name: grade_of(f"{where}, document {name!r}", grade)
            for name, grade in zip(names, table.values(), strict=True)
        }
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise JudgmentsError(f"{where}: grades by document or relevant ids are wanted, not {value!r:.40}")
    return dict.fromkeys((name_of(where, doc) for doc in cast("Iterable[object]", value)), 1)
