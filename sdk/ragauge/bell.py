"""A bell between the caller and the worker, made of one raw lock.

``threading.Event`` takes a lock that is not re-entrant; a ``__del__`` that runs inside of it, and logs,
would wait for itself. Releasing a raw lock cannot be interrupted half way.
"""

import threading


class Bell:
    """Ring from anywhere; one waiter wakes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def ring(self) -> None:
        """Wake the waiter, or let its next wait end at once."""
        try:
            self._lock.release()
        except RuntimeError:  # it rings already
            return

    def wait(self, seconds: float) -> bool:
        """Wait until it rings; False when time ran out first."""
        return self._lock.acquire(timeout=max(0.0, seconds))
