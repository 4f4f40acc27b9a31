"""The demo's users: they look from the top down, click what helps them, and do so seconds later.

Position bias is the position-based model with examination 1/rank (Craswell, Zoeter, Taylor & Ramsey 2008).
"""

import heapq
import random
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

HELPED: Final = 0.9
"""How often a relevant document that was looked at is clicked."""

MISLED: Final = 0.03
"""How often another one is."""

DELAY: Final = (1.0, 8.0)
"""Seconds from the answer to the click: well inside the demo's join horizon of 15 s."""

WAITING: Final = 20_000
"""Clicks that may be waiting; further ones do not happen."""


def clicks(ids: Sequence[str], relevant: Collection[str], rng: random.Random) -> Iterator[str]:
    """Yield the documents that one user clicks.

    >>> list(clicks(["a", "b"], {"a"}, random.Random(4)))
    ['a']
    """
    for rank, doc in enumerate(ids, start=1):
        looked_at = rng.random() < 1 / rank
        if looked_at and rng.random() < (HELPED if doc in relevant else MISLED):
            yield doc


class Users:
    """Clicks on answers, each at its time, from one thread; ``click`` is ``ragauge.feedback`` in the demo."""

    def __init__(
        self,
        click: Callable[[str, str], object],
        *,
        seed: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._click = click
        self._clock = clock
        self._rng = random.Random(f"{seed}:users")
        self._waiting: list[tuple[float, str, str]] = []
        self._changed = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="ragauge-demo-users", daemon=True)

    def see(self, retrieval_id: str, ids: Sequence[str], relevant: Collection[str]) -> None:
        """Show an answer to a user; called from any thread."""
        with self._changed:
            for doc in clicks(ids, relevant, self._rng):
                if len(self._waiting) < WAITING:
                    due = self._clock() + self._rng.uniform(*DELAY)
                    heapq.heappush(self._waiting, (due, retrieval_id, doc))
            self._changed.notify()

    def start(self) -> None:
        """Start clicking."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; clicks that were not due yet do not happen."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while (due := self._next()) is not None:
            self._click(*due)

    def _next(self) -> tuple[str, str] | None:
        """Return the next click when it is due, or None at the end."""
        with self._changed:
            while not self._stopping:
                now = self._clock()
                if self._waiting and self._waiting[0][0] <= now:
                    return heapq.heappop(self._waiting)[1:]
                self._changed.wait(self._waiting[0][0] - now if self._waiting else None)
        return None
