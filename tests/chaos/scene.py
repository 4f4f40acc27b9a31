"""A scene: real servers, producers and workers, what is done to them, and the count at the end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from load import expected, judgments

from ragauge_service.core.config import EngineConfig
from ragauge_service.core.packing import series_of, unpack_cells
from ragauge_service.store.connection import connect
from ragauge_service.store.errors import StoreUnavailable
from ragauge_service.store.namespace import Namespace
from servers import Cluster, Server, wait_until

HERE: Final = Path(__file__).parent
SHARDS: Final = 8
DEPTH: Final = 10

CONFIG: Final = EngineConfig(shards=SHARDS)

Cell = tuple[str, int]
"""A category and the rank of the first relevant document; ``DEPTH + 1`` is a miss."""


@dataclass
class Outcome:
    """What a scene came to: events that should have been counted and were, and the branches that fired."""

    expected: int
    counted: int
    wrong: str
    branches: Counter[str]
    rate: float
    notes: dict[str, float] = field(default_factory=dict[str, float])
    silent: frozenset[str] = frozenset()
    """Branches that this scenario is there to make fire and that did not: a matter of timing, run by run."""

    @property
    def right(self) -> bool:
        """Return whether every cell of every tally is as it should be."""
        return not self.wrong


class Program:
    """A Python script of this directory, as a process of its own."""

    def __init__(self, script: str, log: Path, *arguments: object) -> None:
        self.log = log
        path = os.pathsep.join([*sys.path, str(HERE)])
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(HERE / script), *map(str, arguments)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "PYTHONPATH": path},
            )

    def send(self, with_signal: signal.Signals) -> None:
        self.process.send_signal(with_signal)

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.communicate()

    def close(self) -> None:
        """End it in order, or at least for sure."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


class Scene:
    """Everything of one run in one directory; ``with`` ends it all."""

    def __init__(self, directory: Path, servers: Server | Cluster, *, config: EngineConfig = CONFIG) -> None:
        self.directory = directory
        self.servers = servers
        self.workers: list[Program] = []
        self.producers: list[Program] = []
        self.killed: set[int] = set()
        self.notes: dict[str, float] = {}
        self.shards = SHARDS
        self._config = config
        self._branches: Counter[str] = Counter()
        self._rate = 0.0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self.servers)
        self.client = self._stack.enter_context(connect(self.servers.url))
        self.namespace = Namespace(self.client, "default")
        self.namespace.configure(self._config)
        for shard in range(SHARDS):
            self.namespace.shard(shard).append("judge", 1, 0, judgments(shard, SHARDS))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def owned_by(self, worker: str) -> list[int]:
        """Return the shards whose leases a worker acquired last."""
        return [shard for shard in range(SHARDS) if self.namespace.shard(shard).lease.owner() == worker]

    def start_worker(self, url: str | None = None, *, wait: bool = True) -> Program:
        """Start one more worker, and wait until it holds a shard."""
        number = len(self.workers)
        answers = self.directory / f"answers{number}"
        log = self.directory / f"worker{number}.log"
        program = Program("engine.py", log, url or self.servers.url, "default", f"w{number}", answers)
        self.workers.append(program)
        self._stack.callback(program.close)
        if wait:
            wait_until(lambda: program.process.poll() is not None or acquired(answers), f"worker {number}")
            assert program.process.poll() is None, log.read_text()
        return program

    def start_producer(self, rate: float, url: str | None = None, *, ring: int = 10**9) -> Program:
        """Start one more producer of so many events a second, which can send ``ring`` entries again."""
        number = len(self.producers)
        arguments = (
            url or self.servers.url,
            "default",
            number,
            rate,
            self.directory / f"acked{number}",
            ring,
        )
        program = Program("producer.py", self.directory / f"producer{number}.log", *arguments)
        self.producers.append(program)
        self._stack.callback(program.close)
        assert program.process.stdout is not None
        assert program.process.stdout.readline(), program.log.read_text()
        return program

    def kill_producer(self, program: Program) -> None:
        """End a producer as a crash would; from then on nothing of it is sent again."""
        self.killed.add(self.producers.index(program))
        program.kill()

    def note_seconds(self, what: str, condition: Callable[[], object], timeout_s: float = 60) -> None:
        """Wait for a condition and note how long it took."""
        began = time.monotonic()
        wait_until(condition, what, timeout_s)
        self.notes[what] = time.monotonic() - began

    @property
    def cluster(self) -> Cluster:
        """Return the servers of a scenario that needs a cluster."""
        assert isinstance(self.servers, Cluster)
        return self.servers

    @property
    def server(self) -> Server:
        """Return the server of a scenario that needs a single one."""
        assert isinstance(self.servers, Server)
        return self.servers

    def pause_worker(self, program: Program) -> None:
        """Stop a worker, which then most likely holds something that it has read and not committed."""
        program.send(signal.SIGSTOP)

    def end_producers(self) -> None:
        """Let every producer see to it that all it sent is in the stream, and end."""
        for number, program in enumerate(self.producers):
            if number not in self.killed:
                answer, _ = program.process.communicate(timeout=120)
                assert answer, program.log.read_text()
                summary = json.loads(answer)
                self._branches.update(summary["answers"])
                self._rate += summary["rate"]
                self.killed.add(number)

    def answered(self) -> Counter[str]:
        """Return what the store has answered the workers so far, plain successes included."""
        files = [self.directory / f"answers{number}" for number in range(len(self.workers))]
        return Counter(answer for file in files for _, answer in notes(file))

    def keep_up(self) -> None:
        """Wait until the workers are less than two seconds behind the streams."""
        wait_until(lambda: self.lag_ms() < 2_000, "the workers to keep up", 120)

    def settle(self, patience_s: float = 15.0) -> None:
        """Give the workers some time to keep up; a machine that is too slow for the rate may not allow it."""
        with suppress(AssertionError):
            wait_until(lambda: self.lag_ms() < 1_500, "the workers to keep up", patience_s)

    def lag_ms(self) -> int:
        """Return how far the most backward shard is behind its stream; very far while one is unknown."""
        with suppress(StoreUnavailable):
            return max(self._shard_lag_ms(shard) for shard in range(SHARDS))
        return sys.maxsize

    def _shard_lag_ms(self, shard: int) -> int:
        store = self.namespace.shard(shard)
        (newest, _), *_ = self.client.call("XREVRANGE", store.keys.events, "+", "-", "COUNT", 1)
        return int(newest.split(b"-")[0]) - int(store.state().offset.split("-")[0])

    def catch_up(self) -> None:
        """Wait until the workers have committed all there is."""
        wait_until(self._caught_up, "the workers to catch up", 600)

    def finish(self) -> Outcome:
        """Let producers finish and workers catch up, then compare the counts with what should be counted."""
        self.end_producers()
        self.catch_up()
        present = list(self._present())
        wrong = [*self._missing(present), *self._twice(present)]
        right, counted = expected(present, SHARDS), self.counted()
        wrong += [*_different("tallies", right, counted), *_different("matured", right, self.matured())]
        self._branches += self.answered()
        said = "; ".join(wrong[:5])
        return Outcome(right.total(), counted.total(), said, self._branches, self._rate, dict(self.notes))

    def counted(self) -> Counter[Cell]:
        """Return what the minutes' tallies say: per category and rank, over all shards."""
        counts: Counter[Cell] = Counter()
        for shard in range(SHARDS):
            for slot, rows in self.namespace.shard(shard).changed_since(0).slots.items():
                if slot.minutes == 1:
                    counts.update(_ranks(rows))
        return +counts

    def matured(self) -> Counter[Cell]:
        """Return what the cumulative histograms say: the same, if every retrieval matured once."""
        counts: Counter[Cell] = Counter()
        for shard in range(SHARDS):
            counts.update(_ranks(self.namespace.shard(shard).load_matured()))
        return +counts

    def _caught_up(self) -> bool:
        with suppress(StoreUnavailable):
            return all(self._is_read(shard) for shard in range(SHARDS))
        return False

    def _is_read(self, shard: int) -> bool:
        """Return whether nothing but ticks stands behind what is committed."""
        store = self.namespace.shard(shard)
        return not any(entry.fields[b"p"] for entry in store.read(store.state().offset, 1_000))

    def _present(self) -> Iterator[tuple[int, int, int]]:
        """Yield producer, shard and sequence of every entry in the streams."""
        for shard in range(SHARDS):
            store, after = self.namespace.shard(shard), "0-0"
            while entries := store.read(after, 1_000):
                after = entries[-1].id
                for entry in entries:
                    _, chaos, number = entry.fields[b"p"].decode().partition("chaos")
                    if chaos:
                        yield int(number), shard, int(entry.fields[b"s"])

    def _missing(self, present: list[tuple[int, int, int]]) -> Iterator[str]:
        """Yield what was acknowledged and is not there."""
        there = set(present)
        for number in range(len(self.producers)):
            for line in (self.directory / f"acked{number}").read_text().splitlines():
                shard, seq = map(int, line.split())
                if (number, shard, seq) not in there:
                    yield f"producer {number}, shard {shard}: {seq} was acknowledged and is lost"

    def _twice(self, present: list[tuple[int, int, int]]) -> Iterator[str]:
        for key, times in Counter(present).items():
            if times > 1:
                yield f"entry {key} is in the stream {times} times"


def _ranks(rows: Mapping[str, bytes]) -> dict[Cell, int]:
    """Return the first ranks of packed tallies or histograms by series, as (category, rank)."""
    return {
        (series_of(key).category, rank): count
        for key, row in rows.items()
        for rank, count in enumerate(unpack_cells(row)[: DEPTH + 1], start=1)
    }


def _different(what: str, right: Counter[Cell], counted: Counter[Cell]) -> Iterator[str]:
    for key in sorted(right.keys() | counted.keys()):
        if right[key] != counted[key]:
            yield f"{what} {key}: {counted[key]} counted, {right[key]} expected"


def notes(path: Path) -> list[tuple[float, str]]:
    """Return what a worker wrote down: when, and what."""
    if not path.exists():
        return []
    lines = (line.split(maxsplit=1) for line in path.read_text().splitlines())
    return [(float(when), what.split()[0]) for when, what in lines]


def acquired(path: Path) -> bool:
    """Return whether a worker has acquired a shard."""
    return any(what == "ACQUIRED" for _, what in notes(path))
