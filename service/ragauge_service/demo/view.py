"""What a moment of the demo looks like, as a value: the table and the report are drawn from it."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragauge_service.demo.quality import Row

BARS: Final = "▁▂▃▄▅▆▇█"
POINTS: Final = 16
"""How many values a trend shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The demo ``elapsed`` seconds after its load began; ``news`` are sentences, the latest last."""

    url: str
    elapsed: float
    rows: Sequence[Row]
    trends: Mapping[str, str]
    news: Sequence[str] = ()


class Trends:
    """MRR@10 of each category over time, one point every ``every`` seconds, drawn as a sparkline."""

    def __init__(self, every: float = 5.0) -> None:
        self._every = every
        self._points: dict[str, deque[float | None]] = {}
        self._due = 0.0

    def see(self, rows: Iterable[Row], *, elapsed: float) -> None:
        """Take in what the service says now: a new point when one is due, else the last one changes."""
        due = elapsed >= self._due
        if due:
            self._due = elapsed + self._every
        for row in rows:
            points = self._points.setdefault(row.category, deque(maxlen=POINTS))
            if not due and points:
                points.pop()
            points.append(row.mrr)

    def drawn(self) -> dict[str, str]:
        """Return the sparkline of each category."""
        return {category: sparkline(points) for category, points in self._points.items()}


def sparkline(values: Iterable[float | None]) -> str:
    """Return values in [0, 1] as bars on that fixed scale, so that a small wobble does not look like a drop.

    >>> sparkline([0.0, 0.5, None, 1.0])
    '▁▅ █'
    """
    return "".join(" " if value is None else BARS[min(7, int(value * 8))] for value in values)


def number(value: float | None) -> str:
    """Return a measure to three places, or a dash where there is nothing to say.

    >>> number(0.8251), number(None)
    ('0.825', '-')
    """
    return "-" if value is None else f"{value:.3f}"


def alarm(row: Row) -> str:
    """Return in a word or two what the detectors say of a category.

    >>> (
    ...     alarm(Row(category="errors", retrievals=9, state="alarm", size=0.31)),
    ...     alarm(Row(category="x", retrievals=0)),
    ... )
    ('ALARM -0.310', '-')
    """
    if row.state == "alarm":
        return "ALARM" if row.size is None else f"ALARM {-row.size:+.3f}"
    return row.state or "-"
