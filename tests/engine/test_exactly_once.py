"""Every retrieval is counted exactly once, whatever becomes of the workers."""

import random
import secrets
from collections import Counter
from collections.abc import Callable

import pytest

from harness.engine import Cluster, Producer
from ragauge.events import JudgmentsEvent, Retrieval, id_key, partition_of
from ragauge_service.core.series import Series

QUERIES = 60
SERIES = Series("faq", "docs", "", "judgments")


def judgments() -> list[JudgmentsEvent]:
    return [
        JudgmentsEvent(key=id_key(f"q{n}"), query_id=f"q{n}", grades={f"d{n}": 1}, category="faq")
        for n in range(QUERIES)
    ]


def retrieval(rng: random.Random, at: int) -> tuple[Retrieval, int]:
    """Return a retrieval, and the cell of the histogram in which it counts."""
    number, rank = rng.randrange(QUERIES), rng.randrange(11)
    ids = [f"x{n}" for n in range(12)]
    if rank < 10:
        ids[rank] = f"d{number}"
    id_ = f"{partition_of(f'q{number}'):04x}{secrets.token_hex(14)}"
    made = Retrieval(id=id_, key=id_key(f"q{number}"), retriever="docs", ids=tuple(ids), total=12, at=at)
    return made, rank


@pytest.mark.server
def test_a_worker_that_is_killed_in_the_middle_of_a_stream_loses_nothing_and_counts_nothing_twice(
    engine: Callable[..., Cluster],
) -> None:
    """Kill -9 comes at any instruction: before, within and after a commit."""
    cluster = engine(shards=2)
    producer, rng = Producer(cluster.namespace), random.Random(5)
    producer.send(judgments())
    expected: Counter[int] = Counter()
    worker = cluster.start()
    for batch in range(120):
        rows = [retrieval(rng, cluster.namespace.now_ms()) for _ in range(40)]
        expected.update(rank for _, rank in rows)
        producer.send([made for made, _ in rows])
        if batch % 30 == 29:
            cluster.kill(worker)
            worker = cluster.start()
    cluster.settle()
    wanted = [expected[rank] for rank in range(11)]
    assert list(cluster.tallies()[SERIES].first_ranks) == wanted
    assert cluster.matured()[SERIES] == wanted
