"""Every alert can be acted on: severity, words, a runbook, a dashboard; and asks only for what exists."""

import re
from typing import Any

import pytest
import yaml

from docs.boards import FILES, ROOT, load
from docs.promql import unknown

RULES = sorted((ROOT / "deploy" / "prometheus" / "rules").glob("*.yml"))
RUNBOOKS = ROOT / "docs" / "runbooks"
HEADINGS = ["Meaning", "Impact", "First", "Causes", "When it is a false alarm"]
NAMED = [
    "RetrievalQualityDrop",
    "RetrievalQualityBelowObjective",
    "HitRateBurn",
    "ForbiddenDocumentServed",
    "JudgedCoverageLow",
    "JudgmentsStale",
    "JudgedIdsVanished",
    "AbstentionDrop",
    "RetrieverErrors",
    "RetrieverLatencyHigh",
    "CategoryVanished",
    "TelemetryStopped",
    "EventsDropped",
    "DeadLetters",
    "WorkerLag",
    "SignalsLate",
]


def rules() -> list[dict[str, Any]]:
    """Return all rules."""
    groups = [group for path in RULES for group in yaml.safe_load(path.read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"]]


ALERTS = [rule for rule in rules() if "alert" in rule]
RECORDED = {rule["record"] for rule in rules() if "record" in rule}
EACH = pytest.mark.parametrize(
    "alert", ALERTS, ids=[f"{a['alert']}-{a['labels']['severity']}" for a in ALERTS]
)


def test_the_alerts_are_those_that_are_promised() -> None:
    assert {alert["alert"] for alert in ALERTS} == set(NAMED)


@EACH
def test_an_alert_says_how_bad_what_and_where_to_look(alert: dict[str, Any]) -> None:
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    annotations = alert["annotations"]
    assert set(annotations) == {"summary", "description", "runbook_url", "dashboard_url"}
    assert len(annotations["summary"]) < 120
    assert annotations["runbook_url"] == f"{{{{ $externalLabels.ragauge_runbooks }}}}/{alert['alert']}.md"
    uid = re.search(r"/d/([\w-]+)", annotations["dashboard_url"])
    assert uid
    assert uid[1] in {load(path)["uid"] for path in FILES}


@EACH
def test_an_alerts_dashboard_has_the_variables_that_its_address_sets(alert: dict[str, Any]) -> None:
    address = alert["annotations"]["dashboard_url"]
    uid = re.findall(r"/d/([\w-]+)", address)[0]
    board = next(load(path) for path in FILES if path.stem == uid)
    assert set(re.findall(r"var-(\w+)=", address)) <= {v["name"] for v in board["templating"]["list"]}


@pytest.mark.parametrize("name", NAMED)
def test_an_alert_has_a_runbook_with_three_first_steps(name: str) -> None:
    text = (RUNBOOKS / f"{name}.md").read_text()
    assert re.findall(r"^# (.*)$", text, re.MULTILINE) == [name]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == 3


def test_no_runbook_is_left_over() -> None:
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == set(NAMED)


def test_the_dashboards_draw_exactly_these_alerts() -> None:
    drawn = [load(path)["annotations"]["list"][0]["expr"] for path in FILES]
    wanted = '"' + "|".join(NAMED) + '"'
    assert all(wanted in expression for expression in drawn)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.get("alert") or rule["record"])
def test_a_rule_asks_only_for_what_is_exported_or_recorded(rule: dict[str, Any]) -> None:
    labels = {"job", "category", "retriever", "evidence", "k", "window", "kind"}
    known = dict.fromkeys(RECORDED, labels)
    assert [*unknown(rule["expr"], known)] == []


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_a_recorded_name_says_level_metric_and_operation(name: str) -> None:
    assert re.fullmatch(r"[a-z_]+:(ragauge_[a-z_]+):[a-z0-9_]+", name)


def test_the_alerts_page_lists_nothing_that_is_not_in_the_repository() -> None:
    links = re.findall(r"\]\((\w+\.md)\)", "".join(path.read_text() for path in RUNBOOKS.glob("*.md")))
    assert all((RUNBOOKS / link).exists() for link in links)


def test_no_rule_takes_an_average_of_averages() -> None:
    averaged = [rule for rule in rules() if re.search(r"\bavg\b", rule["expr"])]
    assert averaged == []
