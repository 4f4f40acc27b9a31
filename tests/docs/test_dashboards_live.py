"""Every query of every dashboard is answered by a real Prometheus, in health, in a drop and in silence."""

import json
import math
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

import pytest

from docs.boards import FILES, Query, filled, queries
from exporter.serving import serving
from exporter.world import CATEGORIES, World
from harness.http import request
from harness.process import wait_for
from harness.prometheus import Prometheus, running_prometheus

VALUES = {
    "job": "ragauge",
    "instance": ".+",
    "category": ".*",
    "retriever": ".*",
    "variant": ".*",
    "base": "v1",
    "evidence": "judgments",
    "k": ".*",
    "window": "1h",
    "__rate_interval": "8s",
    "__range": "30s",
}
SCRAPES = 12
ONLY_IN_A_DROP = {("ragauge-category", "Drops now")}
EMPTY_IN_SILENCE = 20
"""How many queries at least say "no data" when there is no traffic, because that is the truth."""


@pytest.fixture(scope="module", params=["healthy", "regression", "no traffic"])
def state(request: pytest.FixtureRequest) -> str:
    """Name a state of the world."""
    return request.param


@pytest.fixture(scope="module")
def watched(state: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Run a Prometheus that has scraped a world in this state a few times."""
    world = World(
        broken="billing" if state == "regression" else None, quiet=state == "no traffic", now=time.time()
    )
    with (
        serving(world) as address,
        running_prometheus(tmp_path_factory.mktemp("live"), address, []) as prometheus,
    ):

        def scraped() -> bool:
            world.tick()
            found = prometheus.query("count_over_time(ragauge_build_info[5m])")
            return bool(found) and float(found[0]["value"][1]) >= SCRAPES

        wait_for(scraped, "the scrapes", every=0.3)
        yield prometheus


def answer(prometheus: Prometheus, query: Query) -> list[dict[str, Any]]:
    """Return the series that a query answers, as a panel would ask for them."""
    now = time.time()
    arguments = {"query": filled(query.expression, VALUES)}
    if query.instant:
        path, arguments["time"] = "query", str(now)
    else:
        path = "query_range"
        arguments |= {"start": str(now - 10), "end": str(now), "step": "1"}
    url = f"{prometheus.url}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
    status, text = request("GET", url)
    assert status == 200, f"{query}: {text}"
    return json.loads(text)["data"]["result"]


def numbers(series: list[dict[str, Any]]) -> list[float]:
    """Return all values of all series."""
    points = [point for one in series for point in one.get("values", [one.get("value")])]
    return [float(value) for _, value in points]


@pytest.mark.prometheus
def test_every_query_is_answered_with_finite_numbers(watched: Prometheus, state: str) -> None:
    """An empty panel on the day of an incident is worse than none."""
    asked = [query for path in FILES for query in queries(path)]
    found = {query: numbers(answer(watched, query)) for query in asked}
    odd = {query: values for query, values in found.items() if not all(map(math.isfinite, values))}
    assert odd == {}
    empty = [query for query, values in found.items() if not values]
    if state == "no traffic":
        assert len(empty) >= EMPTY_IN_SILENCE
        return
    allowed = ONLY_IN_A_DROP if state == "healthy" else set[tuple[str, str]]()
    assert [query for query in empty if (query.board, query.panel) not in allowed] == []


@pytest.mark.prometheus
def test_the_alarms_say_what_the_world_is_like(watched: Prometheus, state: str) -> None:
    asked = [q for p in FILES for q in queries(p) if (q.board, q.panel) == ("ragauge-overview", "Alarms")]
    standing = numbers(answer(watched, asked[0]))[-1]
    assert standing == (1 if state == "regression" else 0)
    by_category = answer(watched, Query("", "", "sum by (category) (ragauge_retrievals_total)", instant=True))
    names = {one["metric"]["category"] for one in by_category}
    assert names == (set() if state == "no traffic" else set(CATEGORIES))
