"""Rerankers: Cohere, Voyage, Pinecone and the package ``rerankers``; an index points into the candidates.

An index alone is no document's id. ``reranked`` turns it into one: give it the candidates.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from ragauge.events import MAX_IDS
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, anything, is_id, named
from ragauge.record import Found


def reranked(result: Any, candidates: Sequence[Any]) -> Found:
    """Return the candidates' ids in a reranker's order.

    ``candidates`` are ids, or anything whose ids can be read. Cohere's and Voyage's ``.results`` and
    Pinecone's ``.data`` are known by their attributes.

    >>> from types import SimpleNamespace as Row
    >>> answer = Row(results=[Row(index=1, relevance_score=0.9), Row(index=0, relevance_score=0.1)])
    >>> reranked(answer, ["a", "b"]).ids
    ['b', 'a']
    """
    found = anything(candidates)
    ids = found[0] if isinstance(found, tuple) and len(found) > 1 else list(candidates)
    rows = _rows_of(result)
    scores = [_value(row, "relevance_score", "score") for row in rows[:MAX_IDS]]
    order = [ids[_value(row, "index", "corpus_id")] for row in rows[:MAX_IDS]]
    return Found(order, len(rows), None if None in scores else scores)


def by_candidates(candidates: Sequence[Any]) -> Callable[[Any], Found]:
    """Return an ``extract`` for results that point into these candidates."""
    return lambda result: reranked(result, candidates)


def _rows_of(result: Any) -> Sequence[Any]:
    for name in ("results", "data"):
        rows = result.get(name) if isinstance(result, dict) else getattr(result, name, None)
        if isinstance(rows, list | tuple):
            return rows
    return list(result)


def _value(row: Any, *names: str) -> Any:
    for name in names:
        value = row.get(name) if isinstance(row, dict) else getattr(row, name, None)
        if value is not None:
            return value
    return None


def read_rerankers(result: Any) -> Answer:
    """Read the package ``rerankers``: ``.results[].document.doc_id``."""
    rows = result.results
    ids = [row.document.doc_id for row in rows[:MAX_IDS]]
    scores = [row.score for row in rows[:MAX_IDS]]
    return Found(ids, len(rows), None if None in scores else scores) if all(map(is_id, ids)) else None


def read_ranked(result: Any) -> Answer:
    """Read an answer whose rows name their documents; one with indices only needs its candidates."""
    rows = _rows_of(result)
    documents = [_value(row, "document") for row in rows[:MAX_IDS]]
    ids = [
        _value(document, "id", "doc_id", "_id") if document is not None else None for document in documents
    ]
    if not ids or not all(map(is_id, ids)):
        return None
    return Found(ids, len(rows), [_value(row, "relevance_score", "score") for row in rows[:MAX_IDS]])


def _result(kind: type) -> Reader | None:
    if named(kind, "rerankers", "RankedResults"):
        return read_rerankers
    if any(named(kind, root, kind.__name__) for root in ("cohere", "voyageai")) or named(
        kind, "pinecone", "RerankResult"
    ):
        return read_ranked
    return None


def _rows(kind: type) -> RowsReader | None:
    del kind
    return None


FAMILY: Final = Family(_result, _rows)
