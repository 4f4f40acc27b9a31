"""Workers as real processes on a real store, fed with numbered entries, and a recount of what they wrote."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from harness.process import Process, wait_for
from ragauge.events import Event, JudgmentsEvent, Signal, partition_of, partition_of_id, shard_of
from ragauge.wire import pack
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.packing import series_of, unpack_cells
from ragauge_service.core.series import Series
from ragauge_service.core.tally import Tally
from ragauge_service.store.connection import connect
from ragauge_service.store.namespace import Namespace

PROGRAM = Path(__file__).resolve().parents[1] / "engine" / "worker_process.py"


def partition(event: Event) -> int:
    """Return the partition bits of an event."""
    if isinstance(event, JudgmentsEvent):
        return partition_of(event.query_id or event.query or event.key)
    return partition_of_id(event.retrieval_id if isinstance(event, Signal) else event.id)


class Producer:
    """Appends events in numbered entries."""

    def __init__(self, namespace: Namespace, name: str = "tests") -> None:
        self._namespace = namespace
        self._name = name
        self._sequences: Counter[int] = Counter()

    def send(self, events: Sequence[Event]) -> None:
        """Append events, one entry a shard."""
        by_shard: dict[int, list[Event]] = {}
        shards = self._namespace.config.shards
        for event in events:
            by_shard.setdefault(shard_of(partition(event), shards), []).append(event)
        for shard, some in by_shard.items():
            self._sequences[shard] += 1
            now = self._namespace.now_ms()
            answer = self._namespace.shard(shard).append(self._name, self._sequences[shard], now, pack(some))
            assert answer.status == "OK", answer


class Cluster:
    """One namespace with its workers."""

    def __init__(self, url: str, name: str, directory: Path, settings: Mapping[str, object]) -> None:
        self.url, self.name, self._directory = url, name, directory
        self.client = connect(url)
        self.namespace = Namespace(self.client, name)
        self.config = self.namespace.configure(EngineConfig(**cast("dict[str, Any]", settings)))
        self.workers: list[Process] = []

    def start(self) -> Process:
        """Start another worker."""
        owner = f"worker{len(self.workers)}"
        command = [sys.executable, str(PROGRAM), self.url, self.name, owner, self.config.to_json()]
        root = Path(__file__).resolve().parents[2]
        paths = os.pathsep.join([str(root / "sdk"), str(root / "service")])
        worker = Process(command, self._directory / f"{owner}.log", env={"PYTHONPATH": paths})
        self.workers.append(worker)
        return worker

    def kill(self, worker: Process) -> None:
        """End a worker at once, without any goodbye."""
        worker.popen.send_signal(signal.SIGKILL)
        worker.popen.wait()

    def committed(self) -> bool:
        """Tell whether every shard is committed up to its newest entry as of now."""
        return all(self._is_committed(shard) for shard in range(self.config.shards))

    def _is_committed(self, shard: int) -> bool:
        store = self.namespace.shard(shard)
        return not store.read(store.state().offset, 1)

    def settle(self, timeout: float = 60.0) -> None:
        """Wait until everything that has been sent is committed."""
        newest = [self._newest(shard) for shard in range(self.config.shards)]

        def done() -> bool:
            return all(self.offset(shard) >= newest[shard] for shard in range(self.config.shards))

        wait_for(done, "everything to be committed", timeout=timeout)

    def _newest(self, shard: int) -> tuple[int, int]:
        rows = self.client.call("XREVRANGE", self.namespace.shard(shard).keys.events, "+", "-", "COUNT", 1)
        return _id(rows[0][0]) if rows else (0, 0)

    def offset(self, shard: int) -> tuple[int, int]:
        """Return how far a shard is committed."""
        return _id(self.namespace.shard(shard).state().offset.encode())

    def tallies(self, level: int = 1) -> dict[Series, Tally]:
        """Return what stands in all slots of a level, over all shards."""
        found: dict[Series, list[list[int]]] = {}
        for shard in range(self.config.shards):
            for key, rows in self.namespace.shard(shard).changed_since(0).slots.items():
                for series, row in rows.items() if key.minutes == level else ():
                    found.setdefault(series_of(series), []).append(unpack_cells(row))
        return {series: Tally.merged(self.config.layout, parts) for series, parts in found.items()}

    def matured(self) -> dict[Series, list[int]]:
        """Return the cumulative histograms, over all shards."""
        found: dict[Series, list[int]] = {}
        for shard in range(self.config.shards):
            for key, row in self.namespace.shard(shard).load_matured().items():
                cells, series = unpack_cells(row), series_of(key)
                found[series] = [
                    a + b for a, b in zip(found.get(series, [0] * len(cells)), cells, strict=True)
                ]
        return found

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.stop()
        self.client.close()


def _id(text: bytes) -> tuple[int, int]:
    milliseconds, _, sequence = text.decode().partition("-")
    return int(milliseconds), int(sequence or 0)
