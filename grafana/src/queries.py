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
WEEK: Final = f'{SERIES}, window="7d"'
EVERY_WINDOW: Final = f'{SERIES}, window=~".+"'
EVERY_EVIDENCE: Final = f'{VARIANT}, evidence=~".+", window="$window"'


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


def mean(metric: str, *by: str, where: str = WINDOW) -> str:
    """Return the mean of a window gauge over what ``by`` leaves out, weighted by scored retrievals."""
    total = (
        f'sum by (k{_more(by)}) ({metric}{{{where}, k=~"$k"}} * ignoring (k) group_left () {scored(where)})'
    )
    return f"{total} / ignoring (k) group_left () sum by ({', '.join(by)}) {scored(where)}"


def half_width(metric: str, *by: str, where: str = WINDOW) -> str:
    """Return the half width of the mean's 95 % interval: the series are independent samples."""
    bounds = [f'{metric}_{side}{{{where}, k=~"$k"}}' for side in ("upper", "lower")]
    weighted = f"({bounds[0]} - {bounds[1]}) / 2 * ignoring (k) group_left () {scored(where)}"
    root = f"sqrt(sum by (k{_more(by)}) (({weighted}) ^ 2))"
    return f"{root} / ignoring (k) group_left () sum by ({', '.join(by)}) {scored(where)}"


def share(metric: str, weight: str, *by: str, where: str = WINDOW) -> str:
    """Return the mean of a ratio that is weighted by another gauge of the same labels."""
    weights = f"({weight}{{{where}}} > 0)"
    ratio = f"{metric}{{{where}}}"
    group = f"sum by ({', '.join(by)})"
    return f"{group} ({ratio} * {weights}) / {group} ({weights} and {ratio})"


def scored(where: str = WINDOW) -> str:
    """Return the scored retrievals of the series that have some: the weights of every mean."""
    return f"(ragauge_window_scored_retrievals{{{where}}} > 0)"


def baseline(measure: str) -> str:
    """Return the detectors' baselines over the selected categories, weighted by scored retrievals."""
    detector = f'ragauge_drop_baseline{{{DETECTOR}, category!="", measure=~"{measure}"}}'
    on = "on (category, retriever, evidence)"
    learned = f"max by (category, retriever, evidence) ({detector})"
    weights = f"sum by (category, retriever, evidence) {scored()}"
    return f"sum ({learned} * {on} {weights}) / sum ({weights} and {on} {learned})"


def per_second(metric: str, selector: str, *by: str) -> str:
    """Return a counter's rate, summed."""
    return f"sum by ({', '.join(by)}) (rate({metric}{{{selector}}}[$__rate_interval]))"


def _more(by: tuple[str, ...]) -> str:
    return "".join(f", {label}" for label in by)


def quantile(q: float, metric: str, selector: str, *by: str) -> str:
    """Return a quantile of a histogram; nothing without observations, where PromQL says NaN."""
    return f"histogram_quantile({q}, {per_second(f'{metric}_bucket', selector, 'le', *by)}) >= 0"
