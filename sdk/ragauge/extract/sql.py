"""Rows of SQLAlchemy, psycopg and sqlite3, so of pgvector too; a cursor is never consumed."""

from collections.abc import Sequence
from typing import Any, Final

from ragauge.extract.dictionaries import read_dict_rows
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, is_id, named, no_reader
from ragauge.record import Found

_IDS: Final = ("id", "doc_id", "document_id", "uuid", "chunk_id", "pk")
_SCORES: Final = ("score", "rank", "similarity", "relevance")
_DISTANCES: Final = ("distance", "dist", "cosine_distance", "l2_distance")


def read_rows(rows: Sequence[Any], total: int) -> Answer:
    """Read rows by the names of their columns; without a known name, a single column or (id, number)."""
    names = list(_names(rows[0]))
    by_name = {name.lower(): at for at, name in enumerate(names)}
    place = next((by_name[name] for name in _IDS if name in by_name), None)
    if place is None:
        return _entities(rows, total)
    ids = [row[place] for row in rows]
    if not all(map(is_id, ids)):
        return None
    for wanted, distances in ((_SCORES, False), (_DISTANCES, True)):
        for name in wanted:
            if name in by_name:
                return Found(ids, total, [row[by_name[name]] for row in rows], distances)
    return Found(ids, total)


def _entities(rows: Sequence[Any], total: int) -> Answer:
    """Read rows of mapped objects, alone or with a distance beside them."""
    first = rows[0][0]
    if is_id(first) and len(rows[0]) == 1:
        return Found([row[0] for row in rows], total)
    ids = [getattr(row[0], "id", None) for row in rows]
    if not all(map(is_id, ids)):
        return None
    names = list(_names(rows[0]))
    if len(names) == 2 and names[1].lower() in (*_DISTANCES, *_SCORES):
        return Found(ids, total, [row[1] for row in rows], names[1].lower() in _DISTANCES)
    return Found(ids, total)


def _names(row: Any) -> Sequence[str]:
    names = getattr(row, "_fields", None)
    return names if names is not None else row.keys()


def read_mappings(rows: Sequence[Any], total: int) -> Answer:
    """Read SQLAlchemy's rows as mappings."""
    return read_dict_rows([dict(row) for row in rows], total)


def _rows(kind: type) -> RowsReader | None:
    if named(kind, "sqlalchemy", "RowMapping"):
        return read_mappings
    if named(kind, "sqlalchemy", "Row", "BaseRow") or named(kind, "sqlite3", "Row"):
        return read_rows
    return read_rows if issubclass(kind, tuple) and hasattr(kind, "_fields") else None


def _result(kind: type) -> Reader | None:
    return no_reader(kind)


FAMILY: Final = Family(_result, _rows)
