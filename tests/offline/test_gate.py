"""The gate fails a build for a reason that it names, in the words of each CI system."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import ConfigurationError
from ragauge.offline.gate import Thresholds, gate, read_thresholds, thresholds_of
from ragauge_service.cli import run as command_line

NAMES = ["codes"] * 20 + ["words"] * 40
JUDGED = [{"query_id": f"q{at}", "category": name, "relevant": ["a"]} for at, name in enumerate(NAMES)]
GOOD = {f"q{at}": ["a", "b"] for at in range(60)}
WORSE = {f"q{at}": ["b", "a"] if at < 20 else ["a", "b"] for at in range(60)}


def test_thresholds_by_measure_and_category_are_held() -> None:
    wanted = Thresholds(minimum={"MRR@10": 0.8}, category={"codes": {"MRR@10": 0.9}})
    assert gate(GOOD, JUDGED, thresholds=wanted).passed
    verdict = gate(WORSE, JUDGED, thresholds=wanted)
    assert [check.name for check in verdict.checks if not check.passed] == ["codes: MRR@10 minimum"]


def test_a_significant_drop_in_one_category_fails() -> None:
    verdict = gate(WORSE, JUDGED, GOOD)
    assert "codes: MRR@10 drop" in [check.name for check in verdict.checks if not check.passed]
    assert gate(WORSE, JUDGED, GOOD, Thresholds(max_drop={"*": 0.6})).passed
    assert gate(GOOD, JUDGED, WORSE).passed


def test_a_drop_that_chance_explains_passes() -> None:
    assert gate({**GOOD, "q1": ["b", "a"]}, JUDGED, GOOD).passed


def test_a_category_that_is_not_there_fails_its_minimum() -> None:
    verdict = gate(GOOD, JUDGED, thresholds=Thresholds(category={"gone": {"MRR@10": 0.1}}))
    assert "nothing was scored" in str(verdict)
    assert not verdict.passed


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"minimun": {}}, "no key 'minimun'"),
        ({"minimum": {"MRR@10": "high"}}, "a number is wanted"),
        ({"minimum": {"foo": 1}}, "foo"),
        ({"category": {"c": []}}, "a table is wanted"),
        ({"alpha": "x"}, "alpha: a number"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(table: dict[str, Any], said: str) -> None:
    with pytest.raises(Exception, match=said) as raised:
        thresholds_of("t", table)
    assert raised.value.exit_code == 2  # type: ignore[attr-defined]


def test_thresholds_come_from_a_pyproject_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_thresholds(None) == Thresholds()
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert read_thresholds(None) == Thresholds()
    content = "[tool.ragauge.gate]\nmax_drop = 0.1\n[tool.ragauge.gate.minimum]\n'MRR' = 0.5\n"
    Path("pyproject.toml").write_text(content)
    assert read_thresholds(None) == Thresholds(minimum={"MRR": 0.5}, max_drop={"*": 0.1})
    Path("gate.toml").write_text("[minimum]\n'hit@5' = 0.5\n")
    assert read_thresholds(Path("gate.toml")).minimum == {"hit@5": 0.5}
    for content in ("a = [", "[tool.other]\n"):
        Path("gate.toml").write_text(content)
        with pytest.raises(ConfigurationError):
            read_thresholds(Path("gate.toml"))
    with pytest.raises(ConfigurationError):
        read_thresholds(Path("none.toml"))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in {"good": GOOD, "worse": WORSE, "judgments": JUDGED}.items():
        Path(f"{name}.json").write_text(json.dumps(value))
    Path("missing.json").write_text(json.dumps({"q0": ["a", "a"]}))
    Path("gate.toml").write_text("[minimum]\n'MRR@10' = 0.9\n")
    return tmp_path


CODES = {"good.json": 0, "worse.json": 1, "missing.json": 3, "none.json": 2}


@pytest.mark.parametrize("run", CODES)
def test_exit_codes_tell_failed_from_violated_from_unreadable(run: str, files: Path) -> None:
    assert command_line(["gate", run, "judgments.json", "--config", "gate.toml"]) == CODES[run]


def test_junit_and_github_name_what_failed(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "summary.md"))
    options = ["--config", "gate.toml", "--baseline", "good.json", "--junit", "out.xml", "--github"]
    assert command_line(["gate", "worse.json", "judgments.json", *options]) == 1
    assert "::error title=MRR@10 minimum::0.8333, at least 0.9" in capsys.readouterr().out
    assert "gate failed" in (files / "summary.md").read_text()
    suite = ET.parse(files / "out.xml").getroot()[0]  # noqa: S314 - our own file
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) > 0
    assert command_line(["gate", "good.json", "judgments.json", "--github"]) == 0
    assert "::notice title=ragauge gate::passed" in capsys.readouterr().out
    assert command_line(["gate", "good.json", "judgments.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"]


PLUGIN_TEST = """
def test_good(ragauge_evaluate):
    assert ragauge_evaluate("good.json", "judgments.json", minimum={"MRR@10": 0.9}).passed

def test_configured(ragauge_evaluate):
    ragauge_evaluate("worse.json", "judgments.json")

def test_worse(ragauge_evaluate):
    ragauge_evaluate("worse.json", "judgments.json", baseline="good.json", config="gate.toml")
"""


def test_the_pytest_plugin_fails_tests_as_the_gate_fails_builds(files: Path) -> None:
    Path("pyproject.toml").write_text("[tool.ragauge.gate.minimum]\n'MRR@10' = 0.99\n")
    Path("test_it.py").write_text(PLUGIN_TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "ragauge.pytest_plugin", "--junit-xml=out.xml"]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
    )
    assert "2 failed, 1 passed" in done.stdout
    assert "FAIL MRR@10 minimum: 0.8333, at least 0.99" in done.stdout
    assert "FAIL codes: MRR@10 drop" in done.stdout
    assert 'name="ragauge.MRR@10" value="1.0"' in Path("out.xml").read_text()


def test_the_template_is_an_empty_run(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["template", "judgments.json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    Path("run.jsonl").write_text("\n".join(lines))
    assert len(lines) == 61
    assert command_line(["evaluate", "run.jsonl", "judgments.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"]["MRR@10"]["mean"] == 0.0


@pytest.mark.parametrize(("runs", "name"), [(1, "a.png"), (2, "b.svg"), (1, "c.pdf")])
def test_ranks_and_comparisons_are_drawn(runs: int, name: str, files: Path) -> None:
    code = command_line(["plot", *["good.json", "worse.json"][:runs], "judgments.json", "-o", name])
    starts = {".png": b"\x89PNG", ".svg": b"<?xml"}
    if name.endswith(".pdf"):
        assert code == 2
    else:
        assert code == 0
        assert Path(name).read_bytes().startswith(starts[Path(name).suffix])
