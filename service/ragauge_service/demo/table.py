"""The live table in a terminal."""

from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ragauge_service.demo.quality import WINDOW, Row
from ragauge_service.demo.view import View, alarm, number

COLUMNS: Final = ("MRR@10", "hit@5", "nDCG@10", "by clicks", "retrievals")
STYLES: Final = {"alarm": "bold white on red", "held": "yellow", "learning": "dim", "ok": "green"}


WIDE: Final = 96
"""Columns of a terminal from which the table has its frame; below it everything is kept but the frame."""

SHORT_TREND: Final = 10


def table(view: View, *, width: int = WIDE) -> RenderableType:
    """Return a view as the table, the addresses, and what has happened; it fits ``width`` from 78 on."""
    narrow = width < WIDE
    return Group(_rows(view, narrow=narrow), _addresses(view), *(Text(sentence) for sentence in view.news))


def _rows(view: View, *, narrow: bool) -> Table:
    drawn = _frame(f"ragauge demo, {view.elapsed:.0f} s: window {WINDOW}; Ctrl-C ends it", narrow=narrow)
    for row in view.rows:
        fallen = "bold red" if row.state == "alarm" else ""
        trend = view.trends.get(row.category, "")
        shown = trend[-SHORT_TREND:] if narrow else trend
        drawn.add_row(row.category, *_numbers(row), shown, _alarm(row), style=fallen)
    return drawn


def _frame(title: str, *, narrow: bool) -> Table:
    drawn = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD if narrow else box.HEAVY_HEAD,
        padding=(0, 0) if narrow else (0, 1),
        pad_edge=not narrow,
        show_edge=not narrow,
    )
    drawn.add_column("category", no_wrap=True)
    for name in COLUMNS:
        drawn.add_column(name, justify="right", no_wrap=True)
    drawn.add_column("trend" if narrow else "trend of MRR@10", no_wrap=True, min_width=10 if narrow else 16)
    drawn.add_column("alarm", no_wrap=True, min_width=12)
    return drawn


def _numbers(row: Row) -> tuple[str, ...]:
    return (*map(number, (row.mrr, row.hit, row.ndcg, row.clicks)), f"{row.retrievals:,}")


def _alarm(row: Row) -> Text:
    return Text(alarm(row), style=STYLES.get(row.state or "", "dim"))


def _addresses(view: View) -> Text:
    return Text(f"page {view.url}/   metrics {view.url}/metrics", style="dim")
