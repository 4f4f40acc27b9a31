"""Entries in order: numbered per shard, kept until acknowledged, sent again from where a gap begins."""

import secrets
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from ragauge.events import Event
from ragauge.identity import now_ms
from ragauge.protocol import DUP, GAP, OK
from ragauge.transport import Transport

RING: Final = 64
"""How many acknowledged entries of a shard are kept, for a store that lost them in a failover."""


class Entry(NamedTuple):
    """A numbered batch."""

    seq: int
    events: Sequence[Event]


class Lane:
    """One shard's entries under one producer id."""

    def __init__(self, shard: int) -> None:
        self.shard = shard
        self.producer = secrets.token_hex(8)
        self.next = 1
        self.waiting: deque[Entry] = deque()
        self.acknowledged: deque[Entry] = deque(maxlen=RING)
        self.uncertain = 0

    def add(self, events: Sequence[Event]) -> None:
        """Number a batch."""
        self.waiting.append(Entry(self.next, events))
        self.next += 1

    def ship(self, transport: Transport) -> int:
        """Send what waits, in order, and return how many events were acknowledged.

        Raises:
            TransportError: the first entry's outcome is unknown; it waits for the next time.
        """
        shipped = 0
        while self.waiting:
            entry = self.waiting[0]
            answer = transport.append(self.shard, self.producer, entry.seq, now_ms(), entry.events)
            if answer.status in {OK, DUP}:
                self.acknowledged.append(self.waiting.popleft())
                shipped += len(entry.events)
            elif not (answer.status == GAP and self._rewind(answer.expected)):
                self._begin_again()
        return shipped

    def _rewind(self, expected: int) -> bool:
        """Put lost entries back in front; False when they are no longer kept."""
        lost = [entry for entry in self.acknowledged if entry.seq >= expected]
        if not lost or lost[0].seq != expected:
            return False
        for _ in lost:
            self.acknowledged.pop()
        self.waiting.extendleft(reversed(lost))
        return True

    def _begin_again(self) -> None:
        """Take a new producer id: whether what waits had been delivered is not known."""
        self.producer = secrets.token_hex(8)
        self.uncertain += sum(len(entry.events) for entry in self.waiting)
        self.waiting = deque(Entry(seq, entry.events) for seq, entry in enumerate(self.waiting, start=1))
        self.acknowledged.clear()
        self.next = len(self.waiting) + 1
