"""The whole way: events in, a drop in one category, and a real Prometheus fires for that category alone."""

import random
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.process import wait_for
from harness.prometheus import Prometheus, running_prometheus
from harness.service import Service, running_service
from ragauge.events import partition_of

RULES = Path(__file__).resolve().parents[2] / "deploy" / "prometheus" / "rules"
CATEGORIES = ("billing", "howto", "errors")
QUERIES = 40
HEALTHY = (0.55, 0.15, 0.08, 0.05, 0.03)
BROKEN = (0.20, 0.10, 0.08, 0.05, 0.03)


def judgments() -> list[dict[str, Any]]:
    """Return one relevant document for each query of each category."""
    return [
        {"query_id": f"{category}-{n}", "category": category, "relevant": [f"{category}-doc-{n}"]}
        for category in CATEGORIES
        for n in range(QUERIES)
    ]


def retrieval(category: str, shape: tuple[float, ...], rng: random.Random) -> dict[str, Any]:
    """Return a retrieval whose relevant document is at a rank drawn from ``shape``, or missing."""
    number = rng.randrange(QUERIES)
    query = f"{category}-{number}"
    rank = rng.choices(range(1, len(shape) + 2), weights=[*shape, 1 - sum(shape)])[0]
    ids = [f"other-{at}" for at in range(10)]
    if rank <= len(shape):
        ids[rank - 1] = f"{category}-doc-{number}"
    return {
        "type": "retrieval",
        "id": f"{partition_of(query):04x}{secrets.token_hex(14)}",
        "query_id": query,
        "category": category,
        "retriever": "docs",
        "ids": ids,
        "at": time.time_ns() // 1_000_000,
        "latency_ms": 12.5,
        "outcome": "ok",
    }


def stream(service: Service, rounds: int, rng: random.Random, *, broken: str | None = None) -> None:
    """Send ``rounds`` batches, 60 retrievals a category and batch."""
    for _ in range(rounds):
        for category in CATEGORIES:
            shape = BROKEN if category == broken else HEALTHY
            service.send([retrieval(category, shape, rng) for _ in range(60)])


def scored(service: Service) -> int:
    """Return how many retrievals the shortest window has scored on judgments."""
    series = service.quality(window="1h", evidence="judgments")
    return sum(row["scored"] for row in series)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[Service, Prometheus]]:
    """Run the service with a real Prometheus on it."""
    with running_service(tmp_path) as service:
        rules = sorted(RULES.glob("*.y*ml"))
        assert rules, "there are rules to load"
        with running_prometheus(tmp_path, f"127.0.0.1:{service.port}", rules) as prometheus:
            yield service, prometheus


@pytest.mark.server
@pytest.mark.prometheus
def test_a_drop_in_one_category_fires_for_that_category_and_a_healthy_stream_for_none(
    watched: tuple[Service, Prometheus],
) -> None:
    """A page that names the wrong category, or comes without cause, gets the product muted."""
    service, prometheus = watched
    rng = random.Random(20)
    service.judge(judgments())

    def dropped() -> set[str]:
        alerts = prometheus.alerts()
        return {a.get("category", "") for a in alerts if a["alertname"] == "RetrievalQualityDrop"} - {""}

    for batch in range(1, 16):
        stream(service, 1, rng)
        wait_for(lambda wanted=batch * 180: scored(service) == wanted, "every retrieval to be scored")
    wait_for(lambda: prometheus.query("ragauge_drop_alarm"), "Prometheus to have seen the detectors")
    assert dropped() == set()
    for _ in range(40):
        stream(service, 1, rng, broken="billing")
        if dropped():
            break
        time.sleep(0.2)
    wait_for(dropped, "the alert", timeout=30)
    assert dropped() == {"billing"}
