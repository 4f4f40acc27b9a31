"""What an event costs the worker, in microseconds of its CPU, from the stream to the commit.

Each line adds a step to the loop of the line above, so the differences are the breakdown; the ratio is to
the loop that only fetches and decodes. One shard on a real Valkey, 20 ids a retrieval, judged queries, three
windows, 5 % signals. A line is the mean of the cheaper half of its reads, since machines are shared.
Options: ``--events N``, ``--quick``.
"""

import argparse
import gc
import random
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragauge.events import Event, JudgmentsEvent, Retrieval, Signal
from ragauge.wire import pack
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.entries import entry_id, read_entry
from ragauge_service.core.joining import Joiner
from ragauge_service.core.opened import Opened
from ragauge_service.store.connection import connect
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore
from ragauge_service.worker.shard import READ_ENTRIES, START, ShardWorker

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from servers import Server

QUERIES = 2_000
Raw = list[tuple[str, dict[bytes, bytes]]]


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


def reads(shard: ShardStore) -> Iterator[Raw]:
    """Yield all entries, as a worker reads them."""
    position = START
    while entries := shard.read(position, READ_ENTRIES):
        position = entries[-1].id
        yield [(entry.id, dict(entry.fields)) for entry in entries]


def ignore(_entries: Raw) -> None:
    """Do nothing."""


def decode(entries: Raw) -> None:
    for id_, fields in entries:
        read_entry(entry_id(id_), fields)


class Joined:
    """The core, given chunk after chunk."""

    def __init__(self, config: EngineConfig, *, tally: bool) -> None:
        self.joiner = Joiner(config)
        self._tally = tally
        self._chunks = 0

    def __call__(self, entries: Raw) -> None:
        """Join one read."""
        for id_, fields in entries:
            entry = read_entry(entry_id(id_), fields)
            done = self.joiner.accept(entry)
            while done < len(entry.rows):
                names = self.joiner.unknown([entry])
                self.joiner.admit({kind: {name: name for name in some} for kind, some in names.items()})
                done = self.joiner.accept(entry, done)
        self._chunks += 1
        if self._tally:
            self.joiner.fill({key: {} for key in self.joiner.missing()})
            self.joiner.changes()


def stepped(shard: ShardStore, step: Callable[[Raw], None]) -> float:
    """Return the CPU seconds of an entry, over reads of the whole stream, each followed by a step."""
    costs: list[float] = []
    began = time.process_time()
    for entries in reads(shard):
        step(entries)
        now = time.process_time()
        if len(entries) == READ_ENTRIES:
            costs.append((now - began) / len(entries))
        began = now
    return quiet(costs)


def whole(namespace: Namespace, *, keep: list[ShardWorker] | None = None) -> float:
    """Return the CPU seconds of an entry when a worker works through the shard, commits included."""
    store = namespace.shard(0)
    epoch = store.lease.acquire("benchmark", 600_000)
    assert epoch is not None
    worker = ShardWorker(0, store, namespace.config, epoch, namespace.admit)
    worker.step()
    costs: list[float] = []
    events, began = 1, time.process_time()
    while events:
        events, _ = worker.step()
        now = time.process_time()
        costs.append(now - began)
        began = now
    worker.commit()
    if keep is not None:
        keep.append(worker)
    store.lease.release(epoch)
    return quiet([cost / READ_ENTRIES for cost in costs[2:-1]])


def quiet(costs: list[float]) -> float:
    """Return the mean of the cheaper half: what a step costs when nobody else takes the caches."""
    cheap = sorted(costs)[: max(1, len(costs) // 2)]
    return sum(cheap) / len(cheap)


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
            "fetch": ignore,
            "decode": decode,
            "join and score": Joined(namespace.config, tally=False),
            "tally": Joined(namespace.config, tally=True),
        }
        found = {name: stepped(shard, step) for name, step in steps.items()}
        found["whole, with commits"] = whole(namespace)
        return {step: value / load.an_entry * 1e6 for step, value in found.items()}


def one(url: str, name: str, load: Load) -> float:
    """Return the whole cost of an event in microseconds."""
    with namespace_of(url, name, load) as namespace:
        return whole(namespace) / load.an_entry * 1e6


def flatness(url: str, events: int) -> None:
    """Print the whole cost of an event by series, and by windows."""
    print("\nby series and windows (whole, with commits)")
    for series in (10, 200, 2_000):
        cost = one(url, f"s{series}", Load(events, series=series))
        print(f"  {series:5d} series, 1h 24h 7d {cost:6.2f} us")
    for windows in (("1h",), ("7d",)):
        cost = one(url, f"w{windows[0]}", Load(events, windows=windows))
        print(f"    200 series, {windows[0]:9s} {cost:6.2f} us")


def memory(url: str, events: int) -> None:
    """Print what an open retrieval takes."""
    kept: list[ShardWorker] = []
    with namespace_of(url, "memory", Load(events)) as namespace:
        gc.collect()
        before = resident()
        whole(namespace, keep=kept)
        gc.collect()
        grown = (resident() - before) / kept[0].progress.open
    opened = Opened(10)
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    rng = random.Random(3)
    for number in range(100_000):
        if number % 50 == 0:
            opened.enter(number)
        id_ = rng.randbytes(16)
        opened.claim(id_)
        opened.add(id_, rng.getrandbits(60), [rng.getrandbits(62) for _ in range(10)], None, None)
    exact = (tracemalloc.get_traced_memory()[0] - start) / 100_000
    tracemalloc.stop()
    print("\nmemory of an open retrieval")
    print(f"  its columns and its index {exact:6.0f} B (traced)")
    print(f"  all that a worker grew by {grown:6.0f} B (resident)")


def resident() -> int:
    """Return the resident bytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


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
            show("5 events an entry", breakdown(server.url, "b5", Load(options.events // 4, an_entry=5)))
            if not options.quick:
                flatness(server.url, options.events)
                memory(server.url, options.events)
        finally:
            server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
