"""Where the newest snapshot comes from: the monitor of this process, else what another one published."""

import threading
from collections.abc import Callable
from typing import Final

from ragauge_service.core.publishing import unpack_snapshot
from ragauge_service.core.snapshot import Snapshot
from ragauge_service.store.namespace import Namespace

FRESH_MS: Final = 15_000
"""An older snapshot says nothing of now: its monitor has lost its lease, or cannot reach the store."""

ASK_EVERY_S: Final = 1.0


class NewestSnapshot:
    """The newest snapshot there is; the store is asked once a second. ``clock`` is monotonic seconds."""

    def __init__(
        self, namespace: Namespace, own: Callable[[], Snapshot | None], clock: Callable[[], float]
    ) -> None:
        self._namespace = namespace
        self._own = own
        self._clock = clock
        self._lock = threading.Lock()
        self._asked = float("-inf")
        self._found: Snapshot | None = None

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, or None while there is no fresh one."""
        own = self._own()
        if own is not None:
            return own
        with self._lock:
            if self._clock() - self._asked >= ASK_EVERY_S:
                self._found = self._ask()
                self._asked = self._clock()
            return self._found

    def _ask(self) -> Snapshot | None:
        packed = self._namespace.monitor.read_snapshot()
        snapshot = unpack_snapshot(packed) if packed else None
        if snapshot is None or self._namespace.now_ms() - snapshot.at > FRESH_MS:
            return None
        return snapshot
