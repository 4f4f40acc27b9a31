"""Every retrieval is counted exactly once, whatever dies in the middle of the stream."""

import os
import random
import secrets
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from harness.process import wait_for
from harness.service import Service, running_service
from ragauge.events import partition_of

BATCHES = 60
BATCH = 50
KILLS = (10, 25, 40)


def retrieval(number: int, rng: random.Random) -> dict[str, Any]:
    """Return one retrieval of a judged query, its relevant document somewhere or missing."""
    query = f"q{number % 50}"
    return {
        "type": "retrieval",
        "id": f"{partition_of(query):04x}{secrets.token_hex(14)}",
        "query_id": query,
        "category": "howto",
        "retriever": "docs",
        "ids": rng.sample([f"doc-{at}" for at in range(60)], 10),
        "at": time.time_ns() // 1_000_000,
    }


def workers_of(service: Service) -> list[int]:
    """Return the processes whose parent is the service and that run our worker."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = (entry / "stat").read_text().rpartition(")")[2].split()
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        # the store's watchdog is a child too, and so is multiprocessing's own helper
        if int(status[1]) == service.process.popen.pid and b"spawn_main" in words:
            found.append(int(entry.name))
    return found


def counted(service: Service) -> dict[str, int]:
    """Return what the service has counted on judgments."""
    rows = service.quality(window="1h", evidence="judgments")
    return {name: sum(row[name] for row in rows) for name in ("retrievals", "scored")}


@pytest.mark.server
@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_a_stream_loses_nothing_and_counts_nothing_twice(
    tmp_path: Path,
) -> None:
    """Exactly-once is what makes the numbers worth trusting; kill -9 is the test that counts."""
    rng = random.Random(7)
    judgments = [{"query_id": f"q{n}", "relevant": [f"doc-{n}"]} for n in range(50)]
    with running_service(tmp_path) as service:
        service.judge(judgments)
        for batch in range(BATCHES):
            service.send([retrieval(batch * BATCH + at, rng) for at in range(BATCH)])
            if batch in KILLS:
                victims = wait_for(lambda: workers_of(service), "a worker process")
                for pid in victims:
                    os.kill(pid, signal.SIGKILL)
        total = BATCHES * BATCH
        wait_for(lambda: counted(service)["retrievals"] >= total, "every retrieval to be counted")
        service.restart()
        wait_for(lambda: counted(service)["retrievals"] >= total, "the numbers to be back")
        assert counted(service) == {"retrievals": total, "scored": total}
