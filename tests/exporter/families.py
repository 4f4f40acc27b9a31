"""The exporter's content as prometheus_client's own families: the oracle of the rendering."""

from collections.abc import Iterable
from itertools import accumulate

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.samples import Exemplar as ClientExemplar
from prometheus_client.utils import floatToGoString

from ragauge_service.exporter import CATALOGUE
from ragauge_service.exporter import Metric as Entry
from ragauge_service.exporter.counters import Counters, Histogram, Labels

Gauges = dict[str, dict[Labels, float]]


def registry(counters: Counters, gauges: Gauges) -> CollectorRegistry:
    """Return a registry that holds what an exporter of the same content renders."""
    found = CollectorRegistry()

    class Everything:
        def collect(self) -> Iterable[Metric]:
            for name, entry in CATALOGUE.items():
                yield family(entry, counters, gauges.get(name, {}))

    found.register(Everything())  # pyright: ignore[reportArgumentType]
    return found


def family(entry: Entry, counters: Counters, gauges: dict[Labels, float]) -> Metric:
    """Return one metric's family."""
    if entry.kind == "histogram":
        return histogram_family(entry, counters.histograms[entry.name])
    kind = CounterMetricFamily if entry.kind == "counter" else GaugeMetricFamily
    made = kind(entry.name, entry.help, labels=entry.labels)
    for labels, value in {**counters.sums.get(entry.name, {}), **gauges}.items():
        made.add_metric(labels, value)
    return made


def histogram_family(entry: Entry, cells: dict[Labels, Histogram]) -> HistogramMetricFamily:
    """Return one histogram's family, exemplars included."""
    made = HistogramMetricFamily(entry.name, entry.help, labels=entry.labels)
    bounds = [*map(floatToGoString, entry.bounds), "+Inf"]
    for labels, cell in cells.items():
        exemplars = [
            e and ClientExemplar({"trace_id": e.trace_id}, e.value, e.at)  # pyright: ignore[reportArgumentType]
            for e in cell.exemplars
        ]
        buckets = list(zip(bounds, accumulate(cell.counts), exemplars, strict=True))
        made.add_metric(labels, buckets, cell.total)  # pyright: ignore[reportArgumentType]
    return made
