"""The worst retrievals of each series and minute, so that every drop leads to queries."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ragauge_service.core.changes import SeriesKey, SlotKey
from ragauge_service.core.packing import pack, pack_items, unpack
from ragauge_service.core.slots import MINUTE_MS

WORST_KEPT: Final = 50
TEXT_KEPT: Final = 300
MISS: Final = 1_000_000
"""The rank by which a miss is sorted: after every other."""

MOST_BYTES: Final = 1 << 20
"""How much one minute of one shard may keep; what comes beyond it is left out."""

WRITE_EVERY_MS: Final = 10_000
GROWING_MS: Final = 3 * MINUTE_MS


def growing(minute: int, time: int) -> bool:
    """Tell whether a minute's worst retrievals are still collected."""
    return minute + GROWING_MS > time


class Failure(NamedTuple):
    """One retrieval that went badly; ``rank`` is None for a miss, ``at`` Unix milliseconds."""

    rank: int | None
    id: str
    key: str
    query: str | None
    ids: tuple[str, ...]
    trace_id: str | None
    at: int


def read_failures(packed: bytes) -> list[Failure]:
    """Return the worst retrievals of a series in a slot, worst first, then oldest first."""
    rows = [_failure(*row[:7]) for row in unpack(packed)]
    return sorted(rows, key=lambda row: (-(row.rank or MISS), row.at))


def _failure(
    rank: int | None,
    id_: str,
    key: str,
    query: str | None,
    ids: list[str],
    trace_id: str | None,
    at: int,
) -> Failure:
    return Failure(rank, id_, key, query, tuple(ids), trace_id, at)


class Worst:
    """The worst retrievals of one series in one minute: at most ``WORST_KEPT``, the first of equals."""

    __slots__ = ("best", "rows")

    def __init__(self) -> None:
        self.rows: dict[bytes, tuple[int, bytes]] = {}
        self.best = 0
        """The rank that a further retrieval must be worse than; 0 while there is room."""

    def add(self, id_: bytes, rank: int, packed: bytes) -> None:
        """Keep a retrieval, in place of the best one if there is no more room."""
        if len(self.rows) >= WORST_KEPT:
            del self.rows[min(self.rows, key=lambda key: self.rows[key][0])]
        self.rows[id_] = (rank, packed)
        full = len(self.rows) >= WORST_KEPT
        self.best = min(rank for rank, _ in self.rows.values()) if full else 0


class Failures:
    """The worst retrievals of one shard's latest minutes."""

    def __init__(self) -> None:
        self._minutes: dict[int, dict[SeriesKey, Worst]] = {}
        self._bytes: dict[int, int] = {}
        self._dirty: dict[tuple[int, SeriesKey], None] = {}
        self._written = 0

    def worst(self, minute: int, series: SeriesKey) -> Worst:
        """Return the worst retrievals of a series in a minute."""
        rows = self._minutes.setdefault(minute, {})
        if series not in rows:
            rows[series] = Worst()
        return rows[series]

    def full(self, minute: int) -> bool:
        """Tell whether a minute keeps as many bytes as it may."""
        return self._bytes.get(minute, 0) >= MOST_BYTES

    def add(self, minute: int, series: SeriesKey, row: Failure) -> None:
        """Keep a retrieval that is worse than the best of those kept."""
        packed = pack(row)
        self._bytes[minute] = self._bytes.get(minute, 0) + len(packed)
        self.worst(minute, series).add(bytes.fromhex(row.id), row.rank or MISS, packed)
        self._dirty[minute, series] = None

    def drop(self, minute: int, series: SeriesKey, id_: bytes) -> None:
        """Take back a retrieval whose score has been corrected."""
        worst = self._minutes.get(minute, {}).get(series)
        if worst is not None and worst.rows.pop(id_, None):
            worst.best = 0
            self._dirty[minute, series] = None

    def settle(self, time: int) -> None:
        """Forget what a replay brought back of minutes that have been written for good."""
        self._forget(time)
        self._dirty = {key: None for key in self._dirty if key[0] in self._minutes}

    def take(self, time: int) -> Mapping[SlotKey, Mapping[SeriesKey, bytes]]:
        """Return what changed, every ``WRITE_EVERY_MS`` of the shard's time, and forget old minutes."""
        if time < self._written + WRITE_EVERY_MS:
            return {}
        self._written = time
        changed: dict[SlotKey, dict[SeriesKey, Any]] = {}
        for minute, series in self._dirty:
            items = (packed for _, packed in self._minutes[minute][series].rows.values())
            changed.setdefault(SlotKey(1, minute), {})[series] = pack_items(items)
        self._dirty = {}
        self._forget(time)
        return changed

    def _forget(self, time: int) -> None:
        for minute in [minute for minute in self._minutes if not growing(minute, time)]:
            del self._minutes[minute]
            self._bytes.pop(minute, None)
