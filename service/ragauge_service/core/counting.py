"""What a shard counts between two commits, as plain rows that travel to the process that serves ``/metrics``.

A row is ``[metric, [label values], amount]``; label values stand in the order of the exporter's catalogue.
The amount of a counter is a number, that of a histogram is ``[bucket counts, sum, exemplars]``, where the
exemplars are rows of ``[bucket, trace_id, value, Unix seconds]``, the newest of each bucket.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final

BUCKETS: Final[dict[str, tuple[float, ...]]] = {
    # A miss, then the first relevant rank in 10-6, 5, 4, 3, 2 and 1: the bounds lie at reciprocals of ranks.
    "ragauge_reciprocal_rank": (0.0, 0.18, 0.2, 0.25, 0.34, 0.5, 1.0),
    "ragauge_ndcg": (0.0, 0.25, 0.5, 0.75, 1.0),
    "ragauge_retrieval_duration_seconds": (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
    "ragauge_commit_duration_seconds": (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0),
    "ragauge_click_delay_seconds": (
        1.0,
        2.0,
        5.0,
        10.0,
        30.0,
        60.0,
        120.0,
        300.0,
        600.0,
        1800.0,
        3600.0,
        86400.0,
    ),
}
"""The upper bounds of each histogram's buckets; one for everything above follows."""

Row = Sequence[Any]


class _Observations:
    """The bucket counts, the sum and the newest exemplar of each bucket of one histogram."""

    __slots__ = ("bounds", "counts", "exemplars", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        self.exemplars: dict[int, list[Any]] = {}

    def add(self, value: float, times: int, trace_id: str | None, at: float) -> None:
        bucket = bisect_left(self.bounds, value)
        self.counts[bucket] += times
        self.total += value * times
        if trace_id:
            self.exemplars[bucket] = [bucket, trace_id, value, at]

    def row(self) -> list[Any]:
        return [self.counts, self.total, list(self.exemplars.values())]


class Counting:
    """Counters and histograms of one shard since they were last taken.

    >>> counting = Counting()
    >>> counting.add("ragauge_hits_total", ("howto", "docs", "", "judgments", "5"))
    >>> counting.take()
    [['ragauge_hits_total', ['howto', 'docs', '', 'judgments', '5'], 1]]
    >>> counting.take()
    []
    """

    def __init__(self) -> None:
        self._sums: dict[tuple[str, tuple[str, ...]], float] = {}
        self._observed: dict[tuple[str, tuple[str, ...]], _Observations] = {}

    def add(self, metric: str, labels: tuple[str, ...] = (), amount: float = 1) -> None:
        """Count ``amount`` more; 0 makes the series exist."""
        key = metric, labels
        self._sums[key] = self._sums.get(key, 0) + amount

    def observe(
        self,
        metric: str,
        labels: tuple[str, ...],
        value: float,
        *,
        times: int = 1,
        trace_id: str | None = None,
        at: float = 0.0,
    ) -> None:
        """Count a value of a histogram, with a trace that it belongs to; ``at`` is Unix seconds.

        Raises:
            ValueError: the value is not a finite number.
        """
        if not math.isfinite(value):
            raise ValueError(f"{metric}: an observation must be finite, not {value}")
        key = metric, labels
        if key not in self._observed:
            self._observed[key] = _Observations(BUCKETS[metric])
        self._observed[key].add(value, times, trace_id, at)

    def take(self) -> list[Row]:
        """Return what was counted as rows, and begin again at nothing."""
        rows: list[Row] = [[name, list(labels), amount] for (name, labels), amount in self._sums.items()]
        rows += [[name, list(labels), seen.row()] for (name, labels), seen in self._observed.items()]
        self._sums, self._observed = {}, {}
        return rows
