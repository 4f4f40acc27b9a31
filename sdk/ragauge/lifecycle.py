"""Forks and exits: in a child the client begins anew; when a process ends, what is queued is delivered."""

import atexit
import os
import sys
from typing import Any, Final

from ragauge.client import Client


class Lifecycle:
    """Holds the one client of this process, and what must happen to it."""

    client: Client | None = None
    registered = False

    def watch(self, client: Client) -> None:
        """Look after a client from now on."""
        self.client = client
        if not self.registered:
            self.registered = True
            atexit.register(self.at_exit)
            os.register_at_fork(after_in_child=self.after_fork)
        self.watch_pools()

    def at_exit(self, *_: Any) -> None:
        """Deliver what is queued, for at most ``shutdown_timeout`` seconds."""
        if self.client is not None:
            self.client.at_exit()

    def after_fork(self) -> None:
        """Begin anew in a forked child."""
        if self.client is not None:
            self.client.renew()
        self.watch_pools()

    def watch_pools(self) -> None:
        """Ask multiprocessing, and Celery's billiard, to call us when a child of theirs ends.

        Such children leave by ``os._exit``, which runs no exit handlers. They clear their finalizers when
        they begin, and then run what is registered for after a fork: there ours is set.
        """
        for name in ("multiprocessing.util", "billiard.util"):
            util: Any = sys.modules.get(name)
            if util is not None:
                util.register_after_fork(self, Lifecycle._finalize_in_children)
                if _in_child(name):
                    self._finalize_in(util)

    def _finalize_in_children(self) -> None:
        for name in ("multiprocessing.util", "billiard.util"):
            util: Any = sys.modules.get(name)
            if util is not None and _in_child(name):
                self._finalize_in(util)

    def _finalize_in(self, util: Any) -> None:
        util.Finalize(None, self.at_exit, exitpriority=10)


def _in_child(util: str) -> bool:
    process: Any = sys.modules.get(util.replace(".util", ".process"))
    current = process.current_process()
    return type(current).__name__ not in {"_MainProcess", "MainProcess"}


lifecycle: Final = Lifecycle()
