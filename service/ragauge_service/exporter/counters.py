"""The counters and histograms of this process: begun at 0, fed by rows, never restored."""

import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from ragauge_service.core.counting import Row
from ragauge_service.exporter.catalogue import CATALOGUE, Metric

Labels = tuple[str, ...]

MAX_LABEL: Final = 128
"""Longest label value, in characters; names are admitted by the registry, this only bounds a mistake."""

ERRORS: Final = "ragauge_exporter_collector_errors_total"
OVERFLOW: Final = "ragauge_exporter_overflow_total"


class Exemplar(NamedTuple):
    """A trace in which a bucket's value was seen, at a Unix time in seconds."""

    trace_id: str
    value: float
    at: float


class Histogram:
    """Counts of one histogram's buckets, not cumulated, with their sum and their newest exemplars."""

    __slots__ = ("counts", "exemplars", "total")

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * buckets
        self.total = 0.0
        self.exemplars: list[Exemplar | None] = [None] * buckets

    def add(self, counts: Sequence[int], total: float, exemplars: Iterable[Sequence[Any]]) -> None:
        """Add the increments that one row carries."""
        if len(counts) != len(self.counts) or not math.isfinite(total):
            raise ValueError(f"{len(self.counts)} buckets and a finite sum wanted")
        fresh = [
            (int(bucket), Exemplar(str(trace), float(v), float(at))) for bucket, trace, v, at in exemplars
        ]
        self.counts = [have + more for have, more in zip(self.counts, counts, strict=True)]
        self.total += total
        for bucket, exemplar in fresh:
            self.exemplars[bucket] = exemplar


class Counters:
    """Counters and histograms by metric and label values, safe to feed from any thread.

    A row that cannot be used is counted (``collector="increments"``) and left out; so is a new set of labels
    when ``limit`` samples exist. The first sight of a category, retriever and variant creates all counters
    that carry only these and known labels, so that the first event of a kind is an increase.

    >>> counters = Counters()
    >>> counters.add([["ragauge_malformed_events_total", [], 2]])
    >>> counters.value("ragauge_malformed_events_total")
    2
    """

    def __init__(self, catalogue: Mapping[str, Metric] = CATALOGUE, *, limit: int = 40_000) -> None:
        self.catalogue = {name: metric for name, metric in catalogue.items() if metric.kind != "gauge"}
        self.lock = threading.RLock()
        self.sums: dict[str, dict[Labels, float]] = {}
        self.histograms: dict[str, dict[Labels, Histogram]] = {}
        self.size = 0
        self._limit = limit
        self._kin = _kinship(self.catalogue.values())
        for metric in self.catalogue.values():
            cells = self.histograms if metric.kind == "histogram" else self.sums
            cells[metric.name] = {}
            if not metric.open_labels:
                self._create(metric, ())

    def add(self, rows: Iterable[Row]) -> None:
        """Add increments, as ``Counting.take`` returns them."""
        with self.lock:
            for row in rows:
                try:
                    self._add(row)
                except (KeyError, TypeError, ValueError, IndexError):
                    self.error("increments")

    def error(self, collector: str) -> None:
        """Count a failure of a collector."""
        with self.lock:
            errors = self.sums[ERRORS]
            errors[(collector,)] = errors.get((collector,), 0) + 1

    def overflow(self, times: int = 1) -> None:
        """Count sets of labels that were left out."""
        with self.lock:
            self.sums[OVERFLOW][()] += times

    def value(self, name: str, labels: Labels = ()) -> float:
        """Return a counter's value.

        Raises:
            KeyError: the catalogue has no such counter, or these labels were never seen.
        """
        return self.sums[name][labels]

    def _add(self, row: Row) -> None:
        name, values, amount = row
        metric, labels = self.catalogue[name], tuple(values)
        if not self._exists(metric, labels):
            self.overflow()
        elif metric.kind == "histogram":
            self.histograms[name][labels].add(*amount)
        elif amount < 0 or not math.isfinite(amount):
            raise ValueError(f"{name}: a counter grows, {amount} cannot be added")
        else:
            self.sums[name][labels] += amount

    def _exists(self, metric: Metric, labels: Labels) -> bool:
        cells = self.histograms if metric.kind == "histogram" else self.sums
        if labels in cells[metric.name]:
            return True
        self._check(metric, labels)
        if self.size + metric.width > self._limit:
            return False
        self._create(metric, labels)
        by_name = dict(zip(metric.labels, labels, strict=True))
        for relative in self._kin.get(metric.open_labels, ()):
            self._create(relative, tuple(by_name[label] for label in relative.open_labels))
        return labels in cells[metric.name]

    def _check(self, metric: Metric, labels: tuple[object, ...]) -> None:
        if len(labels) != len(metric.labels):
            raise ValueError(f"{metric.name}: {len(metric.labels)} label values wanted, not {len(labels)}")
        for label, value in zip(metric.labels, labels, strict=True):
            if not isinstance(value, str) or len(value) > MAX_LABEL:
                raise ValueError(f"{metric.name}: label {label} must be a text of at most {MAX_LABEL}")
            if value not in metric.values.get(label, (value,)):
                raise ValueError(f"{metric.name}: label {label} has no value {value!r}")

    def _create(self, metric: Metric, labels: Labels) -> None:
        """Create the series at 0: the one that ``labels`` are, or all of its known labels' values."""
        for full in _completions(metric, labels):
            if self.size + metric.width > self._limit:
                return
            if metric.kind == "histogram" and full not in self.histograms[metric.name]:
                self.histograms[metric.name][full] = Histogram(len(metric.bounds) + 1)
                self.size += metric.width
            elif metric.kind == "counter" and full not in self.sums[metric.name]:
                self.sums[metric.name][full] = 0
                self.size += 1


def _kinship(metrics: Iterable[Metric]) -> dict[tuple[str, ...], tuple[Metric, ...]]:
    """Return which counters are born with a set of open labels: those whose open labels are among them."""
    counters = [metric for metric in metrics if metric.kind == "counter" and metric.open_labels]
    return {
        metric.open_labels: tuple(
            other for other in counters if set(other.open_labels) <= set(metric.open_labels)
        )
        for metric in counters
    }


def _completions(metric: Metric, labels: Labels) -> Iterator[Labels]:
    """Yield the full label values for the open labels' values, in the catalogue's order."""
    if len(labels) == len(metric.labels) and metric.labels != metric.open_labels:
        labels = tuple(
            value for label, value in zip(metric.labels, labels, strict=True) if label not in metric.values
        )
    given = dict(zip(metric.open_labels, labels, strict=True))
    choices = [metric.values.get(label) or (given[label],) for label in metric.labels]
    yield from product(*choices)
