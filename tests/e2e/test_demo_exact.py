"""The demo's numbers are right: an independent judge of the same rankings and judgments says the same."""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from harness.process import Process, free_port, wait_for
from harness.service import Service, running_service
from ragauge_service.demo.corpus import documents
from ragauge_service.demo.families import FAMILIES
from ragauge_service.demo.queries import queries
from ragauge_service.demo.service import SETTINGS

MEASURES = {"MRR@10": "recip_rank", "hit@5": "success_5", "nDCG@10": "ndcg_cut_10"}
SEED = 3


def run_demo(directory: Path) -> list[dict[str, Any]]:
    """Run the demo for a time in which nothing breaks, and return the retrievals that it logged."""
    log = directory / "log.jsonl"
    command = [sys.executable, "-m", "ragauge_service", "demo", "--seconds", "20", "--port", str(free_port())]
    command += ["--seed", str(SEED), "--data-dir", str(directory / "data"), "--log", str(log)]
    demo = Process(command, directory / "demo.log")
    try:
        wait_for(lambda: demo.popen.poll() is not None, "the demo to end", timeout=150)
        assert demo.popen.returncode == 0, demo.output
    finally:
        demo.stop()
    return [json.loads(line) for line in log.read_text().splitlines()]


def judged(logged: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return each category's means by pytrec_eval, every logged retrieval being a topic of its own."""
    grades = {query.id: dict(query.relevant) for query in queries(documents(), seed=SEED)}
    topics = {f"{at}": one for at, one in enumerate(logged) if one["category"] in FAMILIES}
    evaluator = pytrec_eval.RelevanceEvaluator(
        {topic: grades[one["query_id"]] for topic, one in topics.items()}, set(MEASURES.values())
    )
    ranked = {topic: {doc: -float(at) for at, doc in enumerate(one["ids"])} for topic, one in topics.items()}
    found = evaluator.evaluate(ranked)
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for topic, one in topics.items():
        for ours, theirs in MEASURES.items():
            values[one["category"]][ours].append(
                found.get(topic, {}).get(theirs, 0.0)
            )  # an empty list scores 0
    return {
        category: {name: sum(several) / len(several) for name, several in of.items()}
        for category, of in values.items()
    }


def settled(service: Service, retrievals: int) -> dict[str, Any]:
    """Return what the service says of each category when it has counted everything."""

    def all_there() -> list[dict[str, Any]] | None:
        series = service.quality(window="1h", evidence="judgments")
        return series if sum(one["retrievals"] for one in series) == retrievals else None

    return {one["category"]: one for one in wait_for(all_there, f"{retrievals} retrievals to be counted")}


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_demos_measures_are_those_of_an_independent_judge(tmp_path: Path) -> None:
    """Read after a restart on the demo's data, so that nothing but the store can have kept them."""
    logged = run_demo(tmp_path)
    assert len(logged) > 20 * 24 * 4 * 0.5, "it ran at about its rate"
    with running_service(tmp_path, env=SETTINGS) as service:
        said = settled(service, len(logged))
    for category, means in judged(logged).items():
        assert said[category]["scored"] == sum(one["category"] == category for one in logged)
        for name, value in means.items():
            assert said[category]["measures"][name]["value"] == pytest.approx(value, abs=1e-9, rel=0)
