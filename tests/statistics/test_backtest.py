"""``ragauge backtest``: recorded retrievals through the service's own join and detectors."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from harness.streams import BASE, missed
from ragauge_service.commands.backtest import command

START = 1_700_000_000_000
DROP, END, LENGTH = 1_000, 1_400, 2_000


def retrievals(rng: np.random.Generator) -> Iterator[dict[str, object]]:
    """Yield one retrieval a second for two categories; one of them loses half of its hits for a while."""
    for second in range(LENGTH):
        for category in "ab":
            low = category == "b" and DROP <= second < END
            rank, query = rng.choice(11, p=missed(BASE, 0.5) if low else BASE), int(rng.integers(20))
            ids = [f"other-{place}" for place in range(10)]
            if rank < 10:
                ids[rank] = f"{category}-{query}"
            yield {
                "query_id": f"{category}{query}",
                "ids": ids,
                "at": START + 1_000 * second,
                "retriever": "r",
            }


def judgments() -> Iterator[dict[str, object]]:
    for category in "ab":
        for query in range(20):
            yield {
                "query_id": f"{category}{query}",
                "category": category,
                "relevant": [f"{category}-{query}"],
            }


def written(path: Path, rows: Iterator[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return a log and its judgments."""
    folder = tmp_path_factory.mktemp("log")
    return (
        written(folder / "log.jsonl", retrievals(np.random.default_rng(1))),
        written(folder / "judgments.jsonl", judgments()),
    )


def test_it_says_when_each_alarm_would_have_come(files: tuple[str, str]) -> None:
    log, known = files
    result = CliRunner().invoke(command, [log, "--judgments", known, "--json"])
    assert result.exit_code == 0, result.output
    turns = [json.loads(line) for line in result.output.splitlines()]
    alarms = [turn for turn in turns if turn["state"] == "alarm" and turn["category"]]
    assert {(turn["category"], turn["measure"]) for turn in alarms} == {("b", "MRR@10"), ("b", "hit@10")}
    for turn in alarms:
        seconds = (turn["at"] - START) / 1_000
        assert DROP < seconds < DROP + 150
        assert abs((turn["onset"] - START) / 1_000 - DROP) <= 60
    ended = [turn for turn in turns if turn["before"] == "alarm" and turn["category"] == "b"]
    assert {turn["state"] for turn in ended} == {"ok"}
    assert all(END < (turn["at"] - START) / 1_000 < LENGTH for turn in ended)


def test_it_reads_as_sentences(files: tuple[str, str]) -> None:
    log, known = files
    result = CliRunner().invoke(command, [log, "--judgments", known, "--retriever", "ignored"])
    assert "[b, r, judgments] hit@10: ALARM, -" in result.output
    assert ", since 2023-11-14 22:" in result.output
    assert "[b, r, judgments] MRR@10: recovered" in result.output
    assert "[a, r, judgments] MRR@10: ok, baseline 0." in result.output


def test_a_pinned_objective_replaces_the_learned_baseline(files: tuple[str, str]) -> None:
    """Category a has always had 0.6: against an objective of 0.8 that is a drop from the beginning."""
    log, known = files
    options = ["--judgments", known, "--objective", "a:MRR@10=0.8", "--json"]
    turns = [json.loads(line) for line in CliRunner().invoke(command, [log, *options]).output.splitlines()]
    first = next(turn for turn in turns if turn["state"] == "alarm" and turn["category"] == "a")
    assert first["measure"] == "MRR@10"
    assert first["at"] < START + 300_000


def test_judgments_and_clicks_may_stand_in_the_log_itself(tmp_path: Path) -> None:
    """Clicks are scored at the horizon, so the last ones count too."""
    rows: list[dict[str, object]] = [{"query_id": "q", "category": "c", "relevant": ["d"]}]
    for second in range(600):
        identifier = f"{0x3C3D:04x}{second:028x}"
        at = START + 1_000 * second
        rows.append({"id": identifier, "key": "k:1", "ids": ["d", "e"], "at": at, "category": "c"})
        rows.append({"retrieval_id": identifier, "doc_id": "d", "at": at + 500})
    log = written(tmp_path / "log.jsonl", iter(rows))
    result = CliRunner().invoke(command, [log, "--join-horizon", "1m"])
    assert "[c, default, clicks] MRR@10: ok, baseline 1.000" in result.output


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('{"ids": ["a"]}', "Unix milliseconds wanted"),
        ("[]", "an object wanted, not list"),
        ("{", ":1: "),
        ('{"ids": [1], "at": 5}', "ids"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, line: str, wanted: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(line, encoding="utf-8")
    result = CliRunner().invoke(command, [str(log)])
    assert wanted in str(result.exception)


@pytest.mark.parametrize("text", ["a=0.5", "a:nDCG@10=0.5", "a:MRR@10=2", "a:MRR@10=x"])
def test_an_objective_that_makes_no_sense_is_refused(files: tuple[str, str], text: str) -> None:
    result = CliRunner().invoke(command, [files[0], "--objective", text])
    assert "CATEGORY:MEASURE=VALUE wanted" in str(result.exception)
