"""Rolling windows over the tallies of all shards, kept up by differences: cost follows what changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragauge_service.core.changes import SeriesKey, SlotKey
from ragauge_service.core.config import duration_ms
from ragauge_service.core.packing import series_of, unpack_cells
from ragauge_service.core.slots import MINUTE_MS, RETENTION_MS, begin_of, cover, end_of
from ragauge_service.core.snapshot import SeriesWindow
from ragauge_service.core.tally import Layout, Tally

Cells = NDArray[np.int64]
Slots = Mapping[SlotKey, Mapping[SeriesKey, bytes]]

LOW_BITS: Final = 32
LOW: Final = (1 << LOW_BITS) - 1
STUCK_MS: Final = RETENTION_MS[1] - 10 * MINUTE_MS
"""A shard that is further behind does not keep the windows of the others on minutes, which are kept 2 h."""


class Windows:
    """The windows of one namespace: told what changed on a shard, asked for every series over every window.

    A slot is kept for each shard as it was read, so that what changes is a difference; merging is addition.
    """

    def __init__(self, layout: Layout, windows: Sequence[str]) -> None:
        self.layout = layout
        self._rows: dict[SeriesKey, int] = {}
        self._shards: dict[int, dict[SlotKey, dict[SeriesKey, bytes]]] = {}
        self._merged: dict[SlotKey, Cells] = {}
        self._windows = {name: _Window(duration_ms(name), layout.size) for name in windows}

    def apply(self, shard: int, slots: Slots, *, complete: bool = False) -> dict[SeriesKey, Cells]:
        """Take in a shard's changed slots, absolute; return by how much its minutes grew, per series.

        ``complete`` says that what is not among ``slots`` is gone.
        """
        known = self._shards.setdefault(shard, {})
        grown: dict[SeriesKey, Cells] = {}
        gone = (
            {key: dict.fromkeys(known[key], b"") for key in known.keys() - slots.keys()} if complete else {}
        )
        for key, rows in [*slots.items(), *gone.items()]:
            held = known.setdefault(key, {})
            self._change(key, held, {name: row for name, row in rows.items() if row != held.get(name)}, grown)
            held.update(rows)
        for key in gone:
            del known[key]
        return grown

    def forget(self, now: int) -> None:
        """Drop the slots that no window can reach any more; one that still counts in a window stays."""
        covered = {key for window in self._windows.values() for key in window.cover}
        for key in [key for key in self._merged if _old(key, now) and key not in covered]:
            del self._merged[key]
            for known in self._shards.values():
                known.pop(key, None)

    def at(self, now: int, times: Iterable[int]) -> Iterator[SeriesWindow]:
        """Yield every series that a window holds; ``times`` are how far each shard is committed, in ms."""
        behind = max(min((time for time in times if time > 0), default=now), now - STUCK_MS)
        for name, window in self._windows.items():
            window.move(frozenset(_cover(window.length_ms, now, behind)), self._merged)
            yield from self._series(name, window)

    def _series(self, name: str, window: "_Window") -> Iterator[SeriesWindow]:
        filled = window.filled()
        for key, row in self._rows.items():
            if row < len(filled) and filled[row]:
                yield SeriesWindow(series_of(key), name, Tally(self.layout, window.cells(row)))

    def _change(
        self,
        key: SlotKey,
        held: Mapping[SeriesKey, bytes],
        changed: Mapping[SeriesKey, bytes],
        grown: dict[SeriesKey, Cells],
    ) -> None:
        """Add to a slot, and to the windows that cover it, by how much each changed series differs."""
        if not changed:
            return
        old = self._cells([held.get(series, b"") for series in changed])
        difference = self._cells(list(changed.values())) - old
        rows = np.array([self._rows.setdefault(series, len(self._rows)) for series in changed])
        merged = _tall(self._merged.get(key), len(self._rows), self.layout.size)
        merged[rows] += difference
        self._merged[key] = merged
        for window in self._windows.values():
            window.change(key, rows, difference)
        if key.minutes == 1:
            for series, cells in zip(changed, difference, strict=True):
                grown[series] = grown[series] + cells if series in grown else cells

    def _cells(self, packed: Sequence[bytes]) -> Cells:
        """Return packed tallies as rows; nothing is a row of zeros."""
        zeros = self.layout.zeros()
        return np.array([unpack_cells(row) if row else zeros for row in packed], np.int64)


class _Window:
    """The sum of the slots that a window covers, in two halves, so that no sum of int64 overflows."""

    def __init__(self, length_ms: int, size: int) -> None:
        self.length_ms = length_ms
        self.cover: frozenset[SlotKey] = frozenset()
        self._high = np.zeros((0, size), np.int64)
        self._low = np.zeros((0, size), np.int64)

    def change(self, key: SlotKey, rows: NDArray[np.int64], difference: Cells) -> None:
        if key in self.cover:
            self._grow(int(rows.max()) + 1)
            self._high[rows] += difference >> LOW_BITS
            self._low[rows] += difference & LOW

    def move(self, wanted: frozenset[SlotKey], slots: Mapping[SlotKey, Cells]) -> None:
        """Cover other slots: add those that come, take away those that go."""
        for sign, keys in ((1, wanted - self.cover), (-1, self.cover - wanted)):
            for key in keys & slots.keys():
                cells = slots[key]
                self._grow(len(cells))
                self._high[: len(cells)] += sign * (cells >> LOW_BITS)
                self._low[: len(cells)] += sign * (cells & LOW)
        self.cover = wanted

    def filled(self) -> NDArray[np.bool_]:
        """Return which rows hold anything."""
        return (self._high != 0).any(axis=1) | (self._low != 0).any(axis=1)

    def cells(self, row: int) -> tuple[int, ...]:
        halves = zip(self._high[row].tolist(), self._low[row].tolist(), strict=True)
        return tuple((high << LOW_BITS) + low for high, low in halves)

    def _grow(self, rows: int) -> None:
        self._high = _tall(self._high, rows, self._high.shape[1])
        self._low = _tall(self._low, rows, self._low.shape[1])


def _cover(window_ms: int, now: int, behind: int) -> Iterator[SlotKey]:
    """Yield a window's slots: what is closed on every shard as far as possible, then minutes up to now."""
    at = begin_of(window_ms, now)
    for slot in cover(window_ms, now, behind):
        yield slot
        at = end_of(slot)
    yield from (SlotKey(1, start) for start in range(at, now + 1, MINUTE_MS))


def _tall(cells: Cells | None, rows: int, size: int) -> Cells:
    """Return cells with at least ``rows`` rows, at least half as many again when they must grow."""
    have = 0 if cells is None else len(cells)
    if cells is not None and have >= rows:
        return cells
    taller = np.zeros((max(rows, have + have // 2, 8), size), np.int64)
    if cells is not None:
        taller[:have] = cells
    return taller


def _old(key: SlotKey, now: int) -> bool:
    return key.start < now - RETENTION_MS[key.minutes] - 2 * key.minutes * MINUTE_MS
