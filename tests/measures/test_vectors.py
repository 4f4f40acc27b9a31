"""Every published case: 79 vectors computed by five other libraries, and inputs behind public bug reports."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.shared import SHARED, shared
from ragauge import measures
from ragauge.errors import MeasureError
from ragauge.measures import Judgments, Measure, score

NAMES = {"rr": "MRR", "precision": "P", "ap": "AP", "rprec": "Rprec", "ndcg": "nDCG"}


def _load(name: str) -> list[dict[str, Any]]:
    path = SHARED / "measures" / name
    return json.loads(path.read_text()) if path.exists() else []


def _ranking(case: dict[str, Any]) -> list[str]:
    ids = measures.by_score(case["scores"]) if case["mode"] == "by_score" else case["ranked_ids"]
    if "chunk_to_doc" in case:
        ids = measures.to_documents(ids, case["chunk_to_doc"].__getitem__)
    return measures.judged_only(ids, case["judgments"]) if case.get("judged_only") else ids


def _right(case: dict[str, Any]) -> dict[str, float]:
    """Scores are compared in double: trec_eval 9 read them in single precision, trec_eval 10 does not."""
    if "trec_eval_10_expected" in case:
        return case["trec_eval_10_expected"]
    return {name: value for name, value in case["expected"].items() if not name.startswith("num_")}


def _measure(name: str) -> str:
    family, at, k = name.partition("@")
    return NAMES.get(family, family) + at + k


@pytest.mark.parametrize("case", _load("vectors.json"), ids=lambda case: case["name"])
def test_every_vector_is_met(case: dict[str, Any]) -> None:
    if case["expected"] is None:
        pytest.skip("an unjudged query: left to the evaluation, which does not score it")
    judgments = Judgments(case["judgments"], level=case["rel_level"])
    right = {_measure(name): value for name, value in _right(case).items()}
    ours = score(judgments, _ranking(case), *right)
    assert ours == pytest.approx(right, abs=1e-12, rel=0)


def test_all_the_vectors_were_there() -> None:
    shared("measures", "vectors.json")
    assert len(_load("vectors.json")) == 79


CASES = {case["ref"]: case["input"] | {"right": case["right"]} for case in _load("issue_cases.json")}


def _scored(ref: str, *names: str) -> dict[str, float | None]:
    case = CASES[ref]
    ids = measures.by_score(case["scores"]) if "scores" in case else case["ranked_ids"]
    return score(Judgments(case["judgments"]), ids, *names)


STRAIGHT = [
    "embeddings-benchmark/mteb#5092",
    "deepset-ai/haystack PR#11959",
    "mlflow/mlflow#25965",
    "recommenders-team/recommenders#1749",
    "SeaseLtd/rated-ranking-evaluator#71 and opensearch-project/search-relevance#191",
    "deepset-ai/haystack#7758",
    "AmenRa/ranx#30",
    "dmlc/xgboost#2208",
    "scikit-learn/scikit-learn#21335",
    "usnistgov/trec_eval#31",
]


@pytest.mark.parametrize("ref", STRAIGHT)
def test_a_public_report_is_not_repeated(ref: str) -> None:
    shared("measures", "issue_cases.json")
    right = {_measure(name): value for name, value in CASES[ref]["right"].items()}
    assert _scored(ref, *right) == pytest.approx(right, abs=1e-12, rel=0)


def _tied() -> None:
    right = CASES["cvangysel/pytrec_eval#56"]["right"]
    assert _scored("cvangysel/pytrec_eval#56", "AP", "nDCG") == {"AP": 1.0, "nDCG": 1.0}
    listed = score(Judgments({"d3": 1}), ["d1", "d2", "d3"], "AP", "nDCG")
    assert [listed["AP"], listed["nDCG"]] == pytest.approx(
        list(right["if list order d1,d2,d3 is the rank"].values()), abs=1e-12
    )


def _near_tie() -> None:
    assert _scored("usnistgov/trec_eval#34", "MRR") == {"MRR": 1.0}


def _tied_gain() -> None:
    ref = "Lightning-AI/torchmetrics PR#2031 (issue #2022)"
    assert _scored(ref, "nDCG")["nDCG"] == pytest.approx(CASES[ref]["right"]["trec_eval"], abs=1e-12)


def _few_hits() -> None:
    case = CASES["elastic/elasticsearch PR#154362"]
    late = ["x1", "x2", "x3", "x4", "x5", *case["judgments"]]
    values = [score(Judgments(case["judgments"]), ids, "nDCG@10") for ids in (case["ranked_ids"], late)]
    assert [value["nDCG@10"] for value in values] == pytest.approx(list(case["right"].values()), abs=1e-12)


def _nothing_relevant() -> None:
    assert _scored("embeddings-benchmark/mteb PR#5253 and beir-cellar/beir#70", "recall@10") == {
        "recall@10": 0.0
    }


def _float_grades() -> None:
    """Linear gain is the grade itself; a document is relevant from the level on."""
    judgments = Judgments(CASES["cvangysel/pytrec_eval#16"]["judgments"])
    assert judgments.relevant == 1
    assert score(judgments, ["d2", "d1"], "nDCG", "P@2") == {"nDCG": 1.0, "P@2": 0.5}


def _no_cutoff_below_one() -> None:
    with pytest.raises(MeasureError, match="at least 1"):
        Measure("AP", CASES["Lightning-AI/torchmetrics#3378"]["k"])


def _nothing_at_all() -> None:
    assert measures.summarise([]) is CASES["cvangysel/pytrec_eval#13"]["right"]["mean"]


def _a_missing_query() -> None:
    case = CASES["AmenRa/ranx#27"]
    values = [
        score(Judgments(grades), case["run"].get(query, []), "MRR")["MRR"]
        for query, grades in case["judgments"].items()
    ]
    summary = measures.summarise([value for value in values if value is not None])
    assert summary is not None
    assert summary.mean == case["right"]["rr mean"]


@pytest.mark.parametrize(
    "check",
    [
        _tied,
        _near_tie,
        _tied_gain,
        _few_hits,
        _nothing_relevant,
        _float_grades,
        _no_cutoff_below_one,
        _nothing_at_all,
        _a_missing_query,
    ],
)
def test_a_public_report_of_its_own_shape_is_not_repeated(check: Callable[[], None]) -> None:
    shared("measures", "issue_cases.json")
    check()


def test_no_public_report_is_left_out() -> None:
    shared("measures", "issue_cases.json")
    assert len(CASES) == len(STRAIGHT) + 9
