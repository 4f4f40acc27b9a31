"""Renews a worker's leases from a thread of its own, so that no step outlasts them."""

import logging
import time
from threading import Event, Thread
from typing import Final

from ragauge.errors import EnvironmentFault
from ragauge_service.store.namespace import Namespace

STALLED_S: Final = 60.0
"""How long the worker may go without a word before its leases are left to run out: it hangs."""

_log = logging.getLogger(__name__)


class Keeper:
    """Beats for a worker, and renews the leases that it was told of, four times in a lease's length.

    What it cannot renew is of no concern here: the next commit finds out. On a machine with a load of 20 on
    2 cores, two workers that renewed between their steps only fenced each other for ever.
    """

    def __init__(self, namespace: Namespace, owner: str, lease_ms: int) -> None:
        self._namespace = namespace
        self._owner = owner
        self._lease_ms = lease_ms
        self._epochs: dict[int, int] = {}
        self._heard = time.monotonic()
        self._end = Event()
        self._thread = Thread(target=self._run, name=f"ragauge-keeper-{owner}", daemon=True)

    def start(self) -> None:
        """Begin to renew."""
        self._thread.start()

    def hold(self, shard: int, epoch: int) -> None:
        """Renew this lease from now on."""
        self._epochs[shard] = epoch

    def let_go(self, shard: int) -> None:
        """Renew it no longer."""
        self._epochs.pop(shard, None)

    def hear(self) -> None:
        """Take note that the worker goes on."""
        self._heard = time.monotonic()

    def close(self) -> None:
        """End the thread."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._end.wait(self._lease_ms / 4_000):
            if time.monotonic() < self._heard + STALLED_S:
                self._renew()

    def _renew(self) -> None:
        for shard, epoch in list(self._epochs.items()):
            try:
                self._namespace.shard(shard).lease.renew(epoch)
            except EnvironmentFault as error:
                _log.debug("shard %d: not renewed: %s", shard, error)
        try:
            self._namespace.owners.beat(self._owner, self._lease_ms)
        except EnvironmentFault as error:
            _log.debug("no beat: %s", error)
