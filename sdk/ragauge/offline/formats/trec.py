"""TREC runs and qrels, read with care: every complaint names file, line and what was wanted."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ragauge.errors import InputError, JudgmentsError
from ragauge.measures import Grade
from ragauge.offline.data import Question, Questions, Run
from ragauge.offline.formats import blocks, frame
from ragauge.offline.formats.source import lines, text

Scored = tuple[Sequence[str], Sequence[float]]


def read_run(path: Path, data: bytes, depth: int | None) -> Run:
    """Return a TREC run: score descending in double, then document id descending; ranks are ignored.

    Rankings are cut at ``depth``, unless a document stands in it twice. A frame library reads faster
    when there is one; a file that is not perfectly regular is read line by line.

    Raises:
        InputError: a line has fewer than six columns, or a score that is not a number.
    """
    for fast in (frame.read_run, blocks.read_run):
        if (found := fast(data, depth)) is not None:
            whole = None if depth is None else lambda: read_run(path, data, None)
            return Run(found.rankings, str(path), best=found.best, whole=whole)
    docs: dict[str, list[str]] = {}
    scores: dict[str, list[float]] = {}
    for query, doc, score in _run_lines(path, data):
        docs.setdefault(query, []).append(doc)
        scores.setdefault(query, []).append(score)
    rankings = {query: ordered(docs[query], scores[query]) for query in docs}
    return Run(rankings, str(path), best={query: max(found) for query, found in scores.items()})


def ordered(docs: Iterable[str], scores: Iterable[float]) -> list[str]:
    """Return documents by score descending, then by id descending; a repeated document stays repeated.

    >>> ordered(["a", "b", "a"], [1.0, 1.0, 2.0])
    ['a', 'b', 'a']
    """
    return [doc for _, doc in sorted(zip(scores, docs, strict=True), reverse=True)]


def _run_lines(path: Path, data: bytes) -> Iterator[tuple[str, str, float]]:
    for number, line in lines(path, data):
        fields = line.split()
        if len(fields) < 6:
            raise InputError(
                f"{path}, line {number}: 6 columns are wanted (query Q0 document rank score tag), "
                f"not {len(fields)}"
            )
        yield text(path, fields[0], number), text(path, fields[2], number), _score(path, number, fields[4])


def _score(path: Path, number: int, field: bytes) -> float:
    try:
        score = float(field)
    except ValueError:
        raise InputError(f"{path}, line {number}: the score must be a number, not {field[:40]!r}") from None
    if math.isnan(score):
        raise InputError(f"{path}, line {number}: the score must be a number, not NaN")
    return score


def read_qrels(path: Path, data: bytes) -> Questions:
    """Return TREC qrels.

    Raises:
        JudgmentsError: a line has fewer than four columns, a grade is not a number, or one document
            has two grades.
    """
    grades: Mapping[str, Mapping[str, Grade]] | None = blocks.read_qrels(data)
    if grades is None:
        grades = _careful_qrels(path, data)
    found = {query: Question(id=query, grades=documents) for query, documents in grades.items()}
    return Questions(found, str(path))


def _careful_qrels(path: Path, data: bytes) -> dict[str, dict[str, Grade]]:
    grades: dict[str, dict[str, Grade]] = {}
    for number, line in lines(path, data):
        fields = line.split()
        if len(fields) < 4:
            raise JudgmentsError(
                f"{path}, line {number}: 4 columns are wanted (query 0 document grade), not {len(fields)}"
            )
        query, doc = text(path, fields[0], number), text(path, fields[2], number)
        where = f"{path}, line {number}"
        add_grade(
            grades.setdefault(query, {}), query, doc, grade_of(where, fields[3].decode("latin-1")), where
        )
    return grades


def add_grade(grades: dict[str, Grade], query: str, doc: str, grade: Grade, where: str) -> None:
    """Add a document's grade; the same grade twice is fine.

    Raises:
        JudgmentsError: the document has another grade already.
    """
    before = grades.setdefault(doc, grade)
    if before != grade:
        raise JudgmentsError(
            f"{where}: query {query!r}, document {doc!r}: graded {before} before and {grade} here; "
            "one grade is wanted"
        )


def grade_of(where: str, value: object) -> Grade:
    """Return a grade: a whole number stays one.

    Raises:
        JudgmentsError: it is not a finite number.

    >>> grade_of("f", "2"), grade_of("f", "0.5"), grade_of("f", 3.0)
    (2, 0.5, 3)
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise JudgmentsError(f"{where}: the grade must be a finite number, not {value!r:.40}")
    return int(number) if number == int(number) else number
