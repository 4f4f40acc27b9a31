"""Every retrieval is counted exactly once, whatever becomes of the workers."""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from harness.engine import Cluster, Producer
from harness.process import wait_for
from harness.retrievals import SERIES, judgments, retrieval


@pytest.mark.server
@pytest.mark.slow
def test_a_worker_that_is_killed_in_the_middle_of_a_stream_loses_nothing_and_counts_nothing_twice(
    engine: Callable[..., Cluster],
) -> None:
    """Kill -9 comes while it reads, joins and commits; the next one goes on from the last commit."""
    cluster = engine(shards=2)
    producer, rng = Producer(cluster.namespace), random.Random(5)
    producer.send(judgments())
    expected: Counter[int] = Counter()

    def feed(batches: int) -> bool:
        for _ in range(batches):
            rows = [retrieval(rng, cluster.namespace.now_ms()) for _ in range(40)]
            expected.update(rank for _, rank in rows)
            producer.send([made for made, _ in rows])
        return True

    for _ in range(3):
        worker = cluster.start()
        offsets = [cluster.offset(shard) for shard in range(2)]
        wait_for(
            lambda before=offsets: feed(2) and all(cluster.offset(n) > before[n] for n in range(2)),
            "both shards to be committed further",
        )
        feed(rng.randrange(1, 60))
        cluster.kill(worker)
    cluster.start()
    cluster.settle()
    wanted = [expected[rank] for rank in range(11)]
    assert list(cluster.tallies()[SERIES].first_ranks) == wanted
    assert cluster.matured()[SERIES] == wanted
