"""PromQL by parts: selectors on the dashboards' variables, and means that are never means of means."""

from typing import Final

from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.models.common import DataSourceRef
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

DATASOURCE: Final = DataSourceRef(type_val="prometheus", uid="${datasource}")

SCRAPED: Final = 'job=~"$job", instance=~"$instance"'
CALL: Final = f'{SCRAPED}, category=~"$category", retriever=~"$retriever"'
VARIANT: Final = f'{CALL}, variant=~"$variant"'
SERIES: Final = f'{VARIANT}, evidence="$evidence"'
DETECTOR: Final = f'{CALL}, evidence="$evidence"'
WINDOW: Final = f'{SERIES}, window="$window"'
WINDOW_K: Final = f'{WINDOW}, k=~"$k"'

SCORED: Final = f"(ragauge_window_scored_retrievals{{{WINDOW}}} > 0)"


def query(expression: str, legend: str = "", *, exemplars: bool = False) -> Dataquery:
    """Return a query over the time range."""
    target = Dataquery().datasource(DATASOURCE).expr(expression).range()
    return target.legend_format(legend or "__auto").exemplar(exemplars)


def now(expression: str, legend: str = "") -> Dataquery:
    """Return a query of the newest value."""
    return Dataquery().datasource(DATASOURCE).expr(expression).instant().legend_format(legend or "__auto")


def column(expression: str) -> Dataquery:
    """Return a query whose labels become a table's columns."""
    return now(expression).format(PromQueryFormat.TABLE)


def buckets(expression: str) -> Dataquery:
    """Return a query of histogram buckets for a heat map, with exemplars."""
    return query(expression, "{{le}}", exemplars=True).format(PromQueryFormat.HEATMAP)


def mean(metric: str, *by: str, window: str = "$window") -> str:
    """Return the mean of a window gauge over what ``by`` leaves out, weighted by scored retrievals."""
    selected = WINDOW_K.replace("$window", window)
    scored = SCORED.replace("$window", window)
    total = f"sum by (k{_more(by)}) ({metric}{{{selected}}} * ignoring (k) group_left () {scored})"
    return f"{total} / ignoring (k) group_left () sum by ({', '.join(by)}) {scored}"


def half_width(metric: str, *by: str) -> str:
    """Return the half width of the mean's 95 % interval: the series are independent samples."""
    spread = f"({metric}_upper{{{WINDOW_K}}} - {metric}_lower{{{WINDOW_K}}}) / 2"
    weighted = f"({spread}) * ignoring (k) group_left () {SCORED}"
    root = f"sqrt(sum by (k{_more(by)}) (({weighted}) ^ 2))"
    return f"{root} / ignoring (k) group_left () sum by ({', '.join(by)}) {SCORED}"


def baseline(measure: str) -> str:
    """Return the detectors' baselines over the selected categories, weighted by scored retrievals."""
    detector = f'ragauge_drop_baseline{{{DETECTOR}, category!="", measure=~"{measure}"}}'
    on = "on (category, retriever, evidence)"
    learned = f"max by (category, retriever, evidence) ({detector})"
    scored = f"sum by (category, retriever, evidence) {SCORED}"
    return f"sum ({learned} * {on} {scored}) / sum ({scored} and {on} {learned})"


def per_second(metric: str, selector: str, *by: str) -> str:
    """Return a counter's rate, summed."""
    return f"sum by ({', '.join(by)}) (rate({metric}{{{selector}}}[$__rate_interval]))"


def _more(by: tuple[str, ...]) -> str:
    return "".join(f", {label}" for label in by)
