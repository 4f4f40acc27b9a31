"""Entries in order: numbered per shard, kept until acknowledged, sent again from where a gap begins."""

import secrets
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ragauge.counts import Counts
from ragauge.identity import now_ms
from ragauge.protocol import DUP, GAP, OK
from ragauge.transport import Refused, Transport

ENTRY_EVENTS: Final = 50
ENTRY_BYTES: Final = 1024 * 1024
RING: Final = 16
"""How many acknowledged entries of a shard are kept, for a store that lost them in a failover."""
RING_BYTES: Final = 256 * 1024
"""How large they may be together."""


class Entry(NamedTuple):
    """A numbered batch, in the transport's bytes."""

    seq: int
    body: bytes
    events: int


class Lane:
    """One shard's entries under one producer id."""

    def __init__(self, shard: int) -> None:
        self.shard = shard
        self.producer = secrets.token_hex(8)
        self.rows: list[Any] = []
        self.waiting: deque[Entry] = deque()
        self._next = 1
        self._ring: deque[Entry] = deque()
        self._ring_bytes = 0

    def seal(self, transport: Transport, rows: Sequence[Any]) -> None:
        """Number rows as an entry, or as several when their bytes are many."""
        body = transport.encode(rows)
        if len(body) > ENTRY_BYTES and len(rows) > 1:
            self.seal(transport, rows[: len(rows) // 2])
            self.seal(transport, rows[len(rows) // 2 :])
            return
        self.waiting.append(Entry(self._next, body, len(rows)))
        self._next += 1

    def ship(self, transport: Transport, counts: Counts) -> None:
        """Send what waits, in order.

        Raises:
            TransportError: the first entry's outcome is unknown; it waits for the next time.
        """
        while self.waiting:
            entry = self.waiting[0]
            try:
                answer = transport.append(self.shard, self.producer, entry.seq, now_ms(), entry.body)
            except Refused:
                self.waiting.popleft()
                counts.add("dropped_refused", entry.events)
                self._begin_again()
                continue
            if answer.status in {OK, DUP}:
                self._keep(self.waiting.popleft())
                counts.add("shipped", entry.events - answer.rejected)
                if answer.rejected:
                    counts.add("dropped_rejected", answer.rejected)
            elif not (answer.status == GAP and self._rewind(answer.expected, counts)):
                counts.add("uncertain", sum(entry.events for entry in self.waiting))
                self._begin_again()

    def _keep(self, entry: Entry) -> None:
        self._ring.append(entry)
        self._ring_bytes += len(entry.body)
        while len(self._ring) > RING or self._ring_bytes > RING_BYTES:
            self._ring_bytes -= len(self._ring.popleft().body)

    def _rewind(self, expected: int, counts: Counts) -> bool:
        """Put lost entries back in front; False when they are no longer kept."""
        lost = [entry for entry in self._ring if entry.seq >= expected]
        if not lost or lost[0].seq != expected:
            return False
        for entry in lost:
            self._ring.pop()
            self._ring_bytes -= len(entry.body)
        self.waiting.extendleft(reversed(lost))
        counts.add("sent_again", sum(entry.events for entry in lost))
        return True

    def _begin_again(self) -> None:
        """Take a new producer id."""
        self.producer = secrets.token_hex(8)
        self.waiting = deque(entry._replace(seq=seq) for seq, entry in enumerate(self.waiting, start=1))
        self._ring.clear()
        self._ring_bytes = 0
        self._next = len(self.waiting) + 1


class Lanes:
    """Every shard's lane."""

    def __init__(self, transport: Transport, counts: Counts) -> None:
        self.shards = 0
        self._transport = transport
        self._counts = counts
        self._lanes: dict[int, Lane] = {}

    def add(self, shard: int, row: Any) -> None:
        """Give a row to its shard's next entry."""
        lane = self._lanes.get(shard) or self._lanes.setdefault(shard, Lane(shard))
        lane.rows.append(row)
        if len(lane.rows) >= ENTRY_EVENTS:
            self._seal(lane)

    def ship(self) -> None:
        """Send everything, in order on each shard.

        Raises:
            TransportError: the other side was not reached; what is left waits.
        """
        for lane in self._lanes.values():
            if lane.rows:
                self._seal(lane)
        for lane in self._lanes.values():
            lane.ship(self._transport, self._counts)

    def waiting(self) -> int:
        """Return how many events are not acknowledged."""
        lanes = list(self._lanes.values())
        return sum(len(lane.rows) + sum(entry.events for entry in list(lane.waiting)) for lane in lanes)

    def _seal(self, lane: Lane) -> None:
        rows, lane.rows = lane.rows, []
        try:
            lane.seal(self._transport, rows)
        except Exception:  # noqa: BLE001 - rows that cannot be written are lost, not the thread
            self._counts.add("dropped_error", len(rows))
