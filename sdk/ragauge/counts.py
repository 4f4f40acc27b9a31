"""Counters that any thread may raise without a lock, even from ``__del__`` during garbage collection."""

import itertools
from typing import Any


class Counts:
    """Named counters; ``itertools.count`` steps in one indivisible operation.

    >>> counts = Counts()
    >>> counts.add("sent", 2)
    >>> counts.add("sent")
    >>> counts.values()
    {'sent': 3}
    """

    def __init__(self) -> None:
        self._counters: dict[str, Any] = {}

    def add(self, name: str, by: int = 1) -> None:
        """Raise a counter."""
        counter = self._counters.get(name) or self._counters.setdefault(name, itertools.count())
        for _ in range(by):
            next(counter)

    def values(self) -> dict[str, int]:
        """Return every counter that was ever raised."""
        return {name: int(repr(counter)[6:-1]) for name, counter in list(self._counters.items())}
