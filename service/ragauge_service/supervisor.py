"""The worker processes of an instance: started, restarted when they die, their increments counted here."""

import contextlib
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

from ragauge_service.core.config import EngineConfig
from ragauge_service.core.counting import Row
from ragauge_service.worker import run_worker
from ragauge_service.worker.shard import Progress

DRAIN_S: Final = 15.0
"""How long a worker may take to commit and to give its shards back."""

PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 5.0

log = logging.getLogger(__name__)
_spawn = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """What a worker process must know; it travels to it by a pipe, not by its command line."""

    url: str
    namespace: str
    owner: str
    config: str
    log_level: str = "INFO"


class Supervisor:
    """Keeps one process at work for each of ``specs``; ``count`` receives what they counted."""

    def __init__(self, specs: Sequence[WorkerSpec], count: Callable[[Sequence[Row]], None]) -> None:
        self._count = count
        self._stopping = threading.Event()
        self._processes: dict[str, BaseProcess] = {}
        self._progress: dict[str, Sequence[Progress]] = {}
        self._threads = [threading.Thread(target=self._keep, args=(spec,), name=spec.owner) for spec in specs]

    def start(self) -> None:
        """Start every process."""
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> int:
        """Return how many processes run and have begun to work."""
        return len(self._progress)

    @property
    def progress(self) -> list[Progress]:
        """Return how the shards stand that the workers of this instance hold."""
        return [shard for shards in list(self._progress.values()) for shard in shards]

    @property
    def wanted(self) -> int:
        """Return how many processes there should be."""
        return len(self._threads)

    def stop(self) -> None:
        """Let every process commit and give its shards back; kill those that do not end."""
        self._stopping.set()
        deadline = time.monotonic() + DRAIN_S
        for process in list(self._processes.values()):
            with contextlib.suppress(Exception):
                process.terminate()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for process in list(self._processes.values()):
            if process.is_alive():
                process.kill()
        for thread in self._threads:
            thread.join()

    def _keep(self, spec: WorkerSpec) -> None:
        pause = 0.0
        while not self._stopping.wait(pause):
            began = time.monotonic()
            process = self._run(spec)
            if self._stopping.is_set():
                return
            pause = PAUSE_S if time.monotonic() - began > LONGEST_PAUSE_S else pause * 2 + PAUSE_S
            pause = min(pause, LONGEST_PAUSE_S)
            log.warning("worker %s ended with %s: it is started again", spec.owner, process.exitcode)

    def _run(self, spec: WorkerSpec) -> BaseProcess:
        ours, theirs = _spawn.Pipe()
        process = _spawn.Process(target=_main, args=(spec, theirs), name=spec.owner, daemon=True)
        process.start()
        theirs.close()
        self._processes[spec.owner] = process
        if self._stopping.is_set():
            process.terminate()
        with ours, contextlib.suppress(EOFError, OSError):
            while True:
                self._hear(spec.owner, *ours.recv())
        process.join()
        self._progress.pop(spec.owner, None)
        return process

    def _hear(self, owner: str, counted: Sequence[Row], progress: Sequence[Progress] | None) -> None:
        self._count(counted)
        if progress is not None:
            self._progress[owner] = progress


def _main(spec: WorkerSpec, pipe: Connection) -> None:
    """Run in the worker process: until told, or until the parent is gone, since the pipe then ends."""
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    logging.basicConfig(level=spec.log_level, format=f"%(levelname)s {spec.owner}: %(message)s")
    threading.Thread(target=_watch, args=(pipe, stop), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        run_worker(
            spec.url,
            spec.namespace,
            spec.owner,
            EngineConfig.from_json(spec.config),
            lambda rows: pipe.send((rows, None)),
            stop,
            report=lambda progress: pipe.send(([], progress)),
        )


def _watch(pipe: Connection, stop: threading.Event) -> None:
    """End this process when its parent has ended, however it ended."""
    with contextlib.suppress(EOFError, OSError):
        pipe.poll(None)
        pipe.recv()
    stop.set()
    time.sleep(DRAIN_S)
    os._exit(1)
