"""The bounded queue between the caller and the worker thread, and the thread that ships it."""

import atexit
import logging
import os
import threading
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragauge.call import Call
from ragauge.events import Event, Signal, partition_of_id, shard_of
from ragauge.shipping import Lane
from ragauge.transport import Transport, TransportError

ENTRY_EVENTS: Final = 50
LONGEST_PAUSE_S: Final = 30.0
_log: Final = logging.getLogger("ragauge")

Item = Call | Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a client behaves; times are seconds."""

    capture_query: str = "text"
    max_queue: int = 10_000
    flush_interval: float = 1.0
    shutdown_timeout: float = 2.0


class Client:
    """Takes items from any thread without blocking, and ships them from one of its own."""

    def __init__(self, transport: Transport, options: Options) -> None:
        self.options = options
        self.counts: Counter[str] = Counter()
        self._transport = transport
        self._renew()
        os.register_at_fork(after_in_child=self._renew)
        atexit.register(self.close)

    def _renew(self) -> None:
        """Begin with nothing: at first, and in a forked child, whose parent keeps what was queued."""
        self._queue: deque[Item] = deque()
        self._lanes: dict[int, Lane] = {}
        self._shards = 0
        self._pause = 0.0
        self._busy = False
        self._closing = False
        self._wake = threading.Event()
        self._done = threading.Condition()
        self._thread: threading.Thread | None = None

    def put(self, item: Item) -> None:
        """Queue an item, or count it as dropped when the queue is full."""
        if len(self._queue) >= self.options.max_queue:
            self.counts["dropped_queue_full"] += 1
            return
        self._queue.append(item)
        if self._thread is None:
            self._start()

    def flush(self, timeout: float) -> bool:
        """Wait until everything queued so far is acknowledged; False when time ran out."""
        if self._thread is None:
            return not self._queue
        self._wake.set()
        with self._done:
            return self._done.wait_for(self._idle, timeout)

    def close(self) -> None:
        """Flush for at most ``shutdown_timeout`` seconds and stop."""
        self.flush(self.options.shutdown_timeout)
        self._closing = True
        self._wake.set()

    def stats(self) -> dict[str, int]:
        """Return what was shipped, dropped by reason, and is queued."""
        waiting = sum(len(entry.events) for lane in self._lanes.values() for entry in lane.waiting)
        uncertain = sum(lane.uncertain for lane in self._lanes.values())
        return {**self.counts, "queued": len(self._queue) + waiting, "uncertain": uncertain}

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="ragauge", daemon=True)
        self._thread = thread
        thread.start()

    def _idle(self) -> bool:
        return not self._queue and not self._busy and not any(lane.waiting for lane in self._lanes.values())

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(self._pause or self.options.flush_interval)
            self._wake.clear()
            self._busy = True
            try:
                self._ship()
                self._pause = 0.0
            except TransportError as error:
                self._hold(error)
            except Exception as error:  # noqa: BLE001 - the thread must live, whatever an item does
                self.counts["dropped_error"] += 1
                _log.warning("ragauge: an event could not be shipped: %s", type(error).__name__)
            finally:
                self._busy = False
            with self._done:
                self._done.notify_all()

    def _hold(self, error: TransportError) -> None:
        """Wait ever longer for the other side, and say so once an outage."""
        if not self._pause:
            _log.warning("ragauge: events wait: %s", error)
        self._pause = error.retry_after or min(LONGEST_PAUSE_S, self._pause * 2 or 0.5)
        self._transport.close()

    def _ship(self) -> None:
        if not self._shards:
            self._shards = self._transport.shards()
        while True:
            for lane in self._lanes.values():
                self.counts["shipped"] += lane.ship(self._transport)
            if not self._queue:
                return
            self._number()

    def _number(self) -> None:
        """Give queued items to their shards' lanes, about 50 an entry."""
        by_shard: dict[int, list[Event]] = {}
        for _ in range(min(len(self._queue), ENTRY_EVENTS * self._shards)):
            item = self._queue.popleft()
            event = item if isinstance(item, Signal) else item.event(self.options.capture_query)
            own = event.retrieval_id if isinstance(event, Signal) else event.id
            by_shard.setdefault(shard_of(partition_of_id(own), self._shards), []).append(event)
        for shard, events in by_shard.items():
            self._add(shard, events)

    def _add(self, shard: int, events: Sequence[Event]) -> None:
        lane = self._lanes.setdefault(shard, Lane(shard))
        for at in range(0, len(events), ENTRY_EVENTS):
            lane.add(events[at : at + ENTRY_EVENTS])
