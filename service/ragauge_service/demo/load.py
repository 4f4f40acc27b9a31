"""The load generator: every category's queries at a steady rate, paced by the clock, a thread each."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ragauge_service.demo.queries import Query

RATE: Final = 24.0
"""Retrievals a second and category."""

SLACK: Final = 0.5
"""Seconds of delay that are caught up; what is later is left out, so that no burst follows a pause."""


class Pace:
    """Says how long to wait until the next call is due; ``now`` is a monotonic clock's seconds.

    >>> pace = Pace(rate=10.0, start=0.0)
    >>> pace.wait(now=0.0), pace.wait(now=0.0)
    (0.0, 0.1)
    """

    def __init__(self, rate: float, start: float) -> None:
        self._step = 1 / rate
        self._due = start

    def wait(self, *, now: float) -> float:
        """Return the seconds until the next call, and move on to the one after it."""
        due = max(self._due, now - SLACK)
        self._due = due + self._step
        return max(0.0, due - now)


class Load:
    """Asks queries drawn at random, one thread a category, until it is stopped.

    ``ask`` is called from several threads at once. The draws are fixed by ``seed``; only their times vary.
    """

    def __init__(
        self,
        ask: Callable[[Query], object],
        queries: Sequence[Query],
        *,
        seed: int,
        rate: float = RATE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._rate = rate
        self._clock = clock
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._run,
                args=(asked, random.Random(f"{seed}:load:{category}")),
                name=f"ragauge-demo-{category}",
                daemon=True,
            )
            for category, asked in by_category(queries).items()
        ]

    def start(self) -> None:
        """Start asking."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop asking, and wait for the calls that are under way."""
        self._stopped.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _run(self, queries: Sequence[Query], rng: random.Random) -> None:
        pace = Pace(self._rate, self._clock())
        while not self._stopped.wait(pace.wait(now=self._clock())):
            self._ask(rng.choice(queries))


def by_category(queries: Sequence[Query]) -> Mapping[str, list[Query]]:
    """Return the queries of each category, categories in the order of their first query."""
    found: dict[str, list[Query]] = {}
    for query in queries:
        found.setdefault(query.category, []).append(query)
    return found
