"""The quick way to check an event's array; whatever does not pass it is judged by ``ragauge.wire``.

An array of a known shape (the types of its fields) only needs its ranges checked, and only those of the
fields that the core reads. A shape becomes known when ``wire.parse`` accepts an array that has it. The names
of a series are checked when they are first seen.
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

_MOST_SHAPES: Final = 4_096
_WHOLE: Final = 2**53

Row = Sequence[Any]
Shape = tuple[type, ...]


class Shapes:
    """The shapes of arrays that ``wire.parse`` has accepted: of retrievals, and of signals."""

    def __init__(self) -> None:
        self.known: set[Shape] = set()
        self._signals: set[Shape] = set()

    def retrieval(self, row: Row) -> Row:
        """Return a retrieval's checked array, with every field that this release knows.

        Raises:
            MalformedEventError: what ``wire.parse`` says.
        """
        shape = tuple(map(type, row))
        if shape in self.known and retrieval_fits(row):
            return row
        event = parse(row)
        assert isinstance(event, Retrieval)  # noqa: S101 - the caller has looked at the type
        return _learnt(self.known, row, shape, retrieval_row(event))

    def signal(self, row: Row) -> Row:
        """Return a signal's checked array, with every field that this release knows.

        Raises:
            MalformedEventError: what ``wire.parse`` says.
        """
        shape = tuple(map(type, row))
        if shape in self._signals and _signal_fits(row):
            return row
        event = parse(row)
        assert isinstance(event, Signal)  # noqa: S101 - the caller has looked at the type
        return _learnt(self._signals, row, shape, signal_row(event))


def _learnt(known: set[Shape], row: Row, shape: Shape, checked: Row) -> Row:
    """Remember the shape of an accepted array that has neither too few nor too many fields."""
    if len(row) == len(checked) and len(known) < _MOST_SHAPES:
        known.add(shape)
    return checked


def retrieval_fits(row: Row) -> bool:
    """Tell whether what the core reads of an array of a known shape is within the limits.

    False may also mean "look closely". Joining the ids checks in C that they are texts.
    """
    ids, batch, parent, query = row[8], row[14], row[11], row[18]
    try:
        joined = len("".join(ids))
    except TypeError:
        return False
    return (
        len(row[1]) == 16
        and 0 < len(row[2]) <= MAX_ID_LENGTH
        and 0 <= row[6] < _WHOLE
        and 0 <= row[7] < 4
        and 0 <= row[10] < _WHOLE
        and 0 <= row[15] < _WHOLE
        and len(ids) <= 100
        and all(ids)
        and (joined <= MAX_ID_LENGTH or max(map(len, ids)) <= MAX_ID_LENGTH)
        and (query is None or len(query) <= MAX_TEXT_LENGTH)
        and (parent is None or len(parent) == 16)
        and (row[12] is batch is None or _names_fit(row))
    )


def _names_fit(row: Row) -> bool:
    return all(name is None or 0 < len(name) <= MAX_ID_LENGTH for name in (row[12], row[14]))


def labels_fit(row: Row) -> bool:
    """Tell whether the names of a retrieval, when first seen, are within the limits."""
    category, retriever, variant = row[3:6]
    named = category is None or 0 < len(category) <= MAX_ID_LENGTH
    return named and 0 < len(retriever) <= MAX_ID_LENGTH and len(variant) <= MAX_ID_LENGTH


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
