"""``python -m ragauge_service.demo.picture FILE``: the table of a real run, after the regression, as SVG."""

import io
import sys
import threading
from pathlib import Path
from typing import Final

from rich.console import Console

from ragauge_service.demo.runner import Plan, run
from ragauge_service.demo.table import table
from ragauge_service.demo.view import View

SECONDS: Final = 110
WIDTH: Final = 100


class Last:
    """A screen that keeps the last view."""

    view: View | None = None

    def show(self, view: View) -> None:
        """Keep it."""
        self.view = view


def svg(view: View) -> str:
    """Return the table of a view as SVG."""
    console = Console(
        file=io.StringIO(), width=WIDTH, record=True, force_terminal=True, color_system="truecolor"
    )
    console.print(table(view))
    return console.export_svg(title="ragauge demo", unique_id="ragauge")


def main(path: Path, *, port: int = 8321) -> None:
    """Run the demo and write its picture."""
    last = Last()
    run(Plan(seconds=SECONDS, port=port), last, threading.Event())
    assert last.view is not None  # noqa: S101 - it ran
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(svg(last.view), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
