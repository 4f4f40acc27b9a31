"""Time slots: a retrieval counts in one minute, a minute in one quarter of an hour, that in one of two hours.

Everything is a function of a shard's time, the id of its newest entry. A minute is *closed*, and added to
its quarter, when the shard's time has passed its end by ``GRACE_MS``; a quarter likewise to its two hours.
What comes for a slot that is closed is added at every level that has closed over it.
"""

from collections.abc import Iterator
from typing import Final

from ragauge_service.core.changes import SlotKey

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
LEVELS: Final = (1, 15, 120)
"""The lengths of slots in minutes; each divides the next."""

GRACE_MS: Final = MINUTE_MS
"""How long a slot stays open after its end, since producers send a little late."""

RETENTION_MS: Final = {1: 2 * HOUR_MS, 15: 48 * HOUR_MS, 120: 14 * 24 * HOUR_MS}
"""How far back the slots of a level reach; longer windows begin at a coarser slot."""

UPPER: Final = {1: 15, 15: 120}
"""The level into which a level's closed slots are added."""


def slot_at(minutes: int, at: int) -> SlotKey:
    """Return the slot of a level that holds the moment ``at`` (Unix milliseconds).

    >>> slot_at(15, 16 * MINUTE_MS)
    SlotKey(minutes=15, start=900000)
    """
    length = minutes * MINUTE_MS
    return SlotKey(minutes, at // length * length)


def end_of(slot: SlotKey) -> int:
    """Return the first millisecond after a slot."""
    return slot.start + slot.minutes * MINUTE_MS


def closed(slot: SlotKey, time: int) -> bool:
    """Tell whether a slot has been added to the next level at a shard's ``time``.

    >>> closed(SlotKey(1, 0), 119_999), closed(SlotKey(1, 0), 120_000)
    (False, True)
    """
    return end_of(slot) + GRACE_MS <= time


def kept(slot: SlotKey, time: int) -> bool:
    """Tell whether a slot still belongs to what its level keeps."""
    return slot.start > time - RETENTION_MS[slot.minutes]


def minute_of(at: int, time: int) -> int:
    """Return the start of the minute in which an event at ``at`` counts, when the shard's time is ``time``.

    What lies in the future counts in the open minute, what is too old in the oldest that is kept.

    >>> minute_of(61_500, time=120_000), minute_of(999_999, time=120_000)
    (60000, 120000)
    """
    oldest = (time - RETENTION_MS[1]) // MINUTE_MS + 1
    return min(max(at // MINUTE_MS, oldest), time // MINUTE_MS) * MINUTE_MS


def level_of(window_ms: int) -> int:
    """Return the finest level that reaches back as far as a window does, and so says where it begins.

    >>> level_of(HOUR_MS), level_of(24 * HOUR_MS), level_of(7 * 24 * HOUR_MS)
    (1, 15, 120)
    """
    return next((minutes for minutes in LEVELS if window_ms <= RETENTION_MS[minutes]), LEVELS[-1])


def begin_of(window_ms: int, now: int) -> int:
    """Return the start of a window's first slot: the first of its level that starts after now - window."""
    length = level_of(window_ms) * MINUTE_MS
    return ((now - window_ms) // length + 1) * length


def cover(window_ms: int, now: int, time: int) -> Iterator[SlotKey]:
    """Yield the slots whose sum is a window at ``now``, oldest first: few, and none overlapping.

    ``time`` is the shard's committed time: slots that had not closed by then are read in their parts.

    >>> [key.minutes for key in cover(HOUR_MS, 61 * MINUTE_MS, 61 * MINUTE_MS)][12:16]
    [1, 15, 15, 15]
    """
    at = begin_of(window_ms, now)
    while at <= min(now, time):
        slot = _widest(at, time)
        yield slot
        at = end_of(slot)


def _widest(start: int, time: int) -> SlotKey:
    for minutes in reversed(LEVELS[1:]):
        slot = slot_at(minutes, start)
        if slot.start == start and closed(slot, time):
            return slot
    return SlotKey(1, start)
