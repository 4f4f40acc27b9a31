"""Plain Python results: ids, pairs of id and score, dictionaries and objects with an id."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ragauge.events import MAX_IDS

ID_NAMES: Final = ("id", "doc_id", "document_id", "_id")
SCORE_NAMES: Final = ("score", "_score", "similarity")


class Found(NamedTuple):
    """The first ids in rank order, how many there were, and the scores if there are any."""

    ids: tuple[str, ...]
    total: int
    scores: tuple[float, ...] | None = None


def extract(result: Any) -> Found | None:
    """Return what a list or tuple holds, or None for an unknown shape: nothing is guessed.

    >>> extract(["a", "b"])
    Found(ids=('a', 'b'), total=2, scores=None)
    >>> extract([("a", 0.5)])
    Found(ids=('a',), total=1, scores=(0.5,))
    >>> extract("a text") is None
    True
    """
    if not isinstance(result, list | tuple):
        return None
    rows = cast("Sequence[Any]", result)
    first = rows[:MAX_IDS]
    if not first or isinstance(first[0], str | int):
        return Found(tuple(map(str, first)), len(rows))
    pairs = [_pair(row) for row in first]
    if any(pair is None for pair in pairs):
        return None
    known = cast("list[tuple[Any, Any]]", pairs)
    scores = tuple(score for _, score in known if isinstance(score, int | float))
    return Found(
        tuple(str(doc) for doc, _ in known), len(rows), scores if len(scores) == len(known) else None
    )


def _pair(row: Any) -> tuple[Any, Any] | None:
    if isinstance(row, tuple | list):
        return (row[0], row[1]) if len(row) == 2 and isinstance(row[0], str | int) else None
    if isinstance(row, dict):
        doc = next((row[name] for name in ID_NAMES if row.get(name) is not None), None)
        return None if doc is None else (doc, next((row[n] for n in SCORE_NAMES if n in row), None))
    doc = getattr(row, "id", None)
    return None if doc is None else (doc, getattr(row, "score", None))
