"""Every format carries the same rankings and judgments, found from its content."""

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ragauge.errors import InputError, JudgmentsError
from ragauge.events import id_key, text_key
from ragauge.measures import by_score
from ragauge.offline.data import Question, Questions
from ragauge.offline.formats import blocks, detect, frame, read_judgments, read_run
from ragauge.offline.inputs import questions_from, run_from

SCORES = {"q1": {"d1": 3.0, "d 2": 2.0, "01": 1.0}, "q2": {"1": 0.5}}
RANKINGS = {"q1": ["d1", "d 2", "01"], "q2": ["1"]}
GRADES = {"q1": {"01": 2, "d1": 0}, "q2": {"x": 1}}
NO_JUDGMENTS = Questions({})


def _rows() -> list[dict[str, Any]]:
    return [{"query_id": q, "doc_id": d, "score": s} for q, found in SCORES.items() for d, s in found.items()]


def _graded() -> list[dict[str, Any]]:
    return [{"query_id": q, "doc_id": d, "grade": g} for q, found in GRADES.items() for d, g in found.items()]


def _csv(rows: list[dict[str, Any]], separator: str = ",") -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as stream:
            table = csv.DictWriter(stream, list(rows[0]), delimiter=separator)
            table.writeheader()
            table.writerows(rows)

    return write


def _text(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content, encoding="utf-8")

    return write


def _jsonl(rows: list[dict[str, Any]]) -> Callable[[Path], None]:
    return _text("\n".join(json.dumps(row) for row in rows) + "\n")


RUNS: dict[str, Callable[[Path], None]] = {
    "ids": _text(json.dumps(RANKINGS)),
    "scores": _text(json.dumps(SCORES)),
    "pairs": _text(json.dumps({query: list(found.items()) for query, found in SCORES.items()})),
    "wrapped": _text(json.dumps({"params": {"model": "m"}, "run": RANKINGS})),
    "json rows": _text(json.dumps(_rows())),
    "jsonl ids": _jsonl([{"query_id": query, "ids": ids} for query, ids in RANKINGS.items()]),
    "jsonl rows": _jsonl(_rows()),
    "csv": _csv(_rows()),
    "tsv": _csv(_rows(), "\t"),
    "parquet": lambda path: pl.DataFrame(_rows()).write_parquet(path),
}
JUDGMENTS: dict[str, Callable[[Path], None]] = {
    "grades": _text(json.dumps(GRADES)),
    "jsonl": _jsonl([{"query_id": query, "relevant": found} for query, found in GRADES.items()]),
    "jsonl rows": _jsonl(_graded()),
    "csv": _csv(_graded()),
    "beir qrels": _text("query-id\tcorpus-id\tscore\nq1\t01\t2\nq1\td1\t0\nq2\tx\t1\n"),
    "trec qrels": _text("q1 0 01 2\nq1 0 d1 0\nq2 0 x 1\n"),
    "parquet": lambda path: pl.DataFrame(_graded()).write_parquet(path),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_the_same_in_every_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    RUNS[name](path)
    assert {query: list(ids) for query, ids in read_run(path).rankings.items()} == RANKINGS


@pytest.mark.parametrize("name", JUDGMENTS)
def test_judgments_are_the_same_in_every_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / "judgments"
    JUDGMENTS[name](path)
    assert {query: found.grades for query, found in read_judgments(path).by_id.items()} == GRADES


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("name", ["ids", "csv", "parquet"])
def test_compressed_files_are_read_as_they_are(
    name: str, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "run"
    RUNS[name](path)
    path.write_bytes(pack(path.read_bytes()))
    assert {query: list(ids) for query, ids in read_run(path).rankings.items()} == RANKINGS


@pytest.mark.parametrize(
    "value",
    [RANKINGS, SCORES, _rows(), pd.DataFrame(_rows()), pl.DataFrame(_rows()), pl.LazyFrame(_rows())],
    ids=["ids", "scores", "records", "pandas", "polars", "lazy"],
)
def test_python_values_are_read_as_files_are(value: Any) -> None:
    found = run_from(value, NO_JUDGMENTS).rankings
    assert {query: list(ids) for query, ids in found.items()} == RANKINGS


@pytest.mark.parametrize(
    "value", [GRADES, _graded(), pd.DataFrame(_graded()), pl.DataFrame(_graded())], ids=type
)
def test_python_judgments_are_read_as_files_are(value: Any) -> None:
    assert {query: found.grades for query, found in questions_from(value).by_id.items()} == GRADES


def test_a_data_set_of_beir_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    JUDGMENTS["beir qrels"](tmp_path / "qrels" / "test.tsv")
    _jsonl([{"_id": "q1", "text": "why?"}, {"_id": "q9", "text": "other"}])(tmp_path / "queries.jsonl")
    found = read_judgments(tmp_path).by_id
    assert (found["q1"].text, found["q1"].split, found["q2"].text) == ("why?", "test", None)
    with pytest.raises(InputError, match="splits there: test"):
        read_judgments(tmp_path, split="dev")


LINES = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "q10"]), st.integers(0, 40), st.integers(-3, 3)),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:2],
)


def _trec(rows: list[tuple[str, int, int]], end: str = "\n") -> bytes:
    return b"".join(f"{q} Q0 d{doc} 1 {score / 2} tag{end}".encode() for q, doc, score in rows)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([None, 1, 3]))
def test_three_readers_of_trec_runs_agree(
    rows: list[tuple[str, int, int]], end: str, depth: int | None
) -> None:
    """The frame, the blocks and the careful lines: one order, by score, then by document descending."""
    data = _trec(rows, end)
    scores: dict[str, dict[str, float]] = {}
    for query, doc, score in rows:
        scores.setdefault(query, {})[f"d{doc}"] = score / 2
    right = {query: by_score(found)[:depth] for query, found in scores.items()}
    table = frame._table(data, " ")
    assert table is not None
    by_frame, by_block = frame._ranked(frame._ordered(table), depth), blocks.read_run(data, depth)
    assert by_block is not None
    assert by_frame.rankings == by_block.rankings == right
    assert by_frame.best == by_block.best == {query: max(found.values()) for query, found in scores.items()}


def test_a_big_regular_run_is_read_by_the_frame_library() -> None:
    data = _trec([(f"q{number}", number, 1) for number in range(60_000)])
    assert frame.read_run(data, 10) is not None
    assert frame.read_run(data.replace(b"q7 Q0", b"q7\tQ0", 1), 10) is None


def test_a_repeated_document_in_the_head_brings_the_whole_list() -> None:
    rows = [("q1", 1, 9), ("q1", 1, 8), *(("q1", doc, -doc) for doc in range(2, 9))]
    for ranked in (blocks.read_run(_trec(rows), 2), frame._ranked(frame._table(_trec(rows), " "), 2)):
        assert ranked is not None
        assert ranked.rankings["q1"][:3] == ["d1", "d1", "d2"]
        assert len(ranked.rankings["q1"]) == 9


def test_params_and_latencies_travel_with_a_run(tmp_path: Path) -> None:
    wrapped, lines = tmp_path / "run.json", tmp_path / "run.jsonl"
    wrapped.write_text(json.dumps({"run": RANKINGS, "params": {"model": "m"}, "latency_ms": {"q1": 5}}))
    _jsonl([{"params": {"model": "m"}}, {"query_id": "q1", "ids": ["a"], "latency_ms": 5}])(lines)
    for path in (wrapped, lines):
        run = read_run(path)
        assert (run.params, run.latencies) == ({"model": "m"}, {"q1": 5.0})


TESTSET = {
    "documents": [
        {"id": "a@9", "document": "a", "version": "1.9"},
        {"id": "a@10", "document": "a", "version": "1.10"},
        {"id": "s", "visibility": "internal"},
        {"id": "old", "version": 2019},
        {"id": "banned"},
    ],
    "inadmissible": {
        "visibility": ["internal"],
        "outdated": True,
        "version": ["2019"],
        "documents": ["banned"],
    },
    "questions": [
        {"id": "q1", "text": "a?", "category": "paraphrase", "split": "tune", "relevant": ["a@10"]},
        {"id": "q2", "category": "unanswerable", "split": "held out", "relevant": []},
    ],
}


def test_a_test_set_knows_splits_no_answers_and_what_is_inadmissible(tmp_path: Path) -> None:
    path = tmp_path / "testset.json"
    path.write_text(json.dumps(TESTSET, indent=1))
    found = read_judgments(path).by_id
    assert found["q1"].forbidden == {"a@9", "s", "old", "banned"}
    assert (found["q1"].no_answer, found["q2"].no_answer) == (False, True)
    assert list(read_judgments(path, split="held out").by_id) == ["q2"]
    with pytest.raises(InputError, match="held out, tune"):
        read_judgments(path, split="other")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"inadmissible": {"visible": True}}, "no rule 'visible'"),
        ({"inadmissible": []}, "object of rules"),
        ({"inadmissible": {"documents": ["a@10"]}}, "relevant and inadmissible"),
        ({"documents": [{"id": "z"}]}, "no document has the id 'a@10'"),
        ({"questions": [{"id": "q1", "relevant": []}] * 2}, "stands twice"),
        ({"questions": [{"text": "?"}]}, "with an id"),
    ],
)
def test_a_test_set_that_contradicts_itself_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(JudgmentsError, match=said):
        questions_from({**TESTSET, "inadmissible": {}, **change})


def test_no_answer_is_only_ever_explicit() -> None:
    """All-zero grades score 0; they do not say that there is no answer."""
    zeros = questions_from([{"query_id": "q", "relevant": {"a": 0}}]).by_id["q"]
    assert (zeros.judged, zeros.no_answer) == (True, False)
    assert questions_from([{"query_id": "q", "relevant": []}]).by_id["q"].no_answer
    assert questions_from([{"query_id": "q", "no_answer": True}]).by_id["q"].no_answer
    assert not questions_from({"q": {}}).by_id["q"].judged
    with pytest.raises(JudgmentsError, match="no_answer"):
        questions_from([{"query_id": "q", "relevant": ["a"], "no_answer": True}])


def test_a_question_with_a_text_is_stored_under_both_keys() -> None:
    question = Question(id="q1", text="Why?", grades={"a": 1}, category="c")
    events = list(Questions({"q1": question}, "f").events(at=5))
    assert [event.key for event in events] == [id_key("q1"), text_key("Why?")]
    assert {(event.at, event.category, event.query_id) for event in events} == {(5, "c", "q1")}
    with pytest.raises(JudgmentsError, match="whole number"):
        list(Questions({"q": Question(id="q", grades={"a": 0.5})}).events())


@pytest.mark.parametrize("first", ["q1 Q0 d 1 2 t", "qid,docid,score", "query-id\tcorpus-id\tscore"])
def test_the_format_is_found_from_the_first_line(first: str) -> None:
    kinds = {"q1 Q0 d 1 2 t": "trec", "qid,docid,score": "csv", "query-id\tcorpus-id\tscore": "tsv"}
    assert detect(Path("f"), first.encode()) == kinds[first]
