"""Data frames of pandas and polars, and Arrow tables: an id column, and a score or distance column."""

from collections.abc import Sequence
from typing import Any, Final

from ragauge.events import MAX_IDS
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, is_id, named
from ragauge.record import Found

_IDS: Final = ("id", "_id", "doc_id", "document_id", "docno", "uuid", "chunk_id", "pk")
_SCORES: Final = ("score", "_score", "similarity", "_relevance_score")
_DISTANCES: Final = ("distance", "_distance", "dist")


def read_frame(result: Any) -> Answer:
    """Read the first known id column; only the rows that are logged are touched."""
    names = list(getattr(result, "column_names", None) or result.columns)
    place = next((name for name in _IDS if name in names), None)
    if place is None:
        return None
    head = result[:MAX_IDS]
    ids = _values(head[place])
    if not all(map(is_id, ids)):
        return None
    for wanted, distances in ((_SCORES, False), (_DISTANCES, True)):
        for name in wanted:
            if name in names:
                return Found(ids, len(result), _values(head[name]), distances)
    return Found(ids, len(result))


def _values(column: Any) -> Sequence[Any]:
    for method in ("to_list", "tolist", "to_pylist"):
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column)


def _result(kind: type) -> Reader | None:
    frame = named(kind, "pandas", "DataFrame") or named(kind, "polars", "DataFrame")
    return read_frame if frame or named(kind, "pyarrow", "Table") else None


def _rows(kind: type) -> RowsReader | None:
    del kind
    return None


FAMILY: Final = Family(_result, _rows)
