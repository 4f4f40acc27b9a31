"""The process that serves ``/metrics``, as prometheus_client's own collector sees it."""

from collections.abc import Iterator

from prometheus_client import ProcessCollector

from ragauge_service.exporter.gauges import Gauge

_NAMES = frozenset(
    {
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_start_time_seconds",
        "process_open_fds",
        "process_max_fds",
    }
)
_COLLECTOR = ProcessCollector(registry=None)


def process_gauges() -> Iterator[Gauge]:
    """Yield memory, processor time, start and open files; nothing where the system does not tell."""
    for family in _COLLECTOR.collect():
        for sample in family.samples:
            if sample.name in _NAMES:
                yield sample.name, (), float(sample.value)
