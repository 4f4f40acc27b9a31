"""What an event costs the worker, in microseconds of its CPU, from the stream to the commit.

Each line adds a step to the loop of the line above, so the differences are the breakdown; the ratio is to
the loop that only fetches and decodes. One shard on a real Valkey, 20 ids a retrieval, judged queries, three
windows, 5 % signals. Options: ``--events N``, ``--quick``.
"""

import argparse
import gc
import random
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragauge.events import Event, JudgmentsEvent, Retrieval, Signal
from ragauge.wire import pack
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.entries import entry_id, read_entry
from ragauge_service.core.joining import Joiner
from ragauge_service.store.connection import connect
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore
from ragauge_service.worker.shard import READ_ENTRIES, START, ShardWorker

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from servers import Server

QUERIES = 2_000
LONG_JOIN = EngineConfig(shards=1)


@dataclass(frozen=True)
class Load:
    """What is streamed."""

    events: int = 200_000
    series: int = 200
    an_entry: int = 50
    signals: float = 0.05
    windows: tuple[str, ...] = ("1h", "24h", "7d")


def retrieval(rng: random.Random, at: int, series: int) -> Retrieval:
    """Return a retrieval of 20 documents, the relevant one anywhere or missing."""
    number = rng.randrange(QUERIES)
    ids = [f"document-{rng.randrange(1_000_000)}" for _ in range(20)]
    rank = rng.randrange(25)
    if rank < 20:
        ids[rank] = f"relevant-{number}"
    return Retrieval(
        id=rng.randbytes(16).hex(),
        key=f"i:query-{number}",
        query_id=f"query-{number}",
        category=f"category-{rng.randrange(series)}",
        retriever="docs",
        ids=tuple(ids),
        scores=tuple(1.0 - n / 25 for n in range(20)),
        total=20,
        at=at,
        latency_ms=12.5,
        trace_id=rng.randbytes(16).hex(),
        span_id=rng.randbytes(8).hex(),
    )


def events(load: Load, at: int) -> Iterator[Event]:
    """Yield retrievals, some followed by a click."""
    rng = random.Random(11)
    made = 0
    while made < load.events:
        one = retrieval(rng, at, load.series)
        yield one
        made += 1
        if rng.random() < load.signals and made < load.events:
            yield Signal(retrieval_id=one.id, doc_id=rng.choice(one.ids), at=at + 4_000)
            made += 1


def fill(namespace: Namespace, load: Load) -> None:
    """Append judgments, then everything else."""
    shard = namespace.shard(0)
    now = namespace.now_ms()
    judged = [
        JudgmentsEvent(key=f"i:query-{n}", grades={f"relevant-{n}": 1, f"other-{n}": 1}, at=now)
        for n in range(QUERIES)
    ]
    batch: list[Event] = []
    sequence = 1
    shard.append("benchmark", sequence, now, pack(judged))
    for event in events(load, now):
        batch.append(event)
        if len(batch) == load.an_entry:
            sequence += 1
            shard.append("benchmark", sequence, namespace.now_ms(), pack(batch))
            batch = []


def reads(shard: ShardStore) -> Iterator[list[tuple[str, dict[bytes, bytes]]]]:
    """Yield all entries, as a worker reads them."""
    position = START
    while entries := shard.read(position, READ_ENTRIES):
        position = entries[-1].id
        yield [(entry.id, dict(entry.fields)) for entry in entries]


def fetch(shard: ShardStore) -> None:
    for _ in reads(shard):
        pass


def decode(shard: ShardStore) -> None:
    for entries in reads(shard):
        for id_, fields in entries:
            read_entry(entry_id(id_), fields)


def join(shard: ShardStore) -> Joiner:
    joiner = Joiner(LONG_JOIN)
    for entries in reads(shard):
        for id_, fields in entries:
            entry = read_entry(entry_id(id_), fields)
            done = joiner.accept(entry)
            while done < len(entry.rows):
                names = joiner.unknown([entry])
                joiner.admit({kind: {name: name for name in some} for kind, some in names.items()})
                done = joiner.accept(entry, done)
    return joiner


def tally(shard: ShardStore) -> None:
    joiner = join(shard)
    joiner.fill({key: {} for key in joiner.missing()})
    joiner.changes()


def whole(namespace: Namespace) -> None:
    """Work as a worker does, over the shard's whole stream."""
    store = namespace.shard(0)
    epoch = store.lease.acquire("benchmark", 600_000)
    assert epoch is not None
    worker = ShardWorker(0, store, namespace.config, epoch, namespace.admit)
    busy = 1
    while busy:
        busy, _ = worker.step()
    worker.commit()
    store.lease.release(epoch)


def cpu(work: Callable[[], object]) -> float:
    """Return the seconds of this process's CPU that something takes."""
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began


@contextmanager
def namespace_of(url: str, name: str, load: Load) -> Generator[Namespace]:
    with connect(url) as client:
        namespace = Namespace(client, name)
        namespace.configure(EngineConfig(shards=1, windows=load.windows, categories=3_000))
        fill(namespace, load)
        yield namespace
        client.call("FLUSHALL")


def breakdown(url: str, name: str, load: Load) -> dict[str, float]:
    """Return microseconds per event by step, cumulated."""
    with namespace_of(url, name, load) as namespace:
        shard = namespace.shard(0)
        steps = {
            "fetch": lambda: fetch(shard),
            "decode": lambda: decode(shard),
            "join and score": lambda: join(shard),
            "tally": lambda: tally(shard),
            "whole, with commits": lambda: whole(namespace),
        }
        return {step: cpu(work) / load.events * 1e6 for step, work in steps.items()}


def show(title: str, found: dict[str, float]) -> None:
    print(f"\n{title}")
    before, floor = 0.0, found["decode"]
    for step, value in found.items():
        print(f"  {step:22s} {value:6.2f} us   +{value - before:5.2f}   {value / floor:5.2f} x")
        before = value


def main() -> int:
    """Print all tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = Server(Path(directory), options=["--appendonly", "no", "--save", ""]).start()
        try:
            show("50 events an entry", breakdown(server.url, "b50", Load(options.events)))
        finally:
            server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
