"""The tallies of one shard's slots: added to, rolled up into longer slots, written as they are.

Those of slots that still grow are held; another slot must be given by ``fill`` before it is added to.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from ragauge_service.core.changes import SeriesKey, SlotKey
from ragauge_service.core.packing import pack_cells, unpack_cells
from ragauge_service.core.slots import LEVELS, MINUTE_MS, UPPER, closed, kept, slot_at

Touched = dict[int, int]
"""What is added to which cell."""

HELD_MS: Final = 2 * MINUTE_MS
"""How long a slot that nothing is added to is held in memory."""

_MINUTE, _QUARTER, _HOURS = LEVELS


class Slots:
    """The slots of one shard with tallies of ``size`` cells, from its committed time ``start`` on."""

    def __init__(self, size: int, start: int) -> None:
        self._size = size
        self._time = start
        self._rows: dict[SlotKey, dict[SeriesKey, list[int]]] = {}
        self._used: dict[SlotKey, int] = {}
        self._dirty: dict[SlotKey, set[SeriesKey]] = {}
        self._open = {slot_at(minutes, at) for minutes in UPPER for at in _recent(minutes, start)}

    def missing(self, minutes: Iterable[int], time: int) -> list[SlotKey]:
        """Return the slots that must be filled before these minutes are added to and ``time`` is reached."""
        wanted = {key for minute in minutes for key in self._levels(minute, time)}
        growing = self._open | {key for key in wanted if key.minutes != _HOURS}
        for level in UPPER:
            closing = {key for key in growing if key.minutes == level and closed(key, time)}
            above = {slot_at(UPPER[level], key.start) for key in closing}
            wanted |= closing | above
            growing |= above
        return sorted(key for key in wanted if key not in self._rows and key.start <= self._time)

    def fill(self, slots: Mapping[SlotKey, Mapping[SeriesKey, bytes]]) -> None:
        """Take in what the store holds of slots."""
        for key, rows in slots.items():
            self._rows[key] = {series: unpack_cells(row) for series, row in rows.items()}

    def add(self, minute: int, series: SeriesKey, cells: Touched, time: int) -> None:
        """Add to a series in a minute, and in every longer slot that the minute has been added to."""
        for key in self._levels(minute, time):
            self._plus(key, series, cells.items())

    def take(self, time: int) -> dict[SlotKey, dict[SeriesKey, bytes]]:
        """Return the tallies that changed, with what has closed by ``time`` added to the longer slots."""
        self._roll_up(time)
        dirty, self._dirty = self._dirty, {}
        changed = {
            key: {series: pack_cells(self._rows[key][series]) for series in names}
            for key, names in dirty.items()
        }
        for key in dirty:
            self._used[key] = time
        self._move(time)
        return changed

    def _levels(self, minute: int, time: int) -> list[SlotKey]:
        """Return the slots that an addition to a minute reaches: up to the first that is still open.

        Closed ones that their level keeps no more are left out; one still open is needed for the next level.
        """
        keys: list[SlotKey] = []
        for level in LEVELS:
            keys.append(slot_at(level, minute))
            if not closed(keys[-1], self._time):
                break
        return [key for key in keys if kept(key, time) or not closed(key, self._time)]

    def _plus(self, key: SlotKey, series: SeriesKey, cells: Iterable[tuple[int, int]]) -> None:
        rows = self._rows.setdefault(key, {})
        row = rows.get(series)
        if row is None:
            row = rows[series] = [0] * self._size
        for cell, value in cells:
            row[cell] += value
        self._dirty.setdefault(key, set()).add(series)
        if key.minutes in UPPER and not closed(key, self._time):
            self._open.add(key)

    def _roll_up(self, time: int) -> None:
        for level in UPPER:
            for key in sorted(key for key in self._open if key.minutes == level and closed(key, time)):
                upper = slot_at(UPPER[level], key.start)
                for series, row in self._rows.get(key, {}).items():
                    self._plus(upper, series, enumerate(row))
                self._open.discard(key)

    def _move(self, time: int) -> None:
        """Go on to ``time``: begin its slots, and let go of those that nothing was added to for a while."""
        for level in LEVELS:
            key = slot_at(level, time)
            if key.start > self._time:
                self._rows.setdefault(key, {})
                self._used[key] = time
        self._time = time
        for key in [key for key in self._rows if self._idle(key, time)]:
            del self._rows[key]
            self._used.pop(key, None)

    def _idle(self, key: SlotKey, time: int) -> bool:
        return closed(key, time) and self._used.get(key, 0) + HELD_MS <= time


def _recent(minutes: int, time: int) -> list[int]:
    """Return moments in the slots of a level that may not have closed at ``time``."""
    length = minutes * MINUTE_MS
    moments = range(max(0, time - 2 * length - MINUTE_MS), time + 1, MINUTE_MS)
    return [at for at in moments if not closed(slot_at(minutes, at), time)]
