"""What ``GET /metrics`` answers: counters of this process, the monitor's snapshot, gauges of the parts."""

import math
import platform
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Final

from ragauge_service import __version__
from ragauge_service.core.snapshot import Snapshot
from ragauge_service.exporter.catalogue import CATALOGUE, Metric
from ragauge_service.exporter.counters import Counters, Labels
from ragauge_service.exporter.gauges import Gauge, busiest_first, click_gauges, drop_gauges, window_gauges
from ragauge_service.exporter.negotiation import CONTENT_TYPES, Format, accepts_gzip, format_of
from ragauge_service.exporter.process import process_gauges
from ragauge_service.exporter.rendering import Renderer
from ragauge_service.exporter.selection import Selection

Families = dict[str, dict[Labels, float]]
Collector = Callable[[], Iterable[Gauge]]

SERIES_LIMIT: Final = 100_000
"""Most samples in one scrape: beyond it the quietest series are left out, and counted."""


class Exporter:
    """Renders everything that the catalogue names; ``render`` never fails, whatever a collector does.

    ``publish`` takes the monitor's snapshot, or None when its lease has passed: then neither
    is exported. ``set_gauge`` holds everything else; a value of None removes it.

    >>> exporter = Exporter(counters=Counters())
    >>> exporter.set_gauge("ragauge_workers", (), 2)
    >>> "ragauge_workers 2.0" in exporter.render("", "")[0].decode()
    True
    """

    def __init__(
        self,
        catalogue: Mapping[str, Metric] = CATALOGUE,
        counters: Counters | None = None,
        *,
        selection: Selection | None = None,
        limit: int = SERIES_LIMIT,
        timer: Callable[[], float] = perf_counter,
    ) -> None:
        self.catalogue = catalogue
        self.counters = counters or Counters(catalogue)
        self._selection = selection or Selection()
        self._limit = limit
        self._timer = timer
        self._renderer = Renderer()
        self._lock = threading.RLock()
        self._published: Families = {}
        self._gauges: Families = {}
        self._collectors: dict[str, Collector] = {"process": process_gauges}
        self.set_gauge("ragauge_build_info", (__version__, platform.python_version()), 1)

    def publish(self, snapshot: Snapshot | None) -> None:
        """Replace the windows and detectors that are exported."""
        published: Families = {}
        if snapshot is not None:
            room = self._limit - self.counters.size - sum(map(len, self._gauges.values()))
            self._windows(snapshot, published, room)
            for drop in snapshot.drops:
                self._take("drops", lambda drop=drop: drop_gauges(drop), published)
            self._take("clicks", lambda: click_gauges(snapshot), published)
            published["ragauge_snapshot_timestamp_seconds"] = {(): snapshot.at / 1000}
        with self._lock:
            self._published = published

    def set_gauge(self, name: str, labels: Labels, value: float | None) -> None:
        """Set a gauge, or remove it with None; a value that is not finite removes it and is counted.

        Raises:
            KeyError: the catalogue has no such gauge.
            ValueError: not as many label values as the gauge has labels.
        """
        metric = self.catalogue[name]
        if metric.kind != "gauge" or len(labels) != len(metric.labels):
            raise ValueError(f"{name}: a gauge with {len(metric.labels)} label values wanted, not {labels!r}")
        with self._lock:
            if value is not None and math.isfinite(value):
                self._gauges.setdefault(name, {})[labels] = value
                return
            self._gauges.get(name, {}).pop(labels, None)
        if value is not None:
            self.counters.error("gauges")

    def add_collector(self, name: str, collector: Collector) -> None:
        """Ask ``collector`` for gauges at every scrape; its failures are counted under ``name``."""
        self._collectors[name] = collector

    def clear_gauge(self, name: str) -> None:
        """Remove all series of a gauge."""
        with self._lock:
            self._gauges.pop(name, None)

    def render(self, accept: str = "", accept_encoding: str = "") -> tuple[bytes, str, str | None]:
        """Return the body, its content type, and its encoding (``gzip`` or None) for a request's headers."""
        began = self._timer()
        kind = format_of(accept)
        text, series = self._text(kind)
        body, encoding = text.encode(), None
        if accepts_gzip(accept_encoding):
            packer = zlib.compressobj(1, zlib.DEFLATED, 31)
            body, encoding = packer.compress(body) + packer.flush(), "gzip"
        self.set_gauge("ragauge_exporter_series", (), series)
        self.set_gauge("ragauge_exporter_scrape_duration_seconds", (), self._timer() - began)
        return body, CONTENT_TYPES[kind], encoding

    def _text(self, kind: Format) -> tuple[str, int]:
        collected: Families = {}
        for name, collector in self._collectors.items():
            self._take(name, collector, collected)
        parts: list[str] = []
        with self._lock, self.counters.lock:
            sources = (self.counters.sums, self._published, self._gauges, collected)
            for name, metric in self.catalogue.items():
                parts.append(self._renderer.header(metric, kind))
                if metric.kind == "histogram":
                    cells = self.counters.histograms[name]
                    parts.append(self._renderer.histogram(metric, cells, kind))
                    continue
                found = [source[name] for source in sources if name in source]
                samples = found[0] if len(found) == 1 else _merged(found)
                parts.append(self._renderer.simple(metric, samples))
        if kind == "openmetrics":
            parts.append("# EOF\n")
        text = "".join(parts)
        return text, text.count("\n") - text.count("\n# ") - 1

    def _windows(self, snapshot: Snapshot, into: Families, room: int) -> None:
        measures = self._selection.of(snapshot.layout)
        for window in busiest_first(snapshot):
            found: Families = {}
            self._take("windows", lambda w=window: window_gauges(w, self._selection, measures), found)
            size = sum(map(len, found.values()))
            if size > room:
                self.counters.overflow()
                continue
            room -= size
            for name, samples in found.items():
                into.setdefault(name, {}).update(samples)

    def _take(self, collector: str, gauges: Collector, into: Families) -> None:
        """Add what a collector yields; count its failure and its values that are not finite."""
        try:
            for name, labels, value in gauges():
                if math.isfinite(value):
                    into.setdefault(name, {})[labels] = value
                else:
                    self.counters.error(collector)
        except Exception:  # noqa: BLE001 - a scrape answers with what there is, whatever broke
            self.counters.error(collector)


def _merged(sources: Iterable[Mapping[Labels, float]]) -> dict[Labels, float]:
    """Return one value for each set of labels: a scrape with a series twice is refused as a whole."""
    return {labels: value for source in sources for labels, value in source.items()}
