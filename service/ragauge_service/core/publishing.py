"""A snapshot as bytes: what the monitor shows to the replicas of the HTTP surface on other machines."""

from dataclasses import astuple
from typing import Any, Final

from ragauge_service.core.packing import pack, unpack
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus, SeriesWindow, Snapshot
from ragauge_service.core.tally import Layout, Tally

VERSION: Final = 1


def pack_snapshot(snapshot: Snapshot) -> bytes:
    """Return a snapshot as bytes, whose numbers may be of any size.

    >>> unpack_snapshot(pack_snapshot(Snapshot(at=5, layout=Layout()))).at
    5
    """
    layout = snapshot.layout
    windows = [
        [*astuple(part.series), part.window, *map(_cell, part.tally.cells)] for part in snapshot.windows
    ]
    drops = [_drop(drop) for drop in snapshot.drops]
    parts = [VERSION, snapshot.at, layout.depth, list(layout.cutoffs), windows, drops]
    return pack([*parts, snapshot.disagreements])


def unpack_snapshot(packed: bytes) -> Snapshot | None:
    """Return the snapshot that ``pack_snapshot`` wrote, or None if another release wrote it."""
    version, *rest = unpack(packed)
    if version != VERSION:
        return None
    at, depth, cutoffs, windows, drops = rest[:5]
    layout = Layout(depth, tuple(cutoffs))
    return Snapshot(
        at=at,
        layout=layout,
        windows=tuple(_window(layout, row) for row in windows),
        drops=tuple(DropStatus(**drop) for drop in drops),
        disagreements=tuple((str(c), str(r), float(gauge)) for c, r, gauge in (rest[5] if rest[5:] else ())),
    )


def _window(layout: Layout, row: list[Any]) -> SeriesWindow:
    return SeriesWindow(Series(*row[:4]), row[4], Tally(layout, tuple(map(int, row[5:]))))


def _cell(cell: int) -> int | str:
    """Return a cell as msgpack can carry it: beyond 64 bits as text."""
    return cell if -(2**63) <= cell < 2**63 else str(cell)


def _drop(drop: DropStatus) -> dict[str, Any]:
    fields = ((name, getattr(drop, name)) for name in DropStatus.__slots__)
    return {name: value for name, value in fields if value is not None or name in {"category", "retriever"}}
