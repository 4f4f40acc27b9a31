"""The monitor's windows, kept up by differences, equal a recount of every slot that they cover."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge_service.core.changes import SlotKey
from ragauge_service.core.packing import pack_cells, series_key
from ragauge_service.core.publishing import pack_snapshot, unpack_snapshot
from ragauge_service.core.series import Series
from ragauge_service.core.slots import LEVELS, MINUTE_MS, begin_of, closed, minute_of, slot_at
from ragauge_service.core.snapshot import DropStatus, SeriesWindow, Snapshot
from ragauge_service.core.tally import Layout, Tally
from ragauge_service.core.windows import Windows

LAYOUT = Layout(depth=2, cutoffs=(1,))
WINDOWS = {"30m": 30 * MINUTE_MS, "1h": 60 * MINUTE_MS, "5h": 300 * MINUTE_MS}
START = 1_800_000_000_000
SERIES = [Series(name, "docs", "", "judgments") for name in ("a", "b")]
SHARDS = 2
HUGE = 2**61

Cells = list[int]


class Shards:
    """What workers write: each event in its minute, closed slots added to the next level."""

    def __init__(self) -> None:
        self.events: list[tuple[int, int, Series, Cells]] = []
        self.times = [0] * SHARDS

    def slots(self, shard: int) -> dict[SlotKey, dict[str, bytes]]:
        """Return all slots of a shard as they stand: recounted from the events."""
        found: dict[SlotKey, dict[str, Cells]] = {}
        time = self.times[shard]
        for where, minute, series, cells in self.events:
            if where == shard:
                for level in LEVELS:
                    if level == 1 or closed(slot_at({15: 1, 120: 15}[level], minute), time):
                        rows = found.setdefault(slot_at(level, minute), {})
                        known = rows.get(series_key(series), LAYOUT.zeros())
                        rows[series_key(series)] = [a + b for a, b in zip(known, cells, strict=True)]
        return {key: {name: pack_cells(row) for name, row in rows.items()} for key, rows in found.items()}


def recount(shards: Shards, window_ms: int, now: int) -> dict[Series, Cells]:
    """Return what a window holds, straight from the events."""
    begin, found = begin_of(window_ms, now), dict[Series, Cells]()
    for _, minute, series, cells in shards.events:
        if minute >= begin:
            known = found.get(series, LAYOUT.zeros())
            found[series] = [a + b for a, b in zip(known, cells, strict=True)]
    return found


def changed(
    before: Mapping[SlotKey, Mapping[str, bytes]], after: Mapping[SlotKey, Any]
) -> dict[SlotKey, Any]:
    """Return the slots that a shard says have changed."""
    return {key: rows for key, rows in after.items() if rows != before.get(key)}


steps = st.lists(
    st.tuples(
        st.integers(0, SHARDS - 1),
        st.integers(0, 50 * MINUTE_MS),
        st.integers(0, 40 * MINUTE_MS),
        st.sampled_from(SERIES),
        st.integers(0, LAYOUT.size - 1),
        st.sampled_from([1, 3, HUGE]),
        st.booleans(),
    ),
    min_size=1,
    max_size=25,
)


@given(steps=steps)
@settings(max_examples=60, deadline=None)
def test_a_window_equals_a_recount_however_shards_lag_and_slots_change(steps: list[Any]) -> None:
    """Also when everything is read again, as after a failover, and beyond 64 bits."""
    shards, windows, now = Shards(), Windows(LAYOUT, list(WINDOWS)), START
    seen: list[dict[SlotKey, Any]] = [{} for _ in range(SHARDS)]
    for shard, pause, age, series, cell, amount, complete in steps:
        now += pause
        shards.times[shard] = now
        row = LAYOUT.zeros()
        row[cell] = amount
        shards.events.append((shard, minute_of(now - age, now), series, row))
        fresh = shards.slots(shard)
        windows.apply(shard, fresh if complete else changed(seen[shard], fresh), complete=complete)
        seen[shard] = fresh
        found: dict[str, dict[Series, Cells]] = {name: {} for name in WINDOWS}
        for part in windows.at(now, shards.times):
            found[part.window][part.series] = list(part.tally.cells)
        for name, length in WINDOWS.items():
            assert found[name] == recount(shards, length, now), name


@given(pause=st.integers(61, 10_000))
def test_a_silent_series_forgets(pause: int) -> None:
    """No traffic for longer than a window, and the window holds nothing: no number, not an old one."""
    windows = Windows(LAYOUT, ["1h"])
    row = [1, *LAYOUT.zeros()[1:]]
    windows.apply(0, {SlotKey(1, START // MINUTE_MS * MINUTE_MS): {series_key(SERIES[0]): pack_cells(row)}})
    assert len([*windows.at(START, [START])]) == 1
    later = START + pause * MINUTE_MS
    windows.forget(later)
    assert [*windows.at(later, [later])] == []


def test_a_failover_takes_back_what_it_lost() -> None:
    """After a rolled back version the shard sends all there is; what is not among it is gone."""
    windows, minute = Windows(LAYOUT, ["1h"]), START // MINUTE_MS * MINUTE_MS
    one = {series_key(SERIES[0]): pack_cells([1, *LAYOUT.zeros()[1:]])}
    windows.apply(0, {SlotKey(1, minute): one, SlotKey(1, minute - MINUTE_MS): one})
    grown = windows.apply(0, {SlotKey(1, minute): one}, complete=True)
    (part,) = windows.at(START, [START])
    assert part.tally.scored == 1
    assert [int(cells[0]) for cells in grown.values()] == [-1]


def test_a_snapshot_travels_whole() -> None:
    """A replica on another machine answers what the monitor would."""
    tally = Tally(LAYOUT, (2**70, *LAYOUT.zeros()[1:]))
    drop = DropStatus(
        category=None, retriever="docs", evidence="clicks", measure="MRR@2", state="held", reason="x"
    )
    snapshot = Snapshot(at=5, layout=LAYOUT, windows=(SeriesWindow(SERIES[0], "1h", tally),), drops=(drop,))
    assert unpack_snapshot(pack_snapshot(snapshot)) == snapshot
