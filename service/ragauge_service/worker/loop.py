"""The worker: its share of the shards, by lease, until it is told to stop."""

import logging
import time
from collections.abc import Callable
from threading import Event
from typing import Final

from ragauge_service.core.config import EngineConfig
from ragauge_service.core.counting import Row
from ragauge_service.store.connection import connect
from ragauge_service.store.errors import StoreUnavailable
from ragauge_service.store.lease import fair_share
from ragauge_service.store.namespace import Namespace
from ragauge_service.worker.keeper import Keeper
from ragauge_service.worker.shard import Dropped, Progress, ShardWorker

Emit = Callable[[list[Row]], None]
"""Takes what was counted, after the commit that made it true."""

Report = Callable[[list[Progress]], None]

LEASE_MS: Final = 4_000
IDLE_S: Final = 0.05
LONGEST_WAIT_S: Final = 2.0

_log = logging.getLogger(__name__)


class Worker:
    """Holds ceil(shards / alive workers) leases, and steps through its shards in turn."""

    def __init__(
        self,
        namespace: Namespace,
        owner: str,
        emit: Emit,
        *,
        lease_ms: int = LEASE_MS,
        report: Report | None = None,
    ) -> None:
        self._namespace = namespace
        self._config: EngineConfig = namespace.config
        self._owner = owner
        self._emit = emit
        self._report = report
        self._lease_ms = lease_ms
        self._held: dict[int, ShardWorker] = {}
        self._tended = float("-inf")
        self._keeper = Keeper(namespace, owner, lease_ms)

    @property
    def held(self) -> tuple[int, ...]:
        """Return the shards whose leases this worker holds."""
        return tuple(sorted(self._held))

    def run(self, stop: Event) -> None:
        """Work until ``stop`` is set, then commit what was read and give the leases back."""
        wait = IDLE_S
        self._keeper.start()
        while not stop.is_set():
            try:
                busy = self.turn()
                wait = IDLE_S
            except StoreUnavailable as error:
                _log.warning("waiting for the store: %s", error)
                busy, wait = False, min(2 * wait, LONGEST_WAIT_S)
            if not busy:
                stop.wait(wait)
        self.close()

    def turn(self) -> bool:
        """Tend the leases if it is time, step through each shard once, and tell whether there was work.

        Raises:
            StoreUnavailable: nothing is lost; call again.
        """
        busy = False
        self._tend()
        for index in self.held:
            if index in self._held:
                busy |= self._step(index)
            self._tend()
        return busy

    def close(self) -> None:
        """Commit, release, leave."""
        self._keeper.close()
        for index in self.held:
            try:
                self._emit_rows(self._held[index].commit())
            except (StoreUnavailable, Dropped) as error:
                _log.warning("shard %d: what was read last is left to its next holder: %s", index, error)
            self._release(index)
        try:
            self._namespace.owners.leave(self._owner)
        except StoreUnavailable as error:
            _log.warning("leaving without a word: %s", error)

    def _step(self, index: int) -> bool:
        try:
            events, rows = self._held[index].step()
        except Dropped as dropped:
            self._drop(index, dropped.answer)
            return True
        self._emit_rows(rows)
        return events > 0

    def _emit_rows(self, rows: list[Row]) -> None:
        if rows:
            self._emit(rows)

    def _tend(self) -> None:
        """Beat, renew, and move towards the fair share, three times in a lease's length."""
        self._keeper.hear()
        if time.monotonic() < self._tended + self._lease_ms / 3_000:
            return
        alive = self._namespace.owners.beat(self._owner, self._lease_ms)
        for index in self.held:
            if not self._namespace.shard(index).lease.renew(self._held[index].epoch):
                self._drop(index, "FENCED")
        share = fair_share(self._config.shards, len(alive))
        for index in self.held[share:]:
            self._emit_rows(self._held[index].commit())
            self._release(index)
        self._tended = time.monotonic()
        self._take_over(share)
        if self._report is not None:
            self._report([held.progress for held in self._held.values()])

    def _take_over(self, share: int) -> None:
        """Acquire free shards up to the share; the search begins at a place of this worker's own."""
        shards = self._config.shards
        begin = hash(self._owner) % shards
        for at in range(shards):
            index = (begin + at) % shards
            if len(self._held) >= share:
                return
            if index not in self._held:
                self._acquire(index)
                if time.monotonic() > self._tended + self._lease_ms / 3_000:
                    return  # loading took long: first renew what is held

    def _acquire(self, index: int) -> None:
        store = self._namespace.shard(index)
        epoch = store.lease.acquire(self._owner, self._lease_ms)
        if epoch is None:
            return
        self._keeper.hold(index, epoch)
        try:
            self._held[index] = ShardWorker(index, store, self._config, epoch, self._namespace.admit)
        except Dropped as dropped:
            _log.warning("shard %d: %s while it was loaded", index, dropped.answer)
        finally:
            if index not in self._held:
                self._keeper.let_go(index)

    def _drop(self, index: int, answer: str) -> None:
        """Let go of a shard: another holds it, or what was read is gone; it is loaded anew."""
        _log.warning("shard %d: the store answered %s, loading it again", index, answer)
        dropped = self._held.pop(index)
        self._keeper.let_go(index)
        self._emit([["ragauge_fenced_commits_total", [str(index)], 1]] if answer == "FENCED" else [])
        if answer != "FENCED":
            self._namespace.shard(index).lease.release(dropped.epoch)
        self._tended = float("-inf")

    def _release(self, index: int) -> None:
        epoch = self._held.pop(index).epoch
        self._keeper.let_go(index)
        try:
            self._namespace.shard(index).lease.release(epoch)
        except StoreUnavailable as error:
            _log.warning("shard %d: its lease will run out by itself: %s", index, error)


def run_worker(
    url: str,
    namespace: str,
    owner: str,
    config: EngineConfig,
    emit: Emit,
    stop: Event,
    *,
    report: Report | None = None,
) -> None:
    """Work on a namespace of the store at ``url`` until ``stop`` is set.

    Raises:
        ConfigurationError: the namespace was set up otherwise.
        EnvironmentFault: the store cannot be reached at the start, or refuses this user.
    """
    with connect(url) as client:
        place = Namespace(client, namespace)
        place.configure(config)
        Worker(place, owner, emit, report=report).run(stop)
