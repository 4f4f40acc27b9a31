"""Clicks and looks by rank over the last day, and how much the two pictures of a user disagree about them."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from ragauge_service.core.clicks import disagreement

HOUR_MS: Final = 3_600_000
HOURS: Final = 24

ENOUGH: Final = 100
"""Below as many retrievals nothing is said."""

Key = tuple[str, str]
"""Category and retriever."""


class ClickDay:
    """The click cells of the last day by category and retriever, in hours; ``depth`` ranks deep.

    >>> day = ClickDay(depth=2)
    >>> day.add(("faq", "bm25"), 100, [50, 50, 100, 100], at=0)
    >>> day.disagreements(0)[0][:2]
    ('faq', 'bm25')
    """

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._hours: deque[tuple[int, dict[Key, list[int]]]] = deque()

    def add(self, key: Key, n: int, cells: Sequence[int], *, at: int) -> None:
        """Add ``n`` retrievals with their summed cells, seen at ``at`` (Unix milliseconds)."""
        hour = at // HOUR_MS
        if not self._hours or self._hours[-1][0] < hour:
            self._hours.append((hour, {}))
        known = self._hours[-1][1]
        known[key] = _plus(known.get(key), [n, *cells])

    def disagreements(self, at: int) -> tuple[tuple[str, str, float], ...]:
        """Return category, retriever and log(IPS-DCG / SDBN-DCG) of those with enough clicks."""
        while self._hours and self._hours[0][0] <= at // HOUR_MS - HOURS:
            self._hours.popleft()
        total: dict[Key, list[int]] = {}
        for _, known in self._hours:
            for key, vector in known.items():
                total[key] = _plus(total.get(key), vector)
        found: list[tuple[str, str, float]] = []
        for (category, retriever), (n, *cells) in sorted(total.items()):
            gauge = disagreement(cells, n, k=self._depth)
            if n >= ENOUGH and gauge is not None:
                found.append((category, retriever, gauge))
        return tuple(found)


def _plus(known: list[int] | None, more: list[int]) -> list[int]:
    return more if known is None else [a + b for a, b in zip(known, more, strict=True)]
