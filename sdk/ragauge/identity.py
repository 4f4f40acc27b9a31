"""Retrieval ids: unique after fork and ``random.seed``, and cheap on the caller's thread."""

import itertools
import os
import time
from typing import Final

from ragauge.events import normalise, partition_of

_MASK: Final = 2**64 - 1
_STEP: Final = 0x9E3779B97F4A7C15
"""Odd, so that a counter times it visits every 64-bit number once."""


class _Entropy:
    """This process's 64 random bits and its counter; made anew in a forked child."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.base = int.from_bytes(os.urandom(8), "big")
        self.next = itertools.count().__next__


_entropy: Final = _Entropy()
os.register_at_fork(after_in_child=_entropy.renew)


def new_suffix(at_ms: int) -> int:
    """Return the 112 bits of an id that do not depend on the query: time, entropy, counter."""
    return ((at_ms & 0xFFFFFFFFFFFF) << 64) | ((_entropy.base + _entropy.next() * _STEP) & _MASK)


def format_id(partition: int, suffix: int) -> str:
    """Return an id of 32 hexadecimal digits.

    >>> format_id(255, 1)
    '00ff0000000000000000000000000001'
    """
    return f"{partition:04x}{suffix:028x}"


def partition_for(query: str | None, query_id: str | None, suffix: int) -> int:
    """Return the partition of a query's source, or random bits when there is no query."""
    if query_id is not None:
        return partition_of(query_id)
    if query is not None:
        return partition_of(normalise(query))
    return suffix & 0xFFFF


def now_ms() -> int:
    """Return this machine's clock in Unix milliseconds."""
    return time.time_ns() // 1_000_000
