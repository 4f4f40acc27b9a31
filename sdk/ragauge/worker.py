"""The worker: turns records into rows, and ships them until the other side has acknowledged them."""

import logging
import threading
import time
from collections import deque
from typing import Any, Final

from ragauge.bell import Bell
from ragauge.counts import Counts
from ragauge.events import shard_of
from ragauge.quiet import without_instrumentation
from ragauge.rows import RowMaker
from ragauge.settings import Settings
from ragauge.shipping import Lanes
from ragauge.tracing import tracing
from ragauge.transport import Transport, TransportError

CHUNK: Final = 20
"""Items turned into rows before the interpreter is left to others."""

BREATH_S: Final = 0.000_05
LONGEST_PAUSE_S: Final = 30.0
SHORTEST_PAUSE_S: Final = 0.25
WAITED_FOR_PAUSE_S: Final = 0.05
QUIET_S: Final = 60.0
"""Seconds between two log lines about the same trouble."""

_log: Final = logging.getLogger("ragauge")


class Marker:
    """A place in the queue that ``flush`` waits for."""

    __slots__ = ("_bell",)

    def __init__(self) -> None:
        self._bell = Bell()

    def reached(self) -> None:
        """Say that everything before it is delivered."""
        self._bell.ring()

    def wait(self, seconds: float) -> bool:
        """Wait for that; False when time ran out."""
        return self._bell.wait(seconds)


class Worker:
    """Ships what is queued; ``run`` in a thread, or ``ship_until`` where no thread can be had."""

    def __init__(
        self,
        queue: deque[Any],
        bell: Bell,
        transport: Transport,
        settings: Settings,
        counts: Counts,
    ) -> None:
        self.busy = False
        self.pausing = False
        self._queue = queue
        self._bell = bell
        self._transport = transport
        self._settings = settings
        self._counts = counts
        self._rows = RowMaker(settings, counts)
        self._lanes = Lanes(transport, counts)
        self._markers: list[Marker] = []
        self._pause = 0.0
        self._hurried = False
        self._stopping = False
        self._spoke: float | None = None
        self._turn = threading.Lock()

    def run(self) -> None:
        """Ship until stopped, and leave no connection open."""
        without_instrumentation()
        try:
            while not self._stopping:
                self._wait()
                tracing.look()
                self._step()
        finally:
            self._transport.close()

    def stop(self) -> None:
        """End the thread, whatever is still queued."""
        self._stopping = True
        self._bell.ring()

    def hurry(self) -> None:
        """Ship at once."""
        self._hurried = True
        self._bell.ring()

    def waiting(self) -> int:
        """Return how many numbered events are not acknowledged."""
        return self._lanes.waiting()

    def ship_until(self, deadline: float) -> bool:
        """Ship in this thread; False when the deadline passed first."""
        self._transport.timeout = max(0.1, deadline - time.monotonic())
        while not self._step():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(self._pause or WAITED_FOR_PAUSE_S, left))
        return True

    def _wait(self) -> None:
        """Wait for the interval or a ring; while the other side is away, for the pause or a flush."""
        until = time.monotonic() + (self._pause or self._settings.flush_interval)
        while (left := until - time.monotonic()) > 0 and not self._hurried and not self._stopping:
            if self._bell.wait(left) and not self._pause:
                break
        self._hurried = False

    def _step(self) -> bool:
        """Ship all there is; False when the other side could not be reached."""
        if not self._turn.acquire(blocking=False):
            return False
        self.busy = True
        try:
            self._ship()
        except TransportError as error:
            self._hold(error)
            return False
        except Exception as error:  # noqa: BLE001 - the thread must live, whatever an item does
            self._counts.add("worker_error")
            self._say("events could not be shipped: %s", type(error).__name__)
            return False
        else:
            self._resume()
            return True
        finally:
            self.busy = False
            self._turn.release()

    def _ship(self) -> None:
        if not self._lanes.shards:
            self._lanes.shards = self._transport.shards()
        while True:
            self._lanes.ship()
            while self._markers:
                self._markers.pop().reached()
            if not self._queue:
                return
            self._number()

    def _number(self) -> None:
        """Turn queued items into rows and give them to their shards, about 50 an entry."""
        shards = self._lanes.shards
        for _ in range(max(1, 50 * shards // CHUNK)):
            for _ in range(CHUNK):
                if not self._queue:
                    return
                item = self._queue.popleft()
                if type(item) is Marker:
                    self._markers.append(item)
                    return
                self._add(item, shards)
            time.sleep(BREATH_S)

    def _add(self, item: Any, shards: int) -> None:
        try:
            made = self._rows.row(item)
            if made is not None:
                partition, row = made
                self._lanes.add(shard_of(partition, shards), row)
        except Exception as error:  # noqa: BLE001 - one item must not take the others with it
            self._counts.add("dropped_error")
            self._say("an event could not be read: %s", type(error).__name__)

    def _hold(self, error: TransportError) -> None:
        """Wait ever longer for the other side, but not long while somebody waits for us."""
        self._say("events wait: %s", error)
        self.pausing = True
        longer = min(LONGEST_PAUSE_S, self._pause * 2 or SHORTEST_PAUSE_S)
        waited_for = self._markers or any(type(item) is Marker for item in list(self._queue))
        self._pause = error.retry_after or (WAITED_FOR_PAUSE_S if waited_for else longer)
        self._transport.close()

    def _resume(self) -> None:
        if self.pausing:
            _log.info("ragauge: events are delivered again")
        self.pausing = False
        self._pause = 0.0

    def _say(self, message: str, detail: object) -> None:
        """Write a log line, unless one was written a moment ago."""
        now = time.monotonic()
        if self._spoke is None or now - self._spoke >= QUIET_S:
            self._spoke = now
            _log.warning("ragauge: " + message, detail)
