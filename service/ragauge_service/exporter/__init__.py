"""Prometheus exposition: the catalogue of metrics, the counters of this process, and their rendering."""

from ragauge_service.exporter.catalogue import CATALOGUE, Metric
from ragauge_service.exporter.counters import Counters
from ragauge_service.exporter.exporter import Exporter
from ragauge_service.exporter.selection import Selection

__all__ = ["CATALOGUE", "Counters", "Exporter", "Metric", "Selection"]
