"""Where events enter the streams: a client's own producer and sequence, or, without one, ours."""

import secrets
import threading
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ragauge.events import Event, shard_of
from ragauge.protocol import DUP, GAP, UNKNOWN
from ragauge.wire import MAX_EVENTS, pack
from ragauge_service.store.errors import StoreFull, StoreUnavailable
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore

TRIES: Final = 3

Placed = tuple[int, Event]
"""A partition, and what belongs there."""


class Appended(NamedTuple):
    """What became of a producer's entry; ``expected`` is the sequence that was wanted in its place."""

    duplicate: bool = False
    expected: int | None = None
    unknown: bool = False


class Inlet:
    """Appends events to the shards that they belong to; safe to use from any thread."""

    def __init__(self, namespace: Namespace) -> None:
        self.shards = namespace.config.shards
        self._stores = [namespace.shard(index) for index in range(self.shards)]
        self._producers = [_Producer(store) for store in self._stores]

    def proxy(self, producer: str, shard: int, seq: int, sent_at: int, events: Sequence[Event]) -> Appended:
        """Append a producer's entry under its own name and sequence: once, however often it is sent.

        Raises:
            StoreFull: nothing was written; the producer must slow down.
            StoreUnavailable: it may have been written; send the same sequence again.
        """
        status, value = self._stores[shard].append(producer, seq, sent_at, pack(events))
        if status in {GAP, UNKNOWN}:
            return Appended(expected=int(value), unknown=status == UNKNOWN)
        return Appended(duplicate=status == DUP)

    def append(self, placed: Iterable[Placed], sent_at: int) -> None:
        """Append events under a producer of our own: at least once, if the caller sends again on error.

        ``sent_at`` is Unix milliseconds on the clock that the events' own times are of.

        Raises:
            StoreUnavailable: some may have been written.
        """
        by_shard: dict[int, list[Event]] = {}
        for partition, event in placed:
            by_shard.setdefault(shard_of(partition, self.shards), []).append(event)
        for shard, events in by_shard.items():
            for first in range(0, len(events), MAX_EVENTS):
                self._producers[shard].append(sent_at, pack(events[first : first + MAX_EVENTS]))


class _Producer:
    """Our own producer on one shard: numbers its entries, and sends one again that may have been lost."""

    def __init__(self, store: ShardStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self._name, self._seq = f"api-{secrets.token_hex(8)}", 0

    def append(self, sent_at: int, body: bytes) -> None:
        with self._lock:
            try:
                while self._try(sent_at, body) in {GAP, UNKNOWN}:
                    self._begin()  # a failover took back entries that nobody can send again
            except StoreFull:
                raise
            except StoreUnavailable:
                self._begin()  # this sequence may be taken
                raise
            self._seq += 1

    def _try(self, sent_at: int, body: bytes) -> str:
        for last in (*(False,) * (TRIES - 1), True):
            try:
                return self._store.append(self._name, self._seq + 1, sent_at, body).status
            except StoreFull:
                raise
            except StoreUnavailable:
                if last:
                    raise
        raise AssertionError("the last try returns or raises")
