"""The dashboards are what their source writes, what Grafana reads, and what the exporter can answer."""

import importlib
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins

from docs.boards import FILES, NAMES, ROOT, load, panels, queries
from docs.promql import parsed, unknown

SCHEMAS = Path(os.environ.get("RAGAUGE_SHARED", ROOT.parent / "shared")) / "schemas"
EACH = pytest.mark.parametrize("path", FILES, ids=NAMES)
VARIABLES = ["datasource", "job", "instance", "category", "retriever", "variant", "evidence", "k", "window"]


def test_there_are_the_five_dashboards() -> None:
    assert [f"ragauge-{name}" for name in ("category", "overview", "service", "trust", "variants")] == NAMES


def test_the_committed_json_is_what_the_source_writes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "grafana.src", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@EACH
def test_grafanas_own_types_read_it_and_write_it_back(path: Path) -> None:
    with (
        warnings.catch_warnings()
    ):  # the SDK prefers its second dashboard schema; files on disk use the first
        warnings.simplefilter("ignore", DeprecationWarning)
        types = importlib.import_module("grafana_foundation_sdk.models.dashboard")
    register_default_plugins()
    board = load(path)
    again = json.loads(json.dumps(types.Dashboard.from_json(board), cls=JSONEncoder))
    assert again == board


def schema(name: str) -> dict[str, Any]:
    """Return one of Grafana's own schemas."""
    path = SCHEMAS / f"grafana-{name}.schema.json"
    if not path.exists():
        pytest.skip("Grafana's schemas are not here")
    return _any(json.loads(path.read_text()))


def _any(node: Any) -> Any:
    """Return a schema in which "any value" is any value: the generator wrote it as an object of anything."""
    if isinstance(node, dict) and cast("dict[str, Any]", node).get("additionalProperties") == {}:
        return {}
    if isinstance(node, dict):
        return {key: _any(value) for key, value in cast("dict[str, Any]", node).items()}
    return [_any(value) for value in cast("list[Any]", node)] if isinstance(node, list) else node


@EACH
def test_it_is_valid_before_grafanas_dashboard_schema(path: Path) -> None:
    jsonschema.validate(load(path), schema("dashboard"))


@EACH
def test_each_panels_options_are_valid_before_that_panels_schema(path: Path) -> None:
    for panel in panels(load(path)):
        options = schema(panel["type"].replace("-", ""))
        definitions = options["definitions"]
        jsonschema.validate(panel["options"], {"definitions": definitions, "$ref": "#/definitions/Options"})
        custom = panel["fieldConfig"]["defaults"].get("custom", {})
        if "FieldConfig" in definitions:
            reference = {"definitions": definitions, "$ref": "#/definitions/FieldConfig"}
            jsonschema.validate(custom, reference)


@EACH
def test_every_query_is_promql_and_asks_only_for_what_is_exported(path: Path) -> None:
    wrong = {query.panel: [*unknown(query.expression)] for query in queries(path)}
    assert {panel: found for panel, found in wrong.items() if found} == {}


@EACH
def test_every_annotation_and_variable_asks_only_for_what_is_exported(path: Path) -> None:
    board = load(path)
    alerts = {"ALERTS": {"alertname", "alertstate"}}
    for annotation in board["annotations"]["list"]:
        assert [*unknown(annotation["expr"], alerts)] == []
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            found = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"])
            assert found, variable
            if not found[1].startswith("{"):
                assert [*unknown(found[1])] == []
            parsed(found[1])


@EACH
def test_it_offers_the_variables_and_reads_them_again_when_time_moves(path: Path) -> None:
    variables = {variable["name"]: variable for variable in load(path)["templating"]["list"]}
    assert [name for name in VARIABLES if name not in variables] == []
    for variable in variables.values():
        assert variable["label"]
        if variable["type"] == "query":
            assert variable["refresh"] == 2, "on time range change"
            assert variable["datasource"]["uid"] == "${datasource}"


@EACH
def test_job_and_instance_are_templated_as_the_dashboard_linter_wants(path: Path) -> None:
    """template-datasource, template-job, template-instance, template-label-promql."""
    variables = {variable["name"]: variable for variable in load(path)["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    assert variables["datasource"]["query"] == "prometheus"
    assert variables["datasource"]["label"] == "Data source"
    for name in ("job", "instance"):
        variable = variables[name]
        assert (variable["label"], variable["multi"], variable["allValue"]) == (name.title(), True, ".+")


@EACH
def test_every_panel_says_what_it_shows_as_the_dashboard_linter_wants(path: Path) -> None:
    """panel-datasource, panel-title-description, panel-units, panel-no-targets, uneditable."""
    board = load(path)
    assert board["editable"] is False
    for panel in panels(board):
        assert panel["title"], panel
        assert len(panel["description"]) >= 20, panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["targets"], panel["title"]


@EACH
def test_every_query_is_built_as_the_dashboard_linter_wants(path: Path) -> None:
    """target-job, target-instance, target-rate-interval, target-counter-agg, target-promql."""
    for query in queries(path):
        text = query.expression
        selected = re.findall(r"\{([^}]*)\}", text)
        assert all('job=~"$job"' in one and 'instance=~"$instance"' in one for one in selected), query
        assert set(re.findall(r"rate\([^[]*\[([^]]*)\]", text)) <= {"$__rate_interval"}, query
        counters = re.findall(r"(\w*)\(?(ragauge_\w+_(?:total|bucket|count|sum))\b\{", text)
        assert all(function in {"rate", "increase"} for function, _ in counters), query


@EACH
def test_nothing_is_bound_to_one_data_source(path: Path) -> None:
    text = path.read_text()
    assert set(re.findall(r'"uid": "([^"]*)"', text)) == {"${datasource}", path.stem}


def test_uids_and_panel_ids_are_unique() -> None:
    boards = [load(path) for path in FILES]
    assert len({board["uid"] for board in boards}) == len(boards)
    assert all(board["uid"] == path.stem for board, path in zip(boards, FILES, strict=True))
    for board in boards:
        titles = [panel["title"] for panel in panels(board)]
        assert len(titles) == len(set(titles)), board["title"]


@EACH
def test_firing_alerts_onsets_and_deploys_are_drawn_into_it(path: Path) -> None:
    names = [annotation["name"] for annotation in load(path)["annotations"]["list"]]
    assert names == ["Firing alerts", "Onset of drops", "Deploys"]


def test_histograms_are_asked_for_their_exemplars() -> None:
    asked = {
        panel["title"]
        for path in FILES
        for panel in panels(load(path))
        for target in panel["targets"]
        if target.get("exemplar")
    }
    assert asked >= {"First relevant rank", "Distribution of nDCG", "Misses"}
