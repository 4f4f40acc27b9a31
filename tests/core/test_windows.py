"""A window read from slots of three lengths is the sum of what happened in it."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragauge_service.core.changes import SlotKey
from ragauge_service.core.slots import (
    HOUR_MS,
    LEVELS,
    MINUTE_MS,
    RETENTION_MS,
    begin_of,
    closed,
    cover,
    end_of,
    level_of,
    slot_at,
)

NOW = 1_764_550_000_000

windows = st.one_of(
    st.sampled_from([MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS]),
    st.integers(1, 14 * 24 * HOUR_MS),
)
ages = st.integers(0, 14 * 24 * HOUR_MS)


@given(window=windows, now=st.integers(NOW, NOW + 3 * HOUR_MS), behind=st.integers(0, HOUR_MS), happened=ages)
def test_every_moment_of_a_window_is_in_exactly_one_of_its_slots(
    window: int, now: int, behind: int, happened: int
) -> None:
    """Counted once if it lies in a slot that starts after now - window, and not at all otherwise."""
    time = now - behind
    at = time - happened
    slots = [slot for slot in cover(window, now, time) if slot.start <= at < end_of(slot)]
    assert len(slots) == int(at >= begin_of(window, now))


@given(window=windows, now=st.integers(NOW, NOW + 3 * HOUR_MS))
def test_a_window_begins_at_the_first_slot_that_starts_after_it(window: int, now: int) -> None:
    """The open slot is included; the one that the beginning cuts is not."""
    slots = list(cover(window, now, now))
    length = level_of(window) * MINUTE_MS
    assert now - window < begin_of(window, now) <= now - window + length
    assert not slots or slots[0].start == begin_of(window, now)


@given(window=windows, now=st.integers(NOW, NOW + 3 * HOUR_MS), behind=st.integers(0, HOUR_MS))
def test_a_window_reads_only_what_is_there(window: int, now: int, behind: int) -> None:
    """Longer slots have closed; and no slot is older than its level keeps."""
    time = now - behind
    for slot in cover(window, now, time):
        assert slot.minutes == 1 or closed(slot, time)
        assert behind or slot.start >= now - RETENTION_MS[slot.minutes]


@given(window=windows)
def test_a_window_is_read_from_few_slots(window: int) -> None:
    """The monitor's work must not grow with the window."""
    assert len(list(cover(window, NOW, NOW))) <= 200


def test_levels_divide_each_other() -> None:
    """A slot lies within one slot of the next level."""
    for finer, coarser in pairwise(LEVELS):
        assert coarser % finer == 0
    assert slot_at(15, NOW) == SlotKey(15, slot_at(15, slot_at(1, NOW).start).start)
