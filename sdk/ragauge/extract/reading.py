"""The one entry: by the type of the result, or of a list's first element; found once, then remembered."""

from collections.abc import Callable
from typing import Any, Final, cast

from ragauge.events import MAX_IDS
from ragauge.extract import plain
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, anything
from ragauge.record import Batch, Found

NONE_FOUND: Final = Found((), 0)

_results: Final[dict[type, Reader]] = {}
_rows: Final[dict[type, RowsReader]] = {}


def extract(result: Any) -> Answer:
    """Return what a result holds, or None for an unknown shape: nothing is guessed.

    >>> extract(["a", "b"])[:2]
    (('a', 'b'), 2)
    >>> extract([("a", 0.5)])[2]
    [0.5]
    >>> extract("a text") is None
    True
    """
    kind = type(result)
    if kind is list or kind is tuple:
        total = len(result)
        if not total:
            return NONE_FOUND
        read_rows = _rows.get(type(result[0])) or _find_rows(type(result[0]))
        return read_rows(result if total <= MAX_IDS else result[:MAX_IDS], total)
    read = _results.get(kind) or _find(kind)
    return read(result)


def register(kind: type, read: Callable[[Any], Any]) -> None:
    """Say how ids are found in results of a type, and in lists of it.

    ``read`` is given the result (or the list) and returns ids, pairs of id and score, or a ``Found``.

    >>> class Page:
    ...     def __init__(self, keys):
    ...         self.keys = keys
    >>> register(Page, lambda page: page.keys)
    >>> extract(Page(["a"]))[:2]
    (('a',), 1)
    """

    def answer(result: Any) -> Answer:
        return extract(read(result))

    _results[kind] = answer
    _rows[kind] = lambda rows, total: _with_total(answer(rows), total)


def _with_total(answer: Answer, total: int) -> Answer:
    if answer is None or isinstance(answer, Batch):
        return answer
    found = Found(*cast("Any", answer))
    return found._replace(total=max(total, found.total))


def _families() -> tuple[Family, ...]:
    from ragauge.extract.families import FAMILIES  # noqa: PLC0415 - only for what is no plain list

    return FAMILIES


def _find(kind: type) -> Reader:
    if issubclass(kind, Found | Batch):
        _results[kind] = cast("Any", _itself)
        return _results[kind]
    for family in _families():
        if (read := family.result(kind)) is not None:
            _results[kind] = read
            return read
    if issubclass(kind, list | tuple):  # a list under another name
        _results[kind] = _as_list
        return _as_list
    _results[kind] = _unknown
    return _unknown


def _find_rows(kind: type) -> RowsReader:
    for family in _families():
        if (read := family.rows(kind)) is not None:
            _rows[kind] = read
            return read
    if issubclass(kind, Found):
        _rows[kind] = _batch
    elif _find(kind) is not _unknown:  # the answers to several queries
        _rows[kind] = _nested
    else:
        _rows[kind] = plain.FAMILY.rows(kind) or _unknown_rows
    return _rows[kind]


def _batch(rows: Any, total: int) -> Answer:
    del total
    return Batch(tuple(rows))


def _nested(rows: Any, total: int) -> Answer:
    """Read a list of results: the answers to several queries."""
    del total
    answers = [extract(row) for row in rows]
    if any(answer is None or isinstance(answer, Batch) for answer in answers):
        return None
    return Batch(tuple(Found(*cast("Any", answer)) for answer in answers))


def _itself(result: Any) -> Answer:
    return result


def _as_list(result: Any) -> Answer:
    return extract(list(result))


def _unknown(result: Any) -> None:
    del result


def _unknown_rows(rows: Any, total: int) -> None:
    del rows, total


_rows.update({str: plain.read_ids, int: plain.read_ids})
_rows[list] = _nested
_rows[tuple] = plain.read_pairs
anything.read = extract
