"""Qdrant, Pinecone, Weaviate, Milvus, LanceDB and Turbopuffer."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragauge.events import MAX_IDS
from ragauge.extract.dictionaries import read_dict_rows
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, by_attributes, column, named
from ragauge.record import Batch, Found


def _listed(attribute: str, read: RowsReader) -> Reader:
    def read_list(result: Any) -> Answer:
        rows = getattr(result, attribute)
        return read(rows[:MAX_IDS], len(rows)) if rows else Found((), 0)

    return read_list


read_points: Final = by_attributes("id", "score")


def read_groups(result: Any) -> Answer:
    """Read Qdrant's groups: a group is a document, its hits are its chunks."""
    groups = result.groups
    ids = [group.id for group in groups[:MAX_IDS]]
    scores = [group.hits[0].score for group in groups[:MAX_IDS] if group.hits]
    return Found(ids, len(groups), scores if len(scores) == len(ids) else None)


def read_pinecone_search(result: Any) -> Answer:
    """Read Pinecone's ``search``: ``.result.hits`` with ``_id`` and ``_score``."""
    hits = result.result.hits
    if hits and isinstance(hits[0], Mapping):
        return read_dict_rows(hits, None)
    ids = [_first(hit, "_id", "id") for hit in hits[:MAX_IDS]]
    return Found(ids, len(hits), [_first(hit, "_score", "score") for hit in hits[:MAX_IDS]])


def _first(hit: Any, *names: str) -> Any:
    """Return the first attribute that there is; Pinecone's hits answer to both forms of its names."""
    return next(value for name in names if (value := getattr(hit, name, None)) is not None)


def read_weaviate(rows: Sequence[Any], total: int) -> Answer:
    """Read Weaviate's objects: a UUID, and in their metadata a score or a distance."""
    metadata = column(rows, "metadata") or []
    ids = [row.uuid for row in rows]
    for name in ("score", "certainty", "distance"):
        scores = column(metadata, name) if metadata else None
        if scores is not None:
            return Found(ids, total, scores, name == "distance")
    return Found(ids, total)


def read_milvus(rows: Sequence[Any], total: int) -> Answer:
    """Read Milvus' hits of one query: ``.id`` and ``.distance``, whose sense the index' metric decides."""
    if isinstance(rows[0], Mapping):
        return read_dict_rows(rows, total)
    return Found([row.id for row in rows], total, column(rows, "distance"), distances=True)


def read_milvus_hits(result: Any) -> Answer:
    """Read the hits of one query."""
    rows = list(result[:MAX_IDS])
    return read_milvus(rows, len(result)) if rows else Found((), 0)


def read_milvus_result(result: Any) -> Answer:
    """Read the hits of all queries."""
    found = tuple(read_milvus_hits(hits) for hits in result)
    known = tuple(one for one in found if isinstance(one, Found))
    if len(known) != len(found):
        return None
    return known[0] if len(known) == 1 else Batch(known)


def read_turbopuffer(result: Any) -> Answer:
    """Read Turbopuffer's rows: ``.id``, and the distance under ``$dist`` or ``.dist``."""
    rows = result.rows or ()
    kept = rows[:MAX_IDS]
    scores = [_distance(row) for row in kept]
    return Found([row.id for row in kept], len(rows), None if None in scores else scores, distances=True)


def _distance(row: Any) -> Any:
    extra = getattr(row, "model_extra", None) or getattr(row, "attributes", None) or {}
    return getattr(row, "dist", None) if "$dist" not in extra else extra["$dist"]


def read_lance(query: Any) -> None:
    """Leave LanceDB's query builder alone: reading it would run it."""
    del query


def _result(kind: type) -> Reader | None:  # noqa: PLR0911 - a table of types
    if named(kind, "qdrant_client", "QueryResponse", "SearchResponse"):
        return _listed("points", read_points)
    if named(kind, "qdrant_client", "GroupsResult"):
        return read_groups
    if named(kind, "pinecone", "QueryResponse", "QueryResults", "QueryNamespacesResults"):
        return _listed("matches", read_points)
    if named(kind, "pinecone", "SearchRecordsResponse", "SearchRecordsResponseModel"):
        return read_pinecone_search
    if named(
        kind, "weaviate", "QueryReturn", "_QueryReturn", "GenerativeReturn", "GenerativeSearchReturnType"
    ):
        return _listed("objects", read_weaviate)
    if named(kind, "pymilvus", "HybridHits", "Hits"):
        return read_milvus_hits
    if named(kind, "pymilvus", "SearchResult"):
        return read_milvus_result
    return _result_by_attribute(kind)


def _result_by_attribute(kind: type) -> Reader | None:
    if named(kind, "turbopuffer", "NamespaceQueryResponse"):
        return read_turbopuffer
    return read_lance if named(kind, "lancedb", "LanceQueryBuilder", "AsyncQueryBase") else None


def _rows(kind: type) -> RowsReader | None:
    if named(kind, "qdrant_client", "ScoredPoint", "Record") or named(kind, "pinecone", "ScoredVector"):
        return read_points
    if named(kind, "weaviate", "Object", "_Object"):
        return read_weaviate
    return read_milvus if named(kind, "pymilvus", "Hit") else None


FAMILY: Final = Family(_result, _rows)
