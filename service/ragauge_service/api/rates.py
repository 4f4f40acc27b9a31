"""A limit of requests a second for each client: a token bucket, pure but for the clock it is given."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

CLIENTS: Final = 10_000
"""How many clients are remembered; the one unseen for longest begins again."""

BURST_S: Final = 2.0
"""A bucket holds what this many seconds bring."""


class Rates:
    """Who may send now; ``per_second`` of 0 lets everyone.

    >>> rates = Rates(1, clock=lambda: 0.0)
    >>> [rates.wait("me") for _ in range(3)]
    [0.0, 0.0, 1.0]
    """

    def __init__(self, per_second: float = 0, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Take one token of ``client`` and return 0, or the seconds until there is one."""
        if self._rate <= 0:
            return 0.0
        now, full = self._clock(), self._rate * BURST_S
        tokens, since = self._buckets.pop(client, (full, now))
        tokens = min(full, tokens + (now - since) * self._rate)
        allowed = tokens >= 1.0
        self._buckets[client] = (tokens - allowed, now)
        if len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1.0 - tokens) / self._rate
