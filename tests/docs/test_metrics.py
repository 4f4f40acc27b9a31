"""docs/metrics.md is what the exporter exports, and its queries are ones that Prometheus takes."""

import re
import subprocess
from pathlib import Path

import pytest

from docs.boards import ROOT
from docs.promql import unknown
from exporter.world import World
from ragauge_service.exporter import CATALOGUE
from ragauge_service.exporter.document import document

PAGE = ROOT / "docs" / "metrics.md"


def test_the_page_is_what_the_catalogue_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == document()


def test_every_metric_in_a_scrape_is_described_with_its_type() -> None:
    scrape = World().exporter.render()[0].decode()
    exported = dict(re.findall(r"^# TYPE (\S+) (\S+)$", scrape, re.MULTILINE))
    described = dict(
        re.findall(r"^### `(\S+)`\n\n.*\n\n- (\w+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {name: kind.lower() for name, kind in described.items()} == exported


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_metrics_query_asks_only_for_what_is_exported(name: str) -> None:
    query = CATALOGUE[name].query
    assert [*unknown(query)] == []
    assert name in query


@pytest.mark.prometheus
def test_a_scrape_passes_promtools_own_checks(tmp_path: Path) -> None:
    """Promtool check metrics: names, helps, types, and that it can be parsed at all."""
    world = World(broken="billing")
    for _ in range(3):
        world.tick()
    done = subprocess.run(
        ["promtool", "check", "metrics"],
        input=world.exporter.render()[0],
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stderr.decode() == ""
    assert done.returncode == 0
