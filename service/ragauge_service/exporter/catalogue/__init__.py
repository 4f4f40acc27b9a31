"""Every metric that ragauge exports; ``docs/metrics.md`` is written from here."""

from typing import Final

from ragauge_service.exporter.catalogue.drops import DROPS
from ragauge_service.exporter.catalogue.metric import Metric
from ragauge_service.exporter.catalogue.service import SERVICE
from ragauge_service.exporter.catalogue.traffic import TRAFFIC
from ragauge_service.exporter.catalogue.windows import WINDOWS

CATALOGUE: Final[dict[str, Metric]] = {
    metric.name: metric for metric in (*TRAFFIC, *WINDOWS, *DROPS, *SERVICE)
}
"""Metrics by name, in the order of the exposition."""

__all__ = ["CATALOGUE", "Metric"]
