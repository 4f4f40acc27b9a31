"""The live table in a terminal."""

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ragauge_service.demo.quality import WINDOW, Row
from ragauge_service.demo.view import View, alarm, number

COLUMNS: Final = ("MRR@10", "hit@5", "nDCG@10", "by clicks", "retrievals")
STYLES: Final = {"alarm": "bold white on red", "held": "yellow", "learning": "dim", "ok": "green"}


def table(view: View) -> RenderableType:
    """Return a view as the table, the addresses, and what has happened."""
    return Group(_rows(view), _addresses(view), *(Text(sentence) for sentence in view.news))


def _rows(view: View) -> Table:
    drawn = Table(title=f"ragauge demo, {view.elapsed:.0f} s: window {WINDOW}", title_justify="left")
    drawn.add_column("category", no_wrap=True)
    for name in COLUMNS:
        drawn.add_column(name, justify="right", no_wrap=True)
    drawn.add_column("trend of MRR@10", no_wrap=True, min_width=16)
    drawn.add_column("alarm", no_wrap=True, min_width=12)
    for row in view.rows:
        fallen = "bold red" if row.state == "alarm" else ""
        drawn.add_row(
            row.category, *_numbers(row), view.trends.get(row.category, ""), _alarm(row), style=fallen
        )
    return drawn


def _numbers(row: Row) -> tuple[str, ...]:
    return (*map(number, (row.mrr, row.hit, row.ndcg, row.clicks)), f"{row.retrievals:,}")


def _alarm(row: Row) -> Text:
    return Text(alarm(row), style=STYLES.get(row.state or "", "dim"))


def _addresses(view: View) -> Text:
    return Text(f"page {view.url}/   metrics {view.url}/metrics   Ctrl-C ends it", style="dim")
