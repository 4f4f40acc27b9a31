"""Runs and judgments as records, one mapping a line or row: JSONL, CSV, TSV, Parquet and data frames."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from ragauge.errors import InputError, JudgmentsError
from ragauge.measures import Grade
from ragauge.offline.data import Question, Questions, Run
from ragauge.offline.formats.mappings import grades_of, name_of, params_of, ranking_of, score_of
from ragauge.offline.formats.trec import add_grade, grade_of, ordered

Record = Mapping[str, Any]
Located = Iterable[tuple[str, Record]]
"""Records with where each stands: a file and a line."""

QUERY: Final = ("query_id", "query-id", "qid", "query_key", "topic", "question_id", "question")
DOC: Final = (
    "doc_id",
    "docid",
    "docno",
    "doc-id",
    "corpus-id",
    "corpus_id",
    "document_id",
    "doc",
)
SCORE: Final = ("score", "sim", "similarity")
GRADE: Final = ("grade", "relevance", "rel", "label", "relevant", "score")
_TRUE: Final = {True, "1", "true", "True", "TRUE", "yes"}


def take(record: Record, names: Iterable[str]) -> Any:
    """Return the first of some fields that a record has, else None."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def query_of(where: str, record: Record) -> str:
    """Return a record's query id; the query's text serves as one when there is no other.

    Raises:
        InputError: there is neither.
    """
    value = take(record, (*QUERY, "query", "id"))
    if value is None:
        raise InputError(f"{where}: a field query_id is wanted; there are {', '.join(map(str, record))}")
    return name_of(where, value)


def run_of(source: str, records: Located) -> Run:
    """Return a run of records that each hold a whole ranking (``ids``) or one document of it.

    A record with ``params`` and no query describes the run.

    Raises:
        InputError: a record is neither, or a query has two rankings.
    """
    rankings: dict[str, list[str]] = {}
    best: dict[str, float] = {}
    latencies: dict[str, float] = {}
    params: dict[str, object] = {}
    rows: dict[str, list[tuple[str, str, Record]]] = {}
    for where, record in records:
        if "params" in record and take(record, (*QUERY, "query", "id")) is None:
            params |= params_of(where, record["params"])
            continue
        query = query_of(where, record)
        if record.get("latency_ms") is not None:
            latencies[query] = score_of(f"{where}: latency_ms", record["latency_ms"])
        if (answer := take(record, ("ids", "docs", "documents", "results", "ranking"))) is not None:
            if query in rankings:
                raise InputError(f"{where}: query {query!r} has a ranking already")
            rankings[query], scores = ranking_of(where, answer)
            scores = scores or [score_of(where, score) for score in record.get("scores") or ()]
            if scores:
                best[query] = max(scores)
        else:
            rows.setdefault(query, []).append((where, name_of(where, _doc(where, record)), record))
    for query, found in rows.items():
        rankings[query], scores = _ranked(found)
        if scores:
            best[query] = max(scores)
    return Run(rankings, source, best, latencies, params)


def _doc(where: str, record: Record) -> Any:
    doc = take(record, DOC)
    if doc is None:
        there = ", ".join(map(str, record))
        raise InputError(f"{where}: a field doc_id (or ids) is wanted; there are {there}")
    return doc


def _ranked(rows: list[tuple[str, str, Record]]) -> tuple[list[str], list[float]]:
    """Return documents by score, else by rank, else as they stand."""
    docs = [doc for _, doc, _ in rows]
    if all(take(record, SCORE) is not None for _, _, record in rows):
        scores = [_number(where, take(record, SCORE)) for where, _, record in rows]
        return ordered(docs, scores), scores
    if all(record.get("rank") is not None for _, _, record in rows):
        by_rank = sorted(rows, key=lambda row: _number(row[0], row[2]["rank"]))
        return [doc for _, doc, _ in by_rank], []
    return docs, []


def _number(where: str, value: Any) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise InputError(f"{where}: the score must be a number, not {value!r:.40}") from None
    return score_of(where, value)


def questions_of(source: str, records: Located) -> Questions:
    """Return judgments of records that each hold a whole question (``relevant``) or one graded document.

    A whole question with an empty ``relevant`` has no answer, as has one with the flag ``no_answer``.

    Raises:
        JudgmentsError: a record is neither, or contradicts an earlier one.
    """
    found: dict[str, dict[str, Any]] = {}
    for where, record in records:
        query = query_of(where, record)
        known = found.setdefault(query, {"grades": {}, "forbidden": set(), "no_answer": False})
        for name, fields in (("text", ("query", "text")), ("category", ("category",)), ("split", ("split",))):
            value = take(record, fields)
            known[name] = str(value) if value is not None else known.get(name)
        known["no_answer"] |= record.get("no_answer") in _TRUE
        known["forbidden"] |= {name_of(where, doc) for doc in record.get("forbidden") or ()}
        graded = list(_graded(where, record))
        known["no_answer"] |= not graded and record.get("relevant") in ([], {}, ())
        for doc, grade in graded:
            add_grade(known["grades"], query, doc, grade, where)
    return Questions({query: _question(source, query, known) for query, known in found.items()}, source)


def _graded(where: str, record: Record) -> Iterator[tuple[str, Grade]]:
    relevant = record.get("relevant")
    if isinstance(relevant, Mapping | list | tuple):
        yield from grades_of(where, cast("Any", relevant)).items()
    elif (doc := take(record, DOC)) is not None:
        grade = take(record, GRADE)
        yield name_of(where, doc), 1 if grade is None else grade_of(where, grade)
    elif record.get("no_answer") not in _TRUE:
        raise JudgmentsError(f"{where}: a field relevant, or doc_id and grade, is wanted")


def _question(source: str, query: str, known: dict[str, Any]) -> Question:
    if known["no_answer"] and any(grade > 0 for grade in known["grades"].values()):
        raise JudgmentsError(f"{source}: query {query!r}: has relevant documents and no_answer")
    known["forbidden"] = frozenset(known["forbidden"])
    return Question(id=query, **known)
