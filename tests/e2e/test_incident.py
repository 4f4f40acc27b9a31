"""An incident at 1/60 of its time: the exact alerts at each stage, through Prometheus and Alertmanager.

The rules and routes are those that we ship, every duration divided by sixty; promtool tests the true ones.
"""

import random
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from alerts.scaling import scaled, scaled_files
from harness.alertmanager import Alertmanager, running_alertmanager
from harness.http import request
from harness.process import wait_for
from harness.prometheus import Prometheus, running_prometheus
from harness.service import Service, running_service
from ragauge.events import partition_of

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
SCALE = 60
CATEGORIES = ("billing", "howto", "errors")
QUERIES = 40
HEALTHY = (0.55, 0.15, 0.08, 0.05, 0.03)
WORSE = (0.30, 0.20, 0.10, 0.05, 0.03)
ALERTING = "alerting: {{alertmanagers: [{{static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]}}"


@dataclass
class Traffic:
    """Users of three categories, in a thread, until told to stop; one category can be made worse."""

    service: Service
    worse: str | None = None
    forbidden: bool = False
    flowing: bool = True
    rng: random.Random = field(default_factory=lambda: random.Random(5))
    ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Send a batch of each category, again and again."""
        while not self.ended.wait(0.2):
            if self.flowing:
                self.service.send([self._retrieval(c) for c in CATEGORIES for _ in range(12)])

    def _retrieval(self, category: str) -> dict[str, Any]:
        number = self.rng.randrange(QUERIES)
        query, shape = f"{category}-{number}", WORSE if category == self.worse else HEALTHY
        rank = self.rng.choices(range(1, len(shape) + 2), weights=[*shape, 1 - sum(shape)])[0]
        ids = [f"other-{at}" for at in range(10)]
        if rank <= len(shape):
            ids[rank - 1] = f"{category}-doc-{number}"
        if self.forbidden and category == "howto":
            ids[9], self.forbidden = "secret", False
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


@dataclass(frozen=True)
class Scene:
    """Everything that runs."""

    service: Service
    prometheus: Prometheus
    alertmanager: Alertmanager
    traffic: Traffic

    def reaches(self, *alerts: tuple[str, str], timeout: float = 90) -> None:
        """Wait until exactly these alerts, as name and category, are neither inhibited nor resolved."""
        seen: list[set[tuple[str, str]]] = []

        def exactly() -> bool:
            seen.append(self.alertmanager.active())
            return seen[-1] == set(alerts)

        try:
            wait_for(exactly, f"exactly {alerts}", timeout=timeout, every=0.3)
        except AssertionError as error:
            raise AssertionError(f"{error}; last: {seen[-1] if seen else None}") from None


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Run service, Prometheus, Alertmanager and users."""
    environment = {"RAGAUGE_SERVICE_WINDOWS": "1m,24m,168m", "RAGAUGE_SERVICE_SHARDS": "4"}
    rules = scaled_files(sorted((DEPLOY / "prometheus" / "rules").glob("*.yml")), SCALE, tmp_path / "rules")
    routes = scaled((DEPLOY / "alertmanager" / "alertmanager.yml").read_text(), SCALE)
    with (
        running_service(tmp_path, env=environment) as service,
        running_alertmanager(tmp_path, routes) as alertmanager,
    ):
        service.judge(
            [
                {
                    "query_id": f"{category}-{n}",
                    "category": category,
                    "relevant": [f"{category}-doc-{n}"],
                    "forbidden": ["secret"],
                }
                for category in CATEGORIES
                for n in range(QUERIES)
            ]
        )
        traffic = Traffic(service)
        thread = threading.Thread(target=traffic.run)
        thread.start()
        try:
            more = ALERTING.format(port=alertmanager.port)
            wait_for(
                lambda: 'ragauge_window_scored_retrievals{category="howto"' in service.metrics(), "windows"
            )
            with running_prometheus(tmp_path, f"127.0.0.1:{service.port}", rules, more) as prometheus:
                yield Scene(service, prometheus, alertmanager, traffic)
        finally:
            traffic.ended.set()
            thread.join()


@pytest.mark.server
@pytest.mark.prometheus
@pytest.mark.slow
@pytest.mark.timeout(420)
def test_an_incident_from_health_to_recovery_raises_exactly_the_alerts_it_should(scene: Scene) -> None:
    """What pages, and what stays silent, at every stage: this is what on-call people live with."""
    drop = ("RetrievalQualityDrop", "billing")

    # An hour of health, which is a minute here: never any alert. Prometheus has settled before it begins.
    asked = "count_over_time(ragauge_build_info[2m])"
    wait_for(
        lambda: (found := scene.prometheus.query(asked)) and float(found[0]["value"][1]) >= SCALE + 10,
        "a healthy hour",
        timeout=120,
        every=1,
    )
    assert scene.prometheus.query('count_over_time(ALERTS{alertstate="firing"}[1m])') == []
    assert scene.alertmanager.active() == set()

    scene.traffic.worse = "billing"
    scene.reaches(drop)

    scene.traffic.forbidden = True
    scene.reaches(drop, ("ForbiddenDocumentServed", "howto"))
    scene.reaches(drop)  # a quarter of an hour later it has not come again

    scene.traffic.flowing = False
    scene.reaches(("TelemetryStopped", ""))

    scene.traffic.worse, scene.traffic.flowing = None, True
    scene.reaches(drop)  # its alarm is latched
    body = {"category": "billing", "retriever": "docs", "evidence": "judgments"}
    status, text = request("POST", f"{scene.service.url}/v1/alarms/acknowledge", body)
    assert status == 202, text
    scene.reaches()
    wait_for(lambda: drop in scene.alertmanager.webhook.told("page", "resolved"), "the end to be told")
