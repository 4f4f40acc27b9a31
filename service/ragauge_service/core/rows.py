"""The quick way to check an event's array; whatever does not pass it is judged by ``ragauge.wire``.

An array of a known shape (the types of its fields) only needs its ranges checked. A shape becomes known when
``wire.parse`` accepts an array that has it, so both ways accept the same arrays.
"""

from collections.abc import Sequence
from typing import Any, Final

from ragauge.events import Retrieval, Signal
from ragauge.wire import (
    MAX_ID_LENGTH,
    MAX_TEXT_LENGTH,
    parse,
    retrieval_row,
    signal_row,
)

RETRIEVAL_FIELDS: Final = 25
SIGNAL_FIELDS: Final = 8
_MOST_SHAPES: Final = 4_096
_WHOLE: Final = 2**53

Row = Sequence[Any]
Shape = tuple[type, ...]


class Shapes:
    """The shapes of arrays that ``wire.parse`` has accepted."""

    def __init__(self) -> None:
        self._known: set[Shape] = set()

    def retrieval(self, row: Row) -> Row:
        """Return a retrieval's checked array, of exactly ``RETRIEVAL_FIELDS`` fields.

        Raises:
            MalformedEventError: what ``wire.parse`` says.
        """
        shape = tuple(map(type, row))
        if shape in self._known and _retrieval_fits(row):
            return row
        event = parse(row)
        assert isinstance(event, Retrieval)  # noqa: S101 - the caller has looked at the type
        return self._learnt(row, shape, retrieval_row(event), RETRIEVAL_FIELDS)

    def signal(self, row: Row) -> Row:
        """Return a signal's checked array, of exactly ``SIGNAL_FIELDS`` fields.

        Raises:
            MalformedEventError: what ``wire.parse`` says.
        """
        shape = tuple(map(type, row))
        if shape in self._known and _signal_fits(row):
            return row
        event = parse(row)
        assert isinstance(event, Signal)  # noqa: S101 - the caller has looked at the type
        return self._learnt(row, shape, signal_row(event), SIGNAL_FIELDS)

    def _learnt(self, row: Row, shape: Shape, checked: Row, fields: int) -> Row:
        if len(row) == fields and len(self._known) < _MOST_SHAPES:
            self._known.add(shape)
        return checked


def _retrieval_fits(row: Row) -> bool:
    """Tell whether an array of a known shape is within the limits; False may also mean "look closely"."""
    (
        _, id_, key, category, retriever, variant, at, outcome, ids, total, offset, parent, probe, rate,
        batch, latency, scores, _, query, query_id, version, params, error_type, trace, span,
    ) = row  # fmt: skip
    return (
        len(id_) == 16
        and 0 < len(key) <= MAX_ID_LENGTH
        and (category is None or 0 < len(category) <= MAX_ID_LENGTH)
        and 0 < len(retriever) <= MAX_ID_LENGTH
        and len(variant) <= MAX_ID_LENGTH
        and 0 <= at < _WHOLE
        and 0 <= outcome < 4
        and _ids_fit(ids)
        and 0 <= total < _WHOLE
        and 0 <= offset < _WHOLE
        and (parent is None or len(parent) == 16)
        and 0 < rate <= 1
        and latency == latency  # noqa: PLR0124 - NaN
        and (scores is None or _scores_fit(scores))
        and (query is None or len(query) <= MAX_TEXT_LENGTH)
        and len(version) <= MAX_ID_LENGTH
        and (probe is batch is query_id is params is error_type is None or _rest_fits(row))
        and (trace is None or len(trace) <= MAX_ID_LENGTH)
        and (span is None or len(span) <= MAX_ID_LENGTH)
    )


def _rest_fits(row: Row) -> bool:
    names = (row[12], row[14], row[19])
    params, error_type = row[21], row[22]
    return (
        all(name is None or 0 < len(name) <= MAX_ID_LENGTH for name in names)
        and (params is None or (len(params) <= 64 and {str}.issuperset(map(type, params))))
        and (error_type is None or len(error_type) <= MAX_ID_LENGTH)
    )


def _ids_fit(ids: Sequence[Any]) -> bool:
    """Tell whether ids are at most 100 texts of 1 to 512 characters; joining them checks most in C."""
    try:
        joined = len("".join(ids))
    except TypeError:
        return False
    return (
        len(ids) <= 100 and "" not in ids and (joined <= MAX_ID_LENGTH or max(map(len, ids)) <= MAX_ID_LENGTH)
    )


def _scores_fit(scores: Sequence[Any]) -> bool:
    return len(scores) <= 100 and {float, int}.issuperset(map(type, scores)) and sum(scores) == sum(scores)


def _signal_fits(row: Row) -> bool:
    _, id_, doc, kind, value, at, rank, user = row
    return (
        len(id_) == 16
        and (doc is None or 0 < len(doc) <= MAX_ID_LENGTH)
        and 0 <= kind < 6
        and (value is None or value == value)  # noqa: PLR0124 - NaN
        and 0 <= at < _WHOLE
        and (rank is None or 0 <= rank < _WHOLE)
        and (user is None or len(user) <= MAX_ID_LENGTH)
    )
