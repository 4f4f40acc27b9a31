"""What an extractor is: it claims types, and reads results, or rows of a list, of these types."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from ragauge.record import Batch, Found

Answer = Found | Batch | tuple[Any, ...] | None
Reader = Callable[[Any], Answer]
RowsReader = Callable[[Sequence[Any], int], Answer]
"""Reads at most 100 rows, and is told how many there were."""


class Family(NamedTuple):
    """Extractors of one family; each claims a type or not, once, and its answer is remembered."""

    result: Callable[[type], Reader | None]
    """Return the reader of results of this type, or None."""
    rows: Callable[[type], RowsReader | None]
    """Return the reader of lists whose first element is of this type, or None."""


SCALARS: Final = (str, int, UUID)
"""What an id can be."""


class _Anything:
    read: Reader

    def __call__(self, result: Any) -> Answer:
        """Read any result: what a pair, a field or a column holds may be of any family."""
        return self.read(result)


anything: Final = _Anything()
"""The one entry, which ``reading`` puts here; families need it and it needs them."""


def is_id(value: Any) -> bool:
    """Return whether a value can be an id: text, a whole number, a UUID."""
    return isinstance(value, SCALARS) and not isinstance(value, bool)


def named(kind: type, root: str, *names: str) -> bool:
    """Return whether a type or one of its bases has one of these names and lives in a package.

    >>> named(dict, "builtins", "dict")
    True
    """
    return any(
        base.__name__ in names and base.__module__.partition(".")[0].startswith(root) for base in kind.__mro__
    )


def no_reader(kind: type) -> None:
    """Claim nothing."""
    del kind


def column(rows: Sequence[Any], name: str) -> list[Any] | None:
    """Return an attribute of every row, or None when one of them has none."""
    values = [getattr(row, name, None) for row in rows]
    return None if any(value is None for value in values) else values


def by_attributes(doc: str, score: str | None = None, *, distances: bool = False) -> RowsReader:
    """Return a reader of rows that keep id and score in attributes."""

    def read(rows: Sequence[Any], total: int) -> Answer:
        ids = [getattr(row, doc) for row in rows]
        scores = column(rows, score) if score else None
        return Found(ids, total, scores, distances) if all(map(is_id, ids)) else None

    return read
