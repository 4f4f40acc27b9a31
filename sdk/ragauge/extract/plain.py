"""Plain Python: ids, pairs of id and score, pairs of document and score, objects with an id."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from ragauge.extract.seam import Answer, Family, Reader, RowsReader, anything, column, is_id
from ragauge.record import Found

_ID_NAMES: Final = ("id", "doc_id", "document_id", "_id", "uuid")
_attributes: Final[dict[type, tuple[Any, Any, bool]]] = {}
_NUMBERS: Final = frozenset({int, float})
_SCORE_NAMES: Final = ("score", "_score", "similarity", "relevance_score")


def read_ids(rows: Sequence[Any], total: int) -> Answer:
    """Read a list of ids; a plain tuple, for this is the hottest of all."""
    return (tuple(rows), total, None, False, 0)


def read_pairs(rows: Sequence[Any], total: int) -> Answer:
    """Read pairs: of an id and a score, or of a document and a score."""
    if not all(len(row) == 2 for row in rows):
        return None
    docs = [row[0] for row in rows]
    scores = [row[1] for row in rows]
    if not _NUMBERS.issuperset(map(type, scores)) and not all(map(_is_number, scores)):
        return None
    if is_id(docs[0]):
        return Found(docs, total, scores) if all(map(is_id, docs)) else None
    answer = anything(docs)
    if not isinstance(answer, Found) or len(answer.ids) != len(docs):
        return None
    return answer._replace(total=total, scores=scores)


def read_objects(rows: Sequence[Any], total: int) -> Answer:
    """Read objects that have an id, and perhaps a score or a distance.

    Which attributes they are is found once for a type; later lists of it are read by these.
    """
    known = _attributes.get(type(rows[0]))
    if known is not None:
        try:
            doc, score, distances = known
            ids = list(map(doc, rows))
            if type(ids[0]) is str:
                return (ids, total, None if score is None else list(map(score, rows)), distances, 0)
        except AttributeError:
            pass
    return _read_unknown_objects(rows, total)


def _read_unknown_objects(rows: Sequence[Any], total: int) -> Answer:
    for name in _ID_NAMES:
        ids = column(rows, name)
        if ids is None or not all(map(is_id, ids)):
            continue
        for score in (*_SCORE_NAMES, "distance"):
            if (scores := column(rows, score)) is not None:
                distances = score == "distance"
                _attributes[type(rows[0])] = (attrgetter(name), attrgetter(score), distances)
                return Found(ids, total, scores, distances)
        return Found(ids, total)
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or type(value).__module__ == "numpy"


def _result(kind: type) -> Reader | None:
    del kind
    return None


def _rows(kind: type) -> RowsReader | None:
    if issubclass(kind, str | int | UUID) and kind is not bool:
        return read_ids
    if kind is tuple:
        return read_pairs
    if kind in {list, dict, bool, float, bytes, type(None)} or kind.__module__ == "builtins":
        return None
    if any(hasattr(kind, name) for name in ("__next__", "__len__", "fetchone")):
        return None
    return read_objects


FAMILY: Final = Family(_result, _rows)
