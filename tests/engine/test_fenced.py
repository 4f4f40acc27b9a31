"""A worker that has lost its lease writes nothing, and one that finds its stream changed loads it again."""

import random
import threading
from collections.abc import Callable

import pytest

from harness.engine import Cluster, Producer
from harness.process import wait_for
from harness.retrievals import SERIES, judgments, retrieval
from ragauge_service.core.counting import Row
from ragauge_service.store.shard import ShardStore
from ragauge_service.worker.loop import Worker
from ragauge_service.worker.shard import Dropped, ShardWorker


def opened(cluster: Cluster, owner: str, lease_ms: int = 60_000) -> tuple[ShardWorker, ShardStore]:
    """Return the only shard in the hands of an owner, replayed."""
    store = cluster.namespace.shard(0)
    epoch = store.lease.acquire(owner, lease_ms)
    assert epoch is not None
    worker = ShardWorker(0, store, cluster.config, epoch, cluster.namespace.admit)
    worker.step()
    return worker, store


def sent(cluster: Cluster, producer: Producer, count: int, rng: random.Random) -> list[int]:
    """Send retrievals, and return the cells in which they count."""
    rows = [retrieval(rng, cluster.namespace.now_ms()) for _ in range(count)]
    producer.send([made for made, _ in rows])
    return [rank for _, rank in rows]


def histogram(ranks: list[int]) -> list[int]:
    return [ranks.count(rank) for rank in range(11)]


@pytest.mark.server
def test_a_worker_stopped_past_its_lease_changes_nothing_when_it_wakes(
    engine: Callable[..., Cluster],
) -> None:
    """It still believes in its lease; the store does not (FENCED)."""
    cluster = engine(shards=1)
    producer, rng = Producer(cluster.namespace), random.Random(1)
    producer.send(judgments())
    stopped, _ = opened(cluster, "stopped", lease_ms=1)
    ranks = sent(cluster, producer, 50, rng)
    stopped.step()
    wait_for(lambda: cluster.namespace.shard(0).lease.acquire("other", 60_000), "the lease to run out")
    cluster.namespace.shard(0).lease.release(cluster.namespace.shard(0).lease.epoch())
    successor, _ = opened(cluster, "successor")
    successor.step()
    successor.commit()
    with pytest.raises(Dropped, match="FENCED"):
        stopped.commit()
    assert list(cluster.tallies()[SERIES].first_ranks) == histogram(ranks)


@pytest.mark.server
def test_entries_that_a_failover_lost_are_not_counted(engine: Callable[..., Cluster]) -> None:
    """What was read is gone (LOST); its producer sends it again, and only then it counts."""
    cluster = engine(shards=1)
    producer, rng = Producer(cluster.namespace), random.Random(2)
    producer.send(judgments())
    worker, store = opened(cluster, "worker")
    ranks = sent(cluster, producer, 30, rng)
    worker.step()
    worker.commit()
    sent(cluster, producer, 20, rng)
    worker.step()
    newest = store.read(worker.offset, 10)[-1].id
    cluster.client.call("XDEL", store.keys.events, newest)
    with pytest.raises(Dropped, match="LOST"):
        worker.commit()
    again, _ = opened(cluster, "worker")
    again.step()
    assert list(cluster.tallies()[SERIES].first_ranks) == histogram(ranks)


@pytest.mark.server
def test_a_malformed_event_is_set_aside_and_the_stream_goes_on(engine: Callable[..., Cluster]) -> None:
    """One poison event must not stop a shard, nor take its neighbours with it."""
    cluster = engine(shards=1)
    producer, rng = Producer(cluster.namespace), random.Random(3)
    producer.send(judgments())
    store = cluster.namespace.shard(0)
    store.append("poison", 1, cluster.namespace.now_ms(), b"\xc1")
    store.append("poison", 2, cluster.namespace.now_ms(), b"\x91\x92\x01\x02")
    ranks = sent(cluster, producer, 10, rng)
    worker, store = opened(cluster, "worker")
    worker.step()
    rows = worker.commit()
    letters = store.dead_letters.read()
    assert [letter.reason.split(":")[0] for letter in letters] == ["entry is not msgpack", "retrieval"]
    assert ["ragauge_malformed_events_total", [], 2] in rows
    assert list(cluster.tallies()[SERIES].first_ranks) == histogram(ranks)


@pytest.mark.server
def test_workers_share_the_shards_and_take_over_what_is_left(engine: Callable[..., Cluster]) -> None:
    """ceil(shards / alive) each; a released shard is taken at once."""
    cluster = engine(shards=6)
    counted: list[Row] = []
    stops = [threading.Event(), threading.Event()]
    workers = [Worker(cluster.namespace, f"owner{n}", counted.extend, lease_ms=900) for n in range(2)]
    threads = [
        threading.Thread(target=worker.run, args=(stop,)) for worker, stop in zip(workers, stops, strict=True)
    ]
    try:
        threads[0].start()
        wait_for(lambda: len(workers[0].held) == 6, "the first to hold everything")
        threads[1].start()
        wait_for(lambda: [len(worker.held) for worker in workers] == [3, 3], "each to hold its half")
        stops[0].set()
        threads[0].join()
        wait_for(lambda: len(workers[1].held) == 6, "the second to take over")
    finally:
        for stop, thread in zip(stops, threads, strict=True):
            stop.set()
            if thread.is_alive():
                thread.join()
