"""The monitor: one a namespace, by lease. Reads what changed, lets the detectors see it, and publishes."""

import json
import logging
import threading
from collections.abc import Callable
from typing import Final

from ragauge.errors import InputError, RagaugeError
from ragauge_service.core.merging import Merge, milliseconds
from ragauge_service.core.publishing import pack_snapshot
from ragauge_service.core.snapshot import Snapshot
from ragauge_service.core.watch_state import WatchSettings
from ragauge_service.store.errors import StoreUnavailable
from ragauge_service.store.monitor import Marker
from ragauge_service.store.namespace import Namespace

LEASE_MS: Final = 10_000
EVERY_S: Final = 1.0
MARKER: Final = "marker"
"""The piece that holds the id of the last marker that the detectors have seen."""

log = logging.getLogger(__name__)


class Monitor:
    """Runs rounds while it holds the lease; ``publish`` gets each snapshot, and None once it has passed.

    ``clock`` is monotonic seconds: past the lease nothing is published, even while the store cannot be asked.
    """

    def __init__(
        self,
        namespace: Namespace,
        settings: WatchSettings,
        publish: Callable[[Snapshot | None], None],
        *,
        owner: str,
        clock: Callable[[], float],
    ) -> None:
        self._namespace = namespace
        self._settings = settings
        self._publish = publish
        self._owner = owner
        self._clock = clock
        self._lease = namespace.lease("monitor")
        self._until = 0.0
        self._epoch: int | None = None
        self._merge: Merge | None = None
        self._versions: dict[int, int] = {}
        self._marker = "0-0"
        self.latest: Snapshot | None = None

    @property
    def holds(self) -> bool:
        """Tell whether this monitor is the one."""
        return self._epoch is not None and self._clock() < self._until

    def run(self, stop: threading.Event, every_s: float = EVERY_S) -> None:
        """Do a round every second until ``stop``, then give the lease back."""
        while not stop.is_set():
            began = self._clock()
            try:
                self.round()
            except StoreUnavailable as error:
                self._forget()
                log.warning("monitor: %s", error)
            except RagaugeError:
                self._forget()
                log.exception("monitor: this round failed")
            self._silence()
            stop.wait(max(0.05, every_s - (self._clock() - began)))
        self.close()

    def round(self) -> Snapshot | None:
        """Read, detect, save, publish; return the snapshot, or None while another monitor holds the lease."""
        epoch = self._hold()
        if epoch is None:
            return None
        merge = self._merge or self._begin()
        times = milliseconds(self._read(merge, epoch))
        if self._epoch != epoch:
            return None
        now = self._namespace.now_ms()
        self._heed(merge)
        snapshot = merge.snapshot(now, times)
        pieces = {**merge.saved(), MARKER: self._marker.encode()}
        if not self._namespace.monitor.save_monitor(epoch, pieces):
            self._lose()
            return None
        self._namespace.monitor.publish_snapshot(epoch, pack_snapshot(snapshot))
        if self.holds:
            self.latest = snapshot
            self._publish(snapshot)
        return snapshot

    def close(self) -> None:
        """Give the lease back, and publish no more."""
        epoch, self._epoch = self._epoch, None
        self._silence()
        if epoch is not None:
            try:
                self._lease.release(epoch)
            except RagaugeError as error:
                log.warning("monitor: the lease could not be given back: %s", error)

    def _hold(self) -> int | None:
        """Return the epoch under which to act, or None."""
        asked = self._clock()
        if self._epoch is not None and self._lease.renew(self._epoch):
            self._until = asked + LEASE_MS / 1_000
            return self._epoch
        self._lose()
        self._epoch = self._lease.acquire(self._owner, LEASE_MS)
        if self._epoch is not None:
            self._until = asked + LEASE_MS / 1_000
            log.info("monitor: holds the lease, epoch %s", self._epoch)
        return self._epoch

    def _lose(self) -> None:
        self._epoch = None
        self._forget()

    def _forget(self) -> None:
        """Begin again from what is saved: what was seen since then may not be."""
        self._merge = None
        self._versions.clear()

    def _silence(self) -> None:
        """Publish nothing any more once the lease has passed."""
        if not self.holds and self.latest is not None:
            self.latest = None
            self._publish(None)

    def _begin(self) -> Merge:
        """Return the state saved last, or a fresh one where it cannot be read."""
        pieces = self._namespace.monitor.load_monitor()
        self._marker = pieces.pop(MARKER, b"0-0").decode()
        try:
            self._merge = Merge(self._namespace.config, self._settings, pieces)
        except InputError as error:
            log.warning("monitor: the detectors learn anew: %s", error)
            self._merge = Merge(self._namespace.config, self._settings, {})
        return self._merge

    def _read(self, merge: Merge, epoch: int) -> list[str]:
        """Take in what changed on every shard, and return how far each is committed."""
        offsets: list[str] = []
        for index in range(self._namespace.config.shards):
            shard = self._namespace.shard(index)
            offsets.append(shard.state().offset)  # before the slots: what it says is closed, they hold
            changed = shard.changed_since(self._versions.get(index, 0))
            merge.accept(index, changed.slots, changed.matured, complete=changed.complete)
            self._versions[index] = changed.version
            if self._clock() > self._until - LEASE_MS / 2_000 and self._hold() != epoch:
                break  # the first read of a long history takes seconds, and the lease passed on
        return offsets

    def _heed(self, merge: Merge) -> None:
        """Tell the detectors what people said since the last round."""
        for marker in self._namespace.monitor.markers(self._marker):
            _heed_one(merge, marker)
            self._marker = marker.id


def _heed_one(merge: Merge, marker: Marker) -> None:
    if marker.kind == "deploy":
        merge.watch.mark(marker.at, marker.text)
        return
    try:
        named = json.loads(marker.text)
        merge.watch.acknowledge(named["category"], named["retriever"], named["evidence"])
    except (ValueError, KeyError, TypeError):
        log.warning("monitor: marker %s of kind %r says nothing", marker.id, marker.kind)
