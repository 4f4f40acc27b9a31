"""trec_eval's own test data (public domain, NIST): all its per-query and mean values of our measures."""

import math
import re
from collections import defaultdict
from pathlib import Path

import pytest

from harness.shared import SHARED, shared
from ragauge.measures import Judgments, Measure, Scorer, by_score

Values = dict[str, dict[str, str]]

PLAIN = {"map": "AP", "recip_rank": "MRR", "Rprec": "Rprec", "ndcg": "nDCG"}
CUT = {"P": "P", "recall": "recall", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "hit", "unj": "judged"}
OUTPUTS = {  # output -> run, qrels, relevance level
    "out.test.aq": ("results.test", "qrels.test", 1),
    "out.test.aqc": ("results.trunc", "qrels.test", 1),
    "out.test.aql": ("results.test", "qrels.rel_level", 2),
    "out.test": ("results.test", "qrels.test", 1),
}


def _measure(name: str) -> Measure | None:
    if name in PLAIN:
        return Measure.parse(PLAIN[name])
    family, _, k = name.rpartition("_")
    return Measure.parse(f"{CUT[family]}@{k}") if family in CUT and k.isdigit() else None


def _run(path: Path) -> dict[str, list[str]]:
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, doc, _, value = line.split()[:5]
        scores[query][doc] = float(value)
    return {query: by_score(found) for query, found in scores.items()}


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, doc, grade = line.split()
        grades[query][doc] = int(grade)
    return grades


def _said(path: Path) -> Values:
    values: Values = defaultdict(dict)
    for line in path.read_text().splitlines():
        name, query, value = re.split(r"\s+", line.strip())[:3]
        values[query][name] = value
    return values


def _known(values: Values) -> dict[Measure, str]:
    names = next(iter(values.values()))
    found = {_measure(name): name for name in names}
    return {measure: name for measure, name in found.items() if measure is not None}


def _ours(measures: list[Measure], grades: dict[str, int], ranking: list[str], level: int) -> list[float]:
    pool = {doc: grade for doc, grade in grades.items() if grade != -1}  # trec_eval's mark of "unjudged"
    values = Scorer(measures).score(Judgments(pool, level=level), ranking)[0].values
    return [_printed(measure, value) for measure, value in zip(measures, values, strict=True)]


def _printed(measure: Measure, value: float | None) -> float:
    """trec_eval prints the share of unjudged documents, 0 of an empty list."""
    if measure.family != "judged":
        return value or 0.0
    return 0.0 if value is None else 1.0 - value


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_value_that_trec_eval_prints_is_ours(output: str) -> None:
    """Missing queries count 0 (trec_eval -c); at level 2 only the binary measures change."""
    said = _said(shared("trec_eval", output))
    run, qrels, level = OUTPUTS[output]
    ranked, judged = _run(SHARED / "trec_eval" / run), _qrels(SHARED / "trec_eval" / qrels)
    known = _known(said)
    ours = {
        query: _ours(list(known), grades, ranked.get(query, []), level) for query, grades in judged.items()
    }
    ours["all"] = [math.fsum(column) / len(judged) for column in zip(*ours.values(), strict=True)]
    wrong = [
        (query, str(measure), value, said[query][name])
        for query in said
        for value, (measure, name) in zip(ours[query], known.items(), strict=True)
        if abs(value - float(said[query][name])) > 0.5e-4 + 1e-9
    ]
    assert wrong == []
    assert len(known) == (12 if output == "out.test" else 46)
