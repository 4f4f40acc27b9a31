"""Dictionaries: hits with an id, and answers that hold a list of them.

Haystack ``{"documents": [...]}``; Chroma ``{"ids": [[...]], "distances": [[...]]}``; Elasticsearch and
OpenSearch ``{"hits": {"hits": [...]}}``; Pinecone ``{"matches": [...]}`` and ``{"result": {"hits": [...]}}``;
Vespa ``{"root": {"children": [...]}}``; rerankers ``{"results": [{"index": 0}]}``; RedisVL, LanceDB,
Milvus, txtai, sentence-transformers and Turbopuffer rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from ragauge.events import MAX_IDS
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, anything, is_id
from ragauge.record import Batch, Found

_IDS: Final = ("id", "_id", "doc_id", "document_id", "corpus_id", "uuid", "chunk_id", "pk", "key")
_SCORES: Final = ("score", "_score", "similarity", "relevance_score", "relevance", "@search.score")
_DISTANCES: Final = ("distance", "_distance", "vector_distance", "$dist", "dist")
_LISTS: Final = ("documents", "matches", "results", "rows", "data", "points", "hits", "objects")


def read_dict(result: Any) -> Answer:
    """Read a dictionary by the keys that it has."""
    hits = result.get("hits")
    if isinstance(hits, Mapping):
        return _hits(cast("Mapping[str, Any]", hits))
    if isinstance(result.get("ids"), list | tuple):
        return _columns(result)
    if isinstance(result.get("result"), Mapping):
        return read_dict(result["result"])
    if isinstance(result.get("root"), Mapping):
        return read_dict_rows(result["root"].get("children") or (), None)
    for name in _LISTS:
        if isinstance(result.get(name), list | tuple):
            return _listed(result[name])
    return None


def read_dict_rows(rows: Sequence[Any], total: int | None) -> Answer:
    """Read a list of dictionaries by the first key that all of them have."""
    if not rows:
        return Found((), 0)
    kept = rows[:MAX_IDS]
    count = len(rows) if total is None else total
    if not all(isinstance(row, Mapping) for row in kept):
        return None
    for name in _IDS:
        ids = [row.get(name) for row in kept]
        if all(map(is_id, ids)):
            scores, distances = _scores(kept)
            return Found(ids, count, scores, distances)
    if isinstance(kept[0].get("hits") or kept[0].get("matches") or kept[0].get("ids"), list | dict):
        return _several([read_dict(row) for row in kept])
    nested = kept[0].get("entity") or kept[0].get("document") or kept[0].get("fields")
    if isinstance(nested, Mapping):
        inner = [next((row[n] for n in ("entity", "document", "fields") if n in row), {}) for row in kept]
        answer = read_dict_rows(inner, count)
        scores, distances = _scores(kept)
        return answer._replace(scores=scores, distances=distances) if isinstance(answer, Found) else None
    return None


def _hits(hits: Mapping[str, Any]) -> Answer:
    """Read Elasticsearch's or OpenSearch's hits; the total counts the page, not all that would match."""
    rows = hits.get("hits")
    return read_dict_rows(rows, None) if isinstance(rows, list) else None


def _columns(result: Mapping[str, Any]) -> Answer:
    """Read answers kept by column, as Chroma does: one list of ids a query, or one list alone."""
    ids = result["ids"]
    distances = result.get("distances")
    scores = result.get("scores")
    if not ids or is_id(ids[0]):
        kept = distances if distances is not None else scores
        return Found(ids[:MAX_IDS], len(ids), kept and kept[:MAX_IDS], distances is not None)
    columns = distances if distances is not None else scores
    return _several(
        [
            Found(
                tuple(one[:MAX_IDS]),
                len(one),
                columns[at][:MAX_IDS] if columns else None,
                distances is not None,
            )
            for at, one in enumerate(ids)
        ]
    )


def _several(answers: Sequence[Answer]) -> Answer:
    """Return one answer as itself, several as a batch."""
    if any(not isinstance(answer, Found) for answer in answers):
        return None
    found = cast("Sequence[Found]", answers)
    return found[0] if len(found) == 1 else Batch(tuple(found))


def _listed(rows: Any) -> Answer:
    if rows and isinstance(rows[0], list) and len(rows) == 1:  # one query's documents, as a batch of one
        return anything(rows[0])
    return anything(rows)


def _scores(rows: Sequence[Any]) -> tuple[list[Any] | None, bool]:
    for names, distances in ((_SCORES, False), (_DISTANCES, True)):
        for name in names:
            if all(row.get(name) is not None for row in rows):
                return [row[name] for row in rows], distances
    return None, False


def _result(kind: type) -> Reader | None:
    return read_dict if issubclass(kind, dict) else None


def _rows(kind: type) -> RowsReader | None:
    return read_dict_rows if issubclass(kind, dict) else None


FAMILY: Final = Family(_result, _rows)
