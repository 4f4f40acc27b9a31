"""Every query is counted once, in exactly one way; absence is not zero; broken rules are named."""

import json
import math
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import ragauge
from ragauge.errors import ConfigurationError, InputError, InvariantViolation, MeasureError
from ragauge.offline.api import evaluate
from ragauge.offline.intervals import interval, student95
from ragauge.offline.settings import document_rule
from ragauge_service.cli import run as command_line

DOCS = st.sampled_from([f"d{number}" for number in range(8)])
QUERIES = st.sampled_from([f"q{number}" for number in range(6)])
RUNS = st.dictionaries(QUERIES, st.lists(DOCS, unique=True, min_size=1, max_size=6), min_size=1)
JUDGED = st.dictionaries(QUERIES, st.dictionaries(DOCS, st.integers(0, 3), min_size=1), min_size=1)


@given(RUNS, JUDGED)
def test_means_are_those_of_ir_measures(run: dict[str, list[str]], judged: dict[str, dict[str, int]]) -> None:
    """Queries that the run lacks count 0, and those that are not judged count nothing."""
    if run.keys().isdisjoint(judged):
        return
    names = {"nDCG@5": "nDCG@5", "RR@5": "MRR@5", "AP@5": "AP@5", "R@5": "recall@5", "Success@1": "hit@1"}
    qrels = [ir_measures.Qrel(q, d, g) for q, found in judged.items() for d, g in found.items()]
    docs = [ir_measures.ScoredDoc(q, d, -float(at)) for q, ids in run.items() for at, d in enumerate(ids)]
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in names], qrels, docs)
    try:
        ours = evaluate(run, judged, measures=list(names.values()), missing="zero", intervals=False)
    except InputError as error:
        assert "no document in common" in str(error)  # noqa: PT017 - a property, either way
        return
    for measure, value in theirs.items():
        assert ours.mean(names[str(measure)]) == pytest.approx(value, abs=1e-12)


@given(RUNS, JUDGED)
def test_every_query_is_counted_once(run: dict[str, list[str]], judged: dict[str, dict[str, int]]) -> None:
    if run.keys().isdisjoint(judged):
        return
    try:
        result = evaluate(run, judged, k=[3], missing="zero", no_relevant="skip")
    except InputError:
        return
    counts = result.counts
    assert counts["queries"] == len(run.keys() | judged.keys())
    assert counts["queries"] == counts["scored"] + counts["unjudged"] + counts["no_relevant"]
    assert sum(result.first_ranks.values()) == counts["scored"]


def test_groups_add_up_to_the_whole() -> None:
    judged = [
        {"query_id": f"q{at}", "category": ("even", "odd")[at % 2], "relevant": ["a"]} for at in range(7)
    ]
    run = {f"q{at}": ["x"] * (at % 2) + ["a"] for at in range(7)}
    result = evaluate(run, judged, k=[1, 2], by="category")
    assert {name: part.counts["scored"] for name, part in result.groups.items()} == {"even": 4, "odd": 3}
    total = math.fsum(
        part.counts["scored"] * (mean.summary.mean if (mean := part.means["MRR@2"]) else 0.0)
        for part in result.groups.values()
    )
    assert total / 7 == pytest.approx(result.mean("MRR@2"))


def test_a_question_without_an_answer_is_outside_every_mean() -> None:
    judged = [
        {"query_id": "q1", "relevant": ["a"]},
        *({"query_id": query, "no_answer": True} for query in ("empty", "low", "high")),
    ]
    run = {"q1": {"a": 0.9}, "empty": {}, "low": {"x": 0.2}, "high": {"x": 0.8}}
    result = evaluate(run, judged, k=[5], abstain_below=0.5)
    assert result.mean("MRR@5") == 1.0
    assert (result.counts["no_answer"], result.counts["abstained"]) == (3, 2)


def test_nothing_scored_has_no_value() -> None:
    result = evaluate({"q1": ["a"]}, {}, k=[5])
    assert result.mean("MRR@5") is None
    assert json.loads(result.to_json())["measures"]["MRR@5"] is None
    assert (result.counts["queries"], result.counts["unjudged"]) == (1, 1)
    assert "-" in str(result)


def test_the_mean_over_queries_with_a_relevant_document_stands_beside_the_mean() -> None:
    result = evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": {"a": 1}, "q2": {"b": 0}}, k=[1])
    mean = result.means["MRR@1"]
    assert mean is not None
    assert (mean.summary.mean, mean.mean_relevant) == (0.5, 1.0)
    assert (
        evaluate({"q1": ["a"]}, {"q1": {"a": 1}, "q2": {"b": 0}}, k=[1], no_relevant="skip").mean("MRR@1")
        == 1.0
    )


def test_no_query_in_common_shows_two_ids_of_each_side() -> None:
    with pytest.raises(InputError, match=r"no query in common: '1' and '2' there, '01' and '02' here"):
        evaluate({"1": ["a"], "2": ["b"], "3": []}, {"01": {"a": 1}, "02": {"a": 1}, "03": {"a": 1}})


def test_document_ids_of_another_kind_are_an_error_and_a_bad_retriever_is_not() -> None:
    """`01` is not `1`; but five misses in a row may not be mistaken for it when ids are alike."""
    with pytest.raises(InputError, match=r"no document in common: '1' and '2' there, '01' here"):
        evaluate({"q1": ["1", "2"]}, {"q1": {"01": 1}})
    assert evaluate({"q1": ["x"]}, {"q1": {"a": 1}}).mean("MRR@10") == 0.0
    with pytest.raises(InputError, match="no document in common"):
        evaluate({f"q{at}": ["x"] for at in range(5)}, {f"q{at}": {"a": 1} for at in range(5)})


def test_a_relevant_document_beyond_the_cutoff_is_in_common(tmp_path: Path) -> None:
    """Files are read only as deep as is measured, and again where that cannot tell."""
    docs = [f"x{rank}" for rank in range(40)] + ["a"]
    lines = [f"q{q} Q0 {doc} {at} {-at} t" for q in range(6) for at, doc in enumerate(docs)]
    path = tmp_path / "run"
    path.write_text("\n".join(lines))
    result = evaluate(str(path), {f"q{q}": {"a": 1} for q in range(6)}, k=[10])
    assert result.mean("MRR@10") == 0.0


@pytest.mark.parametrize(
    ("run", "kind", "said"),
    [
        ({"q1": ["x", "bad", "a"]}, "forbidden", "document 'bad' at rank 2 is inadmissible"),
        ({"q1": ["a", "x", "a"]}, "duplicate", "document 'a' at rank 3 is a duplicate"),
        ({"q1": ["a", "a", "x", "bad"]}, "duplicate", "document 'a' at rank 2"),
        ({"q2": ["a"]}, "missing", "query 'q1' is judged and missing"),
    ],
)
def test_a_broken_rule_names_query_and_document(run: dict[str, Any], kind: str, said: str) -> None:
    judged = [
        {"query_id": "q1", "relevant": ["a"], "forbidden": ["bad"]},
        {"query_id": "q2", "relevant": ["a"]},
    ]
    result = evaluate({"q2": ["a"], **run}, judged, k=[3])
    assert result.violations[0].kind == kind
    with pytest.raises(InvariantViolation, match=said):
        result.check()


def test_a_forbidden_document_beyond_the_deepest_cutoff_is_none() -> None:
    judged = [{"query_id": "q1", "relevant": ["a"], "forbidden": ["bad"]}]
    assert evaluate({"q1": ["a", "x", "bad"]}, judged, k=[2]).violations == ()


def test_chunks_become_documents_and_k_counts_documents() -> None:
    result = evaluate({"q": ["D1#0", "D1#1", "D2#0"]}, {"q": {"D2": 1}}, k=[2], chunk_to_doc="#")
    assert (result.mean("MRR@2"), result.counts["duplicates"], result.violations) == (0.5, 0, ())


@pytest.mark.parametrize("rule", ["", "re:(", "re:abc", "re:(a)(b)"])
def test_a_rule_for_chunks_that_cannot_be_used_is_refused(rule: str) -> None:
    with pytest.raises(ConfigurationError):
        document_rule(rule)


def test_a_cutoff_below_one_is_refused() -> None:
    with pytest.raises(MeasureError, match="at least 1"):
        evaluate({"q": ["a"]}, {"q": {"a": 1}}, k=[0])


def test_a_live_retriever_is_asked_each_question_and_timed() -> None:
    asked: list[str] = []

    def retriever(query: str) -> list[tuple[str, float]]:
        asked.append(query)
        return [("a", 0.9), ("b", 0.1)]

    judged = [{"query_id": "q1", "query": "why?", "relevant": ["a"]}, {"query_id": "q2", "relevant": ["b"]}]
    result = ragauge.evaluate(retriever, judged, k=[2])
    assert (asked, result.mean("MRR@2"), sorted(result.latencies)) == (["why?", "q2"], 0.75, ["q1", "q2"])
    assert result.to_dict()["latency_ms"]["p95"] >= 0.0
    with pytest.raises(InputError, match="ids, documents or pairs are wanted"):
        ragauge.evaluate(lambda _query: 7, judged)


def test_a_result_is_a_table_html_and_frames() -> None:
    judged = {"q1": {"a<b": 1}, "q2": {"a": 1}}
    result = evaluate({"q1": ["x", "a<b"], "q2": ["a"]}, judged, k=[2], by="category")
    assert "nDCG" in str(result)
    assert result._repr_html_().count("<table>") == 2
    assert "<b" not in result._repr_html_().replace("<body", "").replace("<tbody", "")
    assert result.to_pandas()["MRR@2"].tolist() == result.to_polars()["MRR@2"].to_list() == [0.5, 1.0]
    assert result.per_query["q1"]["MRR@2"] == 0.5


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_the_interval_of_a_mean_is_students(values: list[float]) -> None:
    n, mean = len(values), sum(values) / len(values)
    lower, upper = interval(values)
    assert 0.0 <= lower <= mean + 1e-9
    assert mean - 1e-9 <= upper <= 1.0
    if set(values) <= {0.0, 1.0}:
        theirs = stats.binomtest(round(sum(values)), n).proportion_ci(method="wilson")
        assert (lower, upper) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 10, 50, 1000])
def test_students_quantile_is_scipys(freedom: int) -> None:
    assert student95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.01)


COUNTED = ["queries", "scored", "unjudged", "missing", "no_relevant", "no_answer", "abstained", "duplicates"]


def test_the_json_has_its_pinned_shape_even_on_exit_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, judgments, lines = (tmp_path / name for name in ("run.json", "judgments.jsonl", "per-query.jsonl"))
    run.write_text('{"q1": ["bad", "a"]}')
    judgments.write_text('{"query_id": "q1", "category": "c", "relevant": ["a"], "forbidden": ["bad"]}\n')
    options = ["--json", "--by", "category", "-k", "10", "--per-query", str(lines)]
    assert command_line(["evaluate", str(run), str(judgments), *options]) == 3
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert list(found) == [
        "schema", "relevance_level", "counts", "measures", "by", "first_rank", "violations", "latency_ms",
    ]  # fmt: skip
    assert (found["schema"], found["relevance_level"]) == ("ragauge.evaluate/1", 1)
    assert list(found["counts"]) == COUNTED
    assert set(found["measures"]["MRR@10"]) == {"mean", "lower", "upper", "median", "p10", "p90", "n"}
    assert set(found["by"]["category"]["c"]) == {"counts", "measures"}
    assert found["first_rank"] == {"2": 1, "miss": 0}
    assert found["violations"] == [{"query": "q1", "doc": "bad", "rank": 1, "kind": "forbidden"}]
    assert found["latency_ms"] == {"p50": None, "p95": None}
    assert "document 'bad' at rank 1 is inadmissible" in printed.err
    assert json.loads(lines.read_text())["measures"]["MRR@10"] == 0.5


@pytest.mark.parametrize("style", [[], ["--markdown"], ["--no-intervals"], ["--by", "split"]])
def test_a_person_sees_tables_ranks_and_worst_queries(
    style: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, judgments = tmp_path / "run.json", tmp_path / "judgments.json"
    ranking = {"run": {"q1": ["a"], "q2": ["x"]}, "params": {"model": "m7"}, "latency_ms": {"q1": 3.0}}
    run.write_text(json.dumps(ranking))
    judgments.write_text('{"q1": {"a": 1}, "q2": {"b": 1}}')
    assert command_line(["evaluate", str(run), str(judgments), *style]) == 0
    printed = capsys.readouterr().out
    for word in ("nDCG", "2 scored", "model=m7", "p95 3.0 ms"):
        assert word in printed


@pytest.mark.parametrize("options", [["-k", "x"], ["-k", "0"], ["--measures", "foo"], ["--by", "colour"]])
def test_an_option_that_cannot_be_used_is_a_usage_error(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"q1": {"a": 1}}')
    assert command_line(["evaluate", str(path), str(path), *options]) == 2
