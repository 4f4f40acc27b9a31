"""Retrieval ids: unique after fork and ``random.seed``, and cheap on the caller's thread.

What an id is made of is fixed at the call; its text is made when somebody asks, in the worker as a rule.
"""

import hashlib
import itertools
import os
import time
from typing import Final
from zlib import crc32

from ragauge.events import normalise, partition_of

_MASK: Final = 2**64 - 1
_STEP: Final = 0x9E3779B97F4A7C15
"""Odd, so that multiplying by it maps the 64-bit numbers one to one."""


class _Numbers:
    """This process's numbers: they count up from 62 random bits, and begin anew in a forked child."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self.next = itertools.count(int.from_bytes(os.urandom(8), "big") >> 2).__next__


numbers: Final = _Numbers()
os.register_at_fork(after_in_child=numbers.renew)


def suffix_of(at_ms: int, number: int) -> int:
    """Return the 112 bits of an id that do not depend on the query: time, then the mixed number."""
    return ((at_ms & 0xFFFFFFFFFFFF) << 64) | (number * _STEP & _MASK)


def format_id(partition: int, suffix: int) -> str:
    """Return an id of 32 hexadecimal digits.

    >>> format_id(255, 1)
    '00ff0000000000000000000000000001'
    """
    return f"{partition:04x}{suffix:028x}"


def source_of(query: str | None, query_id: str | None) -> str | None:
    """Return what a query is known by: its id, else its normalised text, or None.

    >>> source_of("Reset  password", None), source_of(" ", None)
    ('reset password', None)
    """
    if query_id is not None:
        return query_id
    return (normalise(query) or None) if query is not None else None


def partition_for(query: str | None, query_id: str | None, number: int) -> int:
    """Return the partition of a query's source, or random bits when there is no query."""
    if query is not None and query_id is None and query.isascii():  # the same, without five calls
        text = " ".join(query.lower().split())
        if text:
            return crc32(text.encode()) & 0xFFFF
    source = source_of(query, query_id)
    return (number * _STEP & _MASK) >> 48 if source is None else partition_of(source)


def sampled(partition: int, rate: float) -> bool:
    """Return whether a partition is within the sample: all retrievals of a query are, or none.

    >>> sum(sampled(partition, 0.25) for partition in range(2**16)) / 2**16
    0.25
    """
    return (partition * 0x9E3B & 0xFFFF) < rate * 65536


def now_ms() -> int:
    """Return this machine's clock in Unix milliseconds."""
    return time.time_ns() // 1_000_000


def content_id(text: str) -> str:
    """Return an id for a document that has none: a hash of its content.

    >>> content_id("a text") == content_id("a text")
    True
    """
    return "c:" + hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
