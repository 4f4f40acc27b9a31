"""The rules that we ship hold before promtool: linted, and their tests pass."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
RULES = sorted((PROMETHEUS / "rules").glob("*.yml"))
TESTS = sorted((PROMETHEUS / "tests").glob("*.yml"))


def promtool(*arguments: str | Path) -> None:
    """Run promtool, and fail with what it says."""
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.prometheus
def test_the_rules_pass_promtool_with_every_lint_fatal() -> None:
    promtool("check", "rules", "--lint=all", "--lint-fatal", *RULES)


@pytest.mark.prometheus
def test_the_configuration_is_one_that_prometheus_takes() -> None:
    promtool("check", "config", PROMETHEUS / "prometheus.yml")


@pytest.mark.prometheus
@pytest.mark.parametrize("path", TESTS, ids=[path.stem for path in TESTS])
def test_the_rules_pass_their_own_tests(path: Path) -> None:
    promtool("test", "rules", path)
