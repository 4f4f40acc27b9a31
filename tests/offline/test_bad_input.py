"""Input that cannot be read says where, what, and what was wanted; no traceback reaches a user."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from ragauge.errors import InputError
from ragauge.offline.formats import Format, read_judgments, read_run
from ragauge_service.cli import run as command_line

GOOD_RUN = b"q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n"
GOOD_QRELS = b"q1 0 d1 1\n"

BAD_RUNS: dict[str, tuple[bytes, str]] = {
    "truncated gzip": (gzip.compress(GOOD_RUN * 999)[:-9], "truncated or damaged"),
    "truncated zstd": (zstandard.ZstdCompressor().compress(GOOD_RUN * 999)[:-5], "truncated"),
    "damaged zstd": (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "damaged"),
    "binary": (b"\x7fELF\0\0\1" * 50, "binary file"),
    "damaged parquet": (b"PAR1" + b"\1" * 50, "Parquet data is damaged"),
    "utf-16": (GOOD_RUN.decode().encode("utf-16"), "UTF-16"),
    "not utf-8": (b"q1 Q0 d\xff 1 2.0 t\n", "line 1: is not UTF-8"),
    "empty": (b"", "is empty"),
    "only white space": (b" \n\r\n\t", "is empty"),
    "NaN": (GOOD_RUN + b"q1 Q0 d3 3 nan t\n", "line 3: the score must be a number, not NaN"),
    "a score of text": (GOOD_RUN + b"q1 Q0 d3 3 high t\n", "line 3: the score must be a number, not b'high'"),
    "five columns": (GOOD_RUN + b"q1 Q0 d3 3 1.0\n", "line 3: 6 columns are wanted"),
    "unknown": (b"hello world\n", "no known format"),
    "no JSON": (b'{"q1": ["a",]}', "no JSON"),
    "a key twice": (b'{"q1": ["a"], "q1": ["b"]}', "'q1' stands twice"),
    "NaN in JSON": (b'{"q1": {"a": NaN}}', "not NaN"),
    "text in JSON": (b'{"q1": {"a": "high"}}', "the score must be a number, not 'high'"),
    "null id": (b'{"q1": [null]}', "an id must be a text"),
    "empty id": (b'{"q1": [""]}', "an id is empty"),
    "no list": (b'{"q1": 7}', "a list of ids"),
    "deep JSON": (b'{"q1": ' + b"[" * 200_000, "nested too deeply"),
    "no object a line": (b'{"query_id": "q1", "ids": []}\n{"query_id": "q2", "ids": ]}\n', "line 2: no JSON"),
    "a query twice": (b'{"query_id": "q1", "ids": []}\n{"query_id": "q1", "ids": []}\n', "ranking already"),
    "no document": (b'{"query_id": "q1"}\n{"query_id": "q2"}\n', "line 1: a field doc_id"),
    "csv with text": (b"query_id,doc_id,score\nq1,d1,high\n", "line 2: the score must be a number"),
    "csv with more cells": (b"query_id,doc_id,score\nq1,d1,1,2\n", "line 2: 3 cells are wanted"),
    "csv with an open quote": (b'query_id,doc_id\nq1,"d1\n', "line 2"),
}
BAD_QRELS: dict[str, tuple[bytes, str]] = {
    "two grades": (b"q1 0 d1 1\nq1 0 d2 1\nq1 0 d1 2\n", "line 3.*'d1': graded 1 before and 2 here"),
    "three columns": (b"q1 0 d1 1\nq1 0 d2\n", "line 2: 4 columns are wanted"),
    "grade of text": (b"q1 0 d1 good\n", "line 1: the grade must be a finite number, not 'good'"),
    "grade of NaN": (b"q1 0 d1 nan\n", "finite number"),
    "json grade of text": (b'{"q1": {"d1": "x"}}', "'d1': the grade must be a finite number"),
    "json boolean": (b'{"q1": {"d1": true}}', "finite number"),
    "not relevant": (b'{"query_id": "q1"}\n{"query_id": "q2"}\n', "a field relevant"),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_a_bad_run_is_explained_in_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, judgments = tmp_path / "run", tmp_path / "judgments"
    content, said = BAD_RUNS[name]
    run.write_bytes(content)
    judgments.write_bytes(GOOD_QRELS)
    assert command_line(["evaluate", str(run), str(judgments)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert str(run) in error
    assert said in error


@pytest.mark.parametrize("name", BAD_QRELS)
def test_bad_judgments_are_explained_in_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, judgments = tmp_path / "run", tmp_path / "judgments"
    content, said = BAD_QRELS[name]
    run.write_bytes(GOOD_RUN)
    judgments.write_bytes(content)
    assert command_line(["evaluate", str(run), str(judgments)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    with pytest.raises(InputError, match=said):
        read_judgments(judgments)


@pytest.mark.parametrize("format_", ["trec", "jsonl", None])
def test_a_line_of_200_megabytes_is_refused(format_: Format | None, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"q1 Q0 " + b"d" * 200_000_000 + b" 1 2.0 t\n")
    with pytest.raises(InputError, match=r"line 1: (is longer than|no known format)"):
        read_run(path, format=format_)


FINE: dict[str, bytes] = {
    "CRLF": GOOD_RUN.replace(b"\n", b"\r\n"),
    "BOM": b"\xef\xbb\xbf" + GOOD_RUN,
    "tabs and spaces": b"q1\tQ0 d1   1\t2.0 t\nq1 Q0\td2 2 1.0 t\n",
    "no last newline": GOOD_RUN.rstrip(),
    "blank lines": GOOD_RUN.replace(b"\n", b"\n\n"),
    "more columns": GOOD_RUN.replace(b" t\n", b" t and more\n"),
    "infinite scores": b"q1 Q0 d1 1 inf t\nq1 Q0 d2 2 -inf t\n",
}


@pytest.mark.parametrize("name", FINE)
def test_odd_files_are_read_as_documented(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(FINE[name])
    assert read_run(path).rankings == {"q1": ["d1", "d2"]}


def test_ids_with_spaces_are_ids_in_json(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(json.dumps({"q 1": ["d 1", " d2 "]}))
    assert read_run(path).rankings == {"q 1": ["d 1", " d2 "]}


def test_the_same_judgment_twice_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(GOOD_QRELS * 2)
    assert read_judgments(path).by_id["q1"].grades == {"d1": 1}


MISSING: dict[str, Callable[[Path], Path]] = {
    "missing": lambda folder: folder / "none",
    "a folder": lambda folder: folder,
}


@pytest.mark.parametrize("name", MISSING)
def test_a_file_that_is_none_is_explained(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(MISSING[name](tmp_path))
    assert command_line(["evaluate", path, path]) == 2
    assert capsys.readouterr().err.count("\n") == 1
