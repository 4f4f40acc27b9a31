"""The bounded queue between callers and the worker, and the worker's thread."""

import _thread
import logging
import threading
import time
from collections import deque
from typing import Any, Final

from ragauge.bell import Bell
from ragauge.counts import Counts
from ragauge.events import Signal
from ragauge.settings import Settings
from ragauge.transport import Transport
from ragauge.worker import Marker, Worker

_log: Final = logging.getLogger("ragauge")

Item = tuple[Any, ...] | Signal | Marker
"""What is queued: a record as a plain tuple, a signal, or a mark that ``flush`` waits for."""


class Client:
    """Takes items from any thread without blocking; a thread of its own ships them."""

    def __init__(self, transport: Transport, settings: Settings, spans: Any = None) -> None:
        self.settings = settings
        self.counts = Counts()
        self.count = self.counts.add
        self.sample_rate = settings.sample_rate
        self.keeps_query = settings.capture_query != "off"
        self.spans = spans
        self._transport = transport
        self._limit = settings.max_queue
        self._wake_at = min(512, max(1, settings.max_queue // 4))
        self.renew()

    def renew(self) -> None:
        """Begin with nothing: at first, and in a forked child, whose parent keeps what was queued."""
        self._queue: deque[Item] = deque()
        self._bell = Bell()
        self._starting = threading.Lock()
        self._started = False
        self._exiting_until: float | None = None
        self._transport.forget()
        self._worker = Worker(self._queue, self._bell, self._transport, self.settings, self.counts)

    def put(self, item: Item) -> None:
        """Queue an item, or count it as dropped when the queue is full."""
        size = len(self._queue)
        if size >= self._limit:
            self.count("dropped_queue_full")
            return
        self._queue.append(item)
        if size >= self._wake_at or not self._started or self._exiting_until is not None:
            self._attend()

    def flush(self, timeout: float) -> bool:
        """Wait until everything queued so far is acknowledged or dropped; False when time ran out."""
        if self._idle():
            return True
        marker = Marker()
        self._queue.append(marker)
        self._start()
        if not self._started:  # no thread can be started any more: this one ships
            return self._worker.ship_until(time.monotonic() + timeout)
        self._worker.hurry()
        return marker.wait(timeout)

    def close(self) -> None:
        """Flush for at most ``shutdown_timeout`` seconds, and stop."""
        delivered = self.flush(self.settings.shutdown_timeout)
        self._worker.stop()
        if not delivered:
            _log.warning("ragauge: the process ends with %d events not delivered", self.queued())

    def at_exit(self) -> None:
        """Deliver, and go on delivering what comes from other exit handlers, in whatever time is left."""
        self._exiting_until = time.monotonic() + self.settings.shutdown_timeout
        if not self.flush(self.settings.shutdown_timeout):
            _log.warning("ragauge: the process ends with %d events not delivered", self.queued())

    def queued(self) -> int:
        """Return how many events are not delivered yet."""
        return sum(type(item) is not Marker for item in list(self._queue)) + self._worker.waiting()

    def stats(self) -> dict[str, int]:
        """Return what was shipped, dropped by reason, and is queued."""
        return {"shipped": 0, **self.counts.values(), "queued": self.queued()}

    def _idle(self) -> bool:
        return not self._queue and not self._worker.busy and not self._worker.waiting()

    def _attend(self) -> None:
        if self._exiting_until is not None:
            self.flush(self._exiting_until - time.monotonic())
        elif not self._started:
            self._start()
        elif not self._worker.pausing:
            self._bell.ring()

    def _start(self) -> None:
        """Start the thread once; ``threading.Thread`` takes locks that a ``__del__`` might find held."""
        if self._started or not self._starting.acquire(blocking=False):
            return
        try:
            _thread.start_new_thread(self._worker.run, ())
            self._started = True
        except RuntimeError:  # the interpreter is ending
            self._starting.release()
