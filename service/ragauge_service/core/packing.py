"""The bytes of what the worker writes and the monitor reads: msgpack, since its C code beats any layout
of our own, and small integers, which most cells are, take one byte.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

import msgpack

from ragauge.events import Evidence
from ragauge_service.core.changes import SeriesKey
from ragauge_service.core.series import Series

_SEPARATOR = "\x1f"


def series_key(series: Series) -> SeriesKey:
    r"""Return a series as the field under which the store keeps it.

    >>> series_key(Series("billing", "docs", "", "judgments"))
    'billing\x1fdocs\x1f\x1fjudgments'
    """
    parts = (series.category, series.retriever, series.variant, series.evidence)
    return _SEPARATOR.join(part.replace(_SEPARATOR, " ") for part in parts)


def series_of(key: SeriesKey) -> Series:
    r"""Return the series that ``series_key`` wrote.

    >>> series_of("billing\x1fdocs\x1f\x1fprobe").evidence
    'probe'
    """
    category, retriever, variant, evidence = key.split(_SEPARATOR)
    return Series(category, retriever, variant, cast("Evidence", evidence))


def pack_cells(cells: Sequence[int]) -> bytes:
    """Return a tally's cells, or a histogram's, as bytes.

    >>> unpack_cells(pack_cells([0, 5, 10**12]))
    [0, 5, 1000000000000]
    """
    return cast("bytes", msgpack.packb(cells))


def unpack_cells(packed: bytes) -> list[int]:
    """Return the cells that ``pack_cells`` wrote."""
    return cast("list[int]", msgpack.unpackb(packed))


def add_cells(packed: bytes | None, more: Sequence[int]) -> bytes:
    """Return packed cells with others added; None stands for none yet.

    >>> unpack_cells(add_cells(pack_cells([1, 2]), [0, 5]))
    [1, 7]
    """
    if packed is None:
        return pack_cells(more)
    return pack_cells([a + b for a, b in zip(unpack_cells(packed), more, strict=True)])


def pack_items(items: Iterable[bytes]) -> bytes:
    """Return a list of packed values as one packed list.

    >>> msgpack.unpackb(pack_items([msgpack.packb(1), msgpack.packb("a")]))
    [1, 'a']
    """
    parts = list(items)
    header: bytes = msgpack.Packer().pack_array_header(len(parts))
    return header + b"".join(parts)


def pack(value: Any) -> bytes:
    """Return any value of lists, maps, texts and numbers as bytes."""
    return cast("bytes", msgpack.packb(value))


def unpack(packed: bytes) -> Any:
    """Return the value that ``pack`` wrote."""
    return msgpack.unpackb(packed, strict_map_key=False)
