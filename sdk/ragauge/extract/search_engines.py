"""Elasticsearch, OpenSearch, Redis search, Vespa and their query languages in Python."""

from collections.abc import Sequence
from typing import Any, Final

from ragauge.events import MAX_IDS
from ragauge.extract.dictionaries import read_dict, read_dict_rows
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, column, named
from ragauge.record import Found


def read_response(result: Any) -> Answer:
    """Read the client's ``ObjectApiResponse``, which is no dictionary but holds one."""
    body = result.body
    return read_dict(body) if isinstance(body, dict) else None


def read_dsl(rows: Sequence[Any], total: int) -> Answer:
    """Read hits of elasticsearch-dsl: ``hit.meta.id`` and ``hit.meta.score``."""
    metas = [row.meta for row in rows]
    return Found([meta.id for meta in metas], total, column(metas, "score"))


def read_dsl_response(result: Any) -> Answer:
    """Read a response of elasticsearch-dsl."""
    hits = list(result.hits[:MAX_IDS])
    return read_dsl(hits, len(result.hits)) if hits else Found((), 0)


def read_redis_search(result: Any) -> Answer:
    """Read redis-py's search results: ``.docs[].id``, with a vector's distance where it was asked for."""
    docs = result.docs[:MAX_IDS]
    ids = [doc.id for doc in docs]
    for name in ("vector_distance", "vector_score", "__vector_score", "distance"):
        distances = column(docs, name)
        if distances and len(distances) == len(ids):
            return Found(ids, len(result.docs), [float(distance) for distance in distances], distances=True)
    return Found(ids, len(result.docs), column(docs, "score"))


def read_vespa(result: Any) -> Answer:
    """Read pyvespa's answer: ``.hits`` with ``id`` and ``relevance``."""
    return read_dict_rows(result.hits, None)


def _result(kind: type) -> Reader | None:
    if named(kind, "elastic_transport", "ObjectApiResponse"):
        return read_response
    if named(kind, "elasticsearch", "Response") or named(kind, "opensearch", "Response"):
        return read_dsl_response
    if kind.__module__.startswith("redis.commands.search") and kind.__name__ == "Result":
        return read_redis_search
    return read_vespa if named(kind, "vespa", "VespaQueryResponse") else None


def _rows(kind: type) -> RowsReader | None:
    return (
        read_dsl
        if named(kind, "elasticsearch", "Hit", "Document") or named(kind, "opensearch", "Hit")
        else None
    )


FAMILY: Final = Family(_result, _rows)
