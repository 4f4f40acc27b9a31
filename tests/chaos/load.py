"""What is sent: each entry is a function of its producer, shard and sequence, so any count can be checked."""

import struct
import time
from collections import Counter
from collections.abc import Iterable
from typing import Final

from ragauge.events import JudgmentsEvent, id_key, partition_of, shard_of
from ragauge.wire import RETRIEVAL, pack, pack_rows

EVENTS: Final = 50
"""How many retrievals an entry has."""

CATEGORIES: Final = ("north", "east", "south", "west")
QUERIES: Final = 2_000
IDS: Final = tuple(f"d{number}" for number in range(10))


def queries_of(shard: int, shards: int) -> list[str]:
    """Return the ids of the queries that live on a shard."""
    names = (f"q{number}" for number in range(QUERIES))
    return [name for name in names if shard_of(partition_of(name), shards) == shard]


def relevant_rank(query: str) -> int:
    """Return the rank of the only relevant document of a query, 1 to 10; 11 is a miss."""
    return int(query[1:]) % 11 + 1


def judgments(shard: int, shards: int) -> bytes:
    """Return an entry with the judgments of a shard's queries."""
    events = [JudgmentsEvent(key=id_key(name), grades=_grades(name)) for name in queries_of(shard, shards)]
    return pack(events)


def _grades(query: str) -> dict[str, int]:
    rank = relevant_rank(query)
    return {IDS[rank - 1] if rank <= len(IDS) else "elsewhere": 1}


def category_of(producer: int, seq: int) -> str:
    """Return the category that all events of an entry have."""
    return CATEGORIES[(producer + seq) % len(CATEGORIES)]


class Writer:
    """Makes the entries of one producer for one shard."""

    def __init__(self, producer: int, shard: int, shards: int) -> None:
        self.producer = producer
        self._shard = shard
        self._queries = [
            (struct.pack(">H", partition_of(name)), id_key(name)) for name in queries_of(shard, shards)
        ]

    def body(self, seq: int) -> bytes:
        """Return the events of entry ``seq``; only their time differs when it is made again."""
        at = time.time_ns() // 1_000_000
        category = category_of(self.producer, seq)
        stamp = at.to_bytes(6, "big") + struct.pack(">HBI", self.producer, self._shard, seq)
        rows: list[list[object]] = []
        for number in range(EVENTS):
            bits, key = self._queries[(seq * EVENTS + number) % len(self._queries)]
            retrieval_id = bits + stamp + bytes((number,))
            rows.append([RETRIEVAL, retrieval_id, key, category, "r", "", at, 0, IDS, len(IDS)])
        return pack_rows(rows)

    def ranks(self, seq: int) -> Iterable[int]:
        """Return the ranks of the relevant documents of entry ``seq``'s events."""
        for number in range(EVENTS):
            _, key = self._queries[(seq * EVENTS + number) % len(self._queries)]
            yield relevant_rank(key.removeprefix("i:"))


def expected(entries: Iterable[tuple[int, int, int]], shards: int) -> Counter[tuple[str, int]]:
    """Return how many retrievals of each category have their relevant document at each rank.

    ``entries`` are (producer, shard, sequence), each that should be counted.
    """
    writers: dict[tuple[int, int], Writer] = {}
    counts: Counter[tuple[str, int]] = Counter()
    for producer, shard, seq in entries:
        writer = writers.setdefault((producer, shard), Writer(producer, shard, shards))
        category = category_of(producer, seq)
        counts.update((category, rank) for rank in writer.ranks(seq))
    return counts
