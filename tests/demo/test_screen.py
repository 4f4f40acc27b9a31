import io
import json
from pathlib import Path
from typing import Any

from rich.console import Console

from ragauge_service.demo.journal import Journal
from ragauge_service.demo.quality import Row, rows
from ragauge_service.demo.queries import Query
from ragauge_service.demo.screen import Lines
from ragauge_service.demo.story import Story
from ragauge_service.demo.table import table
from ragauge_service.demo.view import Trends, View

URL = "http://127.0.0.1:8321"


def series(category: str, evidence: str, mrr: float, **drop: object) -> dict[str, Any]:
    return {
        "category": category,
        "retriever": "docs",
        "variant": "",
        "evidence": evidence,
        "window": "2m",
        "retrievals": 1200,
        "scored": 1200,
        "judged_ratio": 1.0,
        "measures": {
            "MRR@10": {"value": mrr, "lower": mrr - 0.02, "upper": mrr + 0.02},
            "hit@5": {"value": 0.9, "lower": 0.88, "upper": 0.92},
            "nDCG@10": None,
        },
        "drop": {"state": "ok"} | drop,
    }


QUALITY = {
    "schema": "ragauge.quality/1",
    "at": 1,
    "series": [
        series("errors", "judgments", 0.48, state="alarm", size=0.31, onset=7, baseline=0.8),
        series("errors", "clicks", 0.42, state="learning"),
        series("summaries", "judgments", 0.85),
    ],
}
VIEW = View(
    url=URL,
    elapsed=61.0,
    rows=rows(QUALITY, ["summaries", "errors", "no_answer"]),
    trends={"errors": "▇▇▇▅▄"},
    news=["Alarm: errors got worse, seen at 58 s."],
)


def test_a_row_takes_its_alarm_from_whichever_detector_is_worst() -> None:
    _, errors, empty = VIEW.rows
    assert (errors.state, errors.size, errors.onset, errors.clicks) == ("alarm", 0.31, 7, 0.42)
    assert empty == Row(category="no_answer", retrievals=0)


def test_the_table_shows_every_measure_the_alarm_and_where_to_look_further() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=False, record=True)
    console.print(table(VIEW))
    text = console.export_text()
    errors = next(line for line in text.splitlines() if " errors " in line)
    for shown in ("0.480", "0.900", "0.420", "1,200", "▇▇▇▅▄", "ALARM -0.310"):
        assert shown in errors
    assert f"{URL}/metrics" in text
    assert "errors got worse" in text


def test_the_alarm_is_not_cut_off_in_a_narrow_terminal() -> None:
    """Eighty columns is what most terminals open with."""
    console = Console(file=io.StringIO(), width=80, force_terminal=False, record=True)
    console.print(table(VIEW, width=80))
    text = console.export_text()
    for shown in ("summaries", "MRR@10", "nDCG@10", "retrievals", "0.480", "1,200", "ALARM -0.310"):
        assert shown in text
    assert "…" not in text


def test_without_a_terminal_there_are_plain_lines_and_news_comes_once() -> None:
    out = io.StringIO()
    lines = Lines(Console(file=out, width=200, force_terminal=False))
    for elapsed in (1.0, 2.0, 7.0):
        lines.show(View(url=URL, elapsed=elapsed, rows=VIEW.rows, trends={}, news=VIEW.news))
    text = out.getvalue()
    assert text.count("errors got worse") == 1
    assert text.count("ALARM") == 2, "reported at 1 s and 7 s, not each second"
    assert "\x1b" not in text


def test_a_trend_takes_a_point_every_few_seconds_and_keeps_its_last_one_current() -> None:
    trends = Trends(every=5.0)
    for elapsed, mrr in ((1.0, 1.0), (2.0, 0.0), (6.0, 1.0), (11.0, 0.5)):
        trends.see([Row(category="a", retrievals=1, mrr=mrr)], elapsed=elapsed)
    assert trends.drawn() == {"a": "▁█▅"}


def test_the_story_tells_what_fell_and_how_late_the_alarm_was() -> None:
    story = Story(broken="errors", lost=479)
    story.see([Row(category="errors", retrievals=9, mrr=0.8, hit=0.9, ndcg=0.85)], elapsed=49.0)
    story.regression = 50.0
    story.see(
        [Row(category="errors", retrievals=9, mrr=0.5, hit=0.6, ndcg=0.55, state="alarm")], elapsed=58.0
    )
    story.worst = ["why KeyError"]
    text = "\n".join(story.summary())
    assert "at 50 s 479 documents" in text
    assert "MRR@10 0.800 -> 0.500" in text
    assert "8 s after the regression" in text
    assert "why KeyError" in text


def test_the_journal_holds_what_a_judge_needs(tmp_path: Path) -> None:
    with Journal(tmp_path / "log.jsonl") as journal:
        journal.write(Query("q1", "how", "errors", {}), ["a", "b"], at=17)
    assert [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()] == [
        {"query_id": "q1", "category": "errors", "ids": ["a", "b"], "at": 17}
    ]
