"""Retrievals and judgments with known scores, as HTTP clients send them."""

import secrets
from collections.abc import Iterator
from typing import Any

from harness.http import request
from ragauge.events import partition_of, shard_of


def judged(n: int, category: str = "faq") -> list[dict[str, Any]]:
    """Return judgments of ``n`` queries ``q0``, ``q1``, ...: one relevant document each."""
    return [{"query_id": f"q{at}", "category": category, "relevant": [f"d{at}"]} for at in range(n)]


def retrieval(number: int, rank: int | None = 1) -> dict[str, Any]:
    """Return a retrieval for query ``number`` with its relevant document at ``rank``, or without it."""
    ids = [f"other-{at}" for at in range(10)]
    if rank is not None:
        ids[rank - 1] = f"d{number}"
    identifier = f"{partition_of(f'q{number}'):04x}{secrets.token_hex(14)}"
    return {"type": "retrieval", "id": identifier, "query_id": f"q{number}", "retriever": "docs", "ids": ids}


class Producer:
    """A client that numbers its entries per shard and sends each until it is acknowledged."""

    def __init__(self, url: str, shards: int = 16) -> None:
        self.url = url
        self.shards = shards
        self.name = secrets.token_hex(8)
        self.next = dict.fromkeys(range(shards), 1)

    def entries(self, events: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield numbered bodies, one a shard."""
        by_shard: dict[int, list[dict[str, Any]]] = {}
        for event in events:
            by_shard.setdefault(shard_of(int(event["id"][:4], 16), self.shards), []).append(event)
        for shard, mine in by_shard.items():
            yield {"producer": self.name, "shard": shard, "seq": self.next[shard], "events": mine}
            self.next[shard] += 1

    def send(self, events: list[dict[str, Any]], times: int = 1) -> None:
        """Send events, each body as often as told: a client that lost the answer sends again."""
        for body in self.entries(events):
            for _ in range(times):
                status, text = request("POST", f"{self.url}/v1/events", body)
                assert status == 202, text
