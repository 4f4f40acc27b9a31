"""Alerts reach whom they should: routes by amtool, the rest by a real Alertmanager and a webhook."""

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from alerts.scaling import scaled
from harness.alertmanager import Alertmanager, running_alertmanager
from harness.process import wait_for

CONFIG = Path(__file__).resolve().parents[2] / "deploy" / "alertmanager" / "alertmanager.yml"


def amtool(*arguments: str | Path) -> str:
    """Run amtool and return what it prints."""
    done = subprocess.run(["amtool", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.prometheus
def test_the_configuration_passes_amtool() -> None:
    assert "SUCCESS" in amtool("check-config", CONFIG)


@pytest.mark.prometheus
@pytest.mark.parametrize(
    ("severity", "receiver"),
    [("critical", "page"), ("warning", "ticket"), ("info", "note"), ("unheard of", "ticket")],
)
def test_an_alert_goes_to_whom_its_severity_says(severity: str, receiver: str) -> None:
    config = f"--config.file={CONFIG}"
    amtool("config", "routes", "test", config, f"--verify.receivers={receiver}", f"severity={severity}")


def alert(name: str, severity: str = "critical", **labels: str) -> dict[str, Any]:
    """Return an alert of ours as Prometheus sends it."""
    return {"labels": {"alertname": name, "severity": severity, "job": "ragauge", **labels}}


@pytest.fixture
def alertmanager(tmp_path: Path) -> Iterator[Alertmanager]:
    """Run Alertmanager on our routes, a minute being a second."""
    with running_alertmanager(tmp_path, scaled(CONFIG.read_text(), 60)) as running:
        yield running


@pytest.mark.prometheus
def test_a_drop_is_paged_once_and_silences_what_follows_from_it(alertmanager: Alertmanager) -> None:
    """Three alerts about one thing wake one person once; another category is another page."""
    same = {"category": "billing", "retriever": "docs", "evidence": "judgments"}
    alertmanager.send(
        alert("RetrievalQualityDrop", **same),
        alert("RetrievalQualityDrop", evidence="judgments"),
        alert("RetrievalQualityBelowObjective", "warning", **same),
        alert("HitRateBurn", **same),
        alert("HitRateBurn", **{**same, "category": "howto"}),
    )
    wait_for(lambda: len(alertmanager.webhook.heard) >= 2, "two notifications")
    assert alertmanager.webhook.told("page", "firing") == {
        ("RetrievalQualityDrop", "billing"),
        ("HitRateBurn", "howto"),
    }
    assert alertmanager.webhook.told("ticket", "firing") == set()
    assert alertmanager.active() == {("RetrievalQualityDrop", "billing"), ("HitRateBurn", "howto")}


@pytest.mark.prometheus
def test_what_belongs_together_comes_as_one_notification(alertmanager: Alertmanager) -> None:
    same = {"category": "billing", "retriever": "docs"}
    alertmanager.send(
        alert("RetrievalQualityDrop", **same, evidence="judgments"),
        alert("RetrievalQualityDrop", **same, evidence="clicks"),
    )
    wait_for(lambda: alertmanager.webhook.heard, "a notification")
    first = alertmanager.webhook.heard[0]
    assert len(first["alerts"]) == 2
    assert first["groupLabels"] == {
        "alertname": "RetrievalQualityDrop",
        "category": "billing",
        "retriever": "docs",
    }


@pytest.mark.prometheus
def test_stopped_telemetry_silences_quality_and_nothing_else(alertmanager: Alertmanager) -> None:
    alertmanager.send(
        alert("TelemetryStopped", stopped="service"),
        alert("RetrievalQualityDrop", category="billing", evidence="judgments"),
        alert("JudgedCoverageLow", "warning", category="howto"),
        alert("ForbiddenDocumentServed", category="howto"),
        alert("WorkerLag", "warning", shard="3"),
    )
    active = {("TelemetryStopped", ""), ("ForbiddenDocumentServed", "howto"), ("WorkerLag", "")}
    wait_for(lambda: alertmanager.active() == active, "the inhibition")
    wait_for(lambda: len(alertmanager.webhook.heard) >= 3, "three notifications")
    told = alertmanager.webhook.told("page", "firing") | alertmanager.webhook.told("ticket", "firing")
    assert told == active


@pytest.mark.prometheus
def test_the_end_is_told_too(alertmanager: Alertmanager) -> None:
    drop = alert("RetrievalQualityDrop", category="billing", evidence="judgments")
    alertmanager.send(drop)
    wait_for(lambda: alertmanager.webhook.told("page", "firing"), "the page")
    alertmanager.send({**drop, "endsAt": datetime.now(UTC).isoformat()})
    wait_for(lambda: alertmanager.webhook.told("page", "resolved"), "the end")
    assert alertmanager.webhook.told("page", "resolved") == {("RetrievalQualityDrop", "billing")}
