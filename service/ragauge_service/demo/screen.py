"""Where a run of the demo is shown: a live table in a terminal, plain lines anywhere else."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.live import Live

from ragauge_service.demo.table import table
from ragauge_service.demo.view import View, alarm, number

EVERY: Final = 5.0
"""Seconds between two reports in plain lines."""


class Screen(Protocol):
    """Shows a view; called about once a second."""

    def show(self, view: View) -> None:
        """Show it."""
        ...


class Table:
    """The table, drawn again in its place."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def show(self, view: View) -> None:
        """Draw the table of this moment."""
        self._live.update(table(view, width=self._live.console.width), refresh=True)


class Lines:
    """One line a category every few seconds, and each piece of news once, when it comes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._due = 0.0
        self._told = 0

    def show(self, view: View) -> None:
        """Print what is due."""
        for sentence in view.news[self._told :]:
            self._print(f"{view.elapsed:4.0f} s  {sentence}")
        self._told = len(view.news)
        if view.elapsed >= self._due and any(row.retrievals for row in view.rows):
            self._due = view.elapsed + EVERY
            self._report(view)

    def _report(self, view: View) -> None:
        for row in view.rows:
            measures = f"MRR@10 {number(row.mrr):5}  hit@5 {number(row.hit):5}  nDCG@10 {number(row.ndcg):5}"
            self._print(
                f"{view.elapsed:4.0f} s  {row.category:11}  {measures}  by clicks {number(row.clicks):5}  "
                f"n {row.retrievals:6}  {alarm(row)}"
            )

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def screen(console: Console) -> Generator[Screen]:
    """Return the screen that suits where the output goes, for the length of a block."""
    if not console.is_terminal:
        yield Lines(console)
        return
    with Live(console=console, auto_refresh=False) as live:
        yield Table(live)
