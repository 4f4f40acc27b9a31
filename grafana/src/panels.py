"""Panels with the look that all dashboards share; each must have a title, a description and a unit."""

from collections.abc import Sequence
from typing import Final, Protocol, Self, TypeVar

from grafana.src.queries import DATASOURCE
from grafana_foundation_sdk.builders import (
    bargauge,
    common,
    dashboard,
    heatmap,
    stat,
    statetimeline,
    table,
    timeseries,
)
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.cog import variants
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import heatmap as heat

Links = list[Builder[model.DashboardLink]]

SHARE: Final = "percentunit"
SCORE: Final = "none"
CUTOFFS: Final = (1, 3, 5, 10, 20)
"""The cutoffs whose intervals are drawn as bands."""

_SERVICE_PAGE: Final = (
    "${service_url}/?category=${__field.labels.category:percentencode}"
    "&retriever=${__field.labels.retriever:percentencode}&evidence=${evidence}"
)


class Framed(Protocol):
    """What every kind of panel can be told."""

    def title(self, title: str) -> Self:
        """Set the title."""
        ...

    def description(self, description: str) -> Self:
        """Set the description."""
        ...

    def datasource(self, datasource: shapes.DataSourceRef) -> Self:
        """Set the datasource."""
        ...

    def unit(self, unit: str) -> Self:
        """Set the unit."""
        ...

    def span(self, w: int) -> Self:
        """Set the span."""
        ...

    def height(self, h: int) -> Self:
        """Set the height."""
        ...


P = TypeVar("P", bound=Framed)


def lines(title: str, description: str, unit: str, *queries: Dataquery, width: int = 8) -> timeseries.Panel:
    """Return a panel of lines over time."""
    legend = common.VizLegendOptions().placement(shapes.LegendPlacement.BOTTOM).show_legend(show_legend=True)
    tooltip = (
        common.VizTooltipOptions().mode(shapes.TooltipDisplayMode.MULTI).sort(shapes.SortOrder.DESCENDING)
    )
    panel = _framed(timeseries.Panel(), title, description, unit, width, 8)
    panel = panel.legend(legend.display_mode(shapes.LegendDisplayMode.LIST)).tooltip(
        tooltip.sort(shapes.SortOrder.DESCENDING)
    )
    panel = panel.line_width(2).fill_opacity(0).show_points(shapes.VisibilityMode.NEVER)
    return panel.data_links(service_page()).targets(_named(queries))


def scores(
    title: str, description: str, *queries: Dataquery, width: int = 8, unit: str = SCORE
) -> timeseries.Panel:
    """Return lines of a measure: three decimals, an axis from 0 to 1, and intervals as bands."""
    panel = lines(title, description, unit, *queries, width=width).decimals(3)
    return _banded(panel.axis_soft_min(0).axis_soft_max(1))


def bounded(panel: timeseries.Panel) -> timeseries.Panel:
    """Draw series called ``upper ...`` and ``lower ...`` thin and dotted, without a legend of their own."""
    hidden = _property("custom.hideFrom", {"legend": True, "tooltip": False, "viz": False})
    dots = _property("custom.lineStyle", {"fill": "dot", "dash": [2, 6]})
    return panel.override_by_regexp("/^(upper|lower)/", [_property("custom.lineWidth", 1), dots, hidden])


def number(
    title: str,
    description: str,
    unit: str,
    *queries: Dataquery,
    width: int = 4,
    steps: Sequence[tuple[float | None, str]] = ((None, "text"),),
    empty: str = "no data",
) -> stat.Panel:
    """Return a panel of big numbers."""
    panel = _framed(stat.Panel(), title, description, unit, width, 4).no_value(empty)
    panel = panel.graph_mode(shapes.BigValueGraphMode.AREA).color_mode(shapes.BigValueColorMode.VALUE)
    panel = panel.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(values=False))
    return panel.thresholds(_steps(steps)).color_scheme(_by_threshold()).targets(_named(queries))


def bars(title: str, description: str, unit: str, *queries: Dataquery, width: int = 8) -> bargauge.Panel:
    """Return a panel of horizontal bars, one for each series."""
    panel = _framed(bargauge.Panel(), title, description, unit, width, 8)
    panel = panel.orientation(shapes.VizOrientation.HORIZONTAL).display_mode(shapes.BarGaugeDisplayMode.BASIC)
    panel = panel.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(values=False))
    return panel.min(0).data_links(service_page()).targets(_named(queries))


def ranks(title: str, description: str, target: Dataquery, *, width: int = 12) -> heatmap.Panel:
    """Return a heat map of a histogram's buckets."""
    panel = _framed(heatmap.Panel(), title, description, SCORE, width, 8)
    colours = heatmap.HeatmapColorOptions().mode(heat.HeatmapColorMode.SCHEME).scheme("Oranges").steps(64)
    panel = panel.calculate(calculate=False).color(colours).cell_gap(1).exemplars_color("rgba(255,0,255,0.7)")
    return panel.y_axis(heatmap.YAxisConfig().unit(SCORE).decimals(2)).targets(_named([target]))


def states(
    title: str, description: str, *queries: Dataquery, mappings: list[model.ValueMapping], width: int = 12
) -> statetimeline.Panel:
    """Return bands of states over time."""
    panel = _framed(statetimeline.Panel(), title, description, SCORE, width, 8)
    panel = panel.mappings(mappings).show_value(shapes.VisibilityMode.NEVER).merge_values(merge_values=True)
    return panel.color_scheme(_by_threshold()).row_height(0.8).targets(_named(queries))


def rows(
    title: str,
    description: str,
    columns: Sequence[tuple[str, Dataquery]],
    *,
    labels: Sequence[str],
    width: int = 24,
    height: int = 9,
    unit: str = SCORE,
) -> table.Panel:
    """Return a table: a row for each combination of ``labels``, a column for each query."""
    panel = _framed(table.Panel(), title, description, unit, width, height).decimals(3).no_value("-")
    panel = panel.targets(_named([target for _, target in columns]))
    names = {f"Value #{chr(ord('A') + at)}": name for at, (name, _) in enumerate(columns)}
    order = {name: at for at, name in enumerate([*labels, *names])}
    merge = model.DataTransformerConfig(id_val="merge", options={})
    shown = {"excludeByName": {"Time": True}, "renameByName": names, "indexByName": order}
    organize = model.DataTransformerConfig(id_val="organize", options=shown)
    return panel.transformations([merge, organize]).data_links(_row_page())


def service_page() -> Links:
    """Return the link from a series to the service's page of it."""
    return [dashboard.DashboardLink("Worst retrievals of ${__field.labels.category}").url(_SERVICE_PAGE)]


def _row_page() -> Links:
    address = (
        "${service_url}/?category=${__data.fields.category:percentencode}"
        "&retriever=${__data.fields.retriever:percentencode}&evidence=${evidence}"
    )
    return [dashboard.DashboardLink("Worst retrievals").url(address)]


def _framed(panel: P, title: str, description: str, unit: str, width: int, height: int) -> P:
    panel = panel.title(title).description(description).datasource(DATASOURCE)
    return panel.unit(unit).span(width).height(height)


def _named(queries: Sequence[Dataquery]) -> list[Builder[variants.Dataquery]]:
    return [target.ref_id(chr(ord("A") + at)) for at, target in enumerate(queries)]


def _banded(panel: timeseries.Panel) -> timeseries.Panel:
    """Fill between ``lower @k`` and ``upper @k``; dash what is usual."""
    hidden = _property("custom.hideFrom", {"legend": True, "tooltip": False, "viz": False})
    panel = panel.override_by_regexp("/^(upper|lower)/", [_property("custom.lineWidth", 0), hidden])
    for k in CUTOFFS:
        band = [_property("custom.fillBelowTo", f"lower @{k}"), _property("custom.fillOpacity", 12)]
        panel = panel.override_by_name(f"upper @{k}", band)
    dashes = {"fill": "dash", "dash": [8, 8]}
    usual = [_property("custom.lineStyle", dashes), _property("custom.lineWidth", 1)]
    return panel.override_by_regexp("/^(usual|baseline)/", usual)


def _property(name: str, value: object) -> model.DynamicConfigValue:
    return model.DynamicConfigValue(id_val=name, value=value)


def _steps(steps: Sequence[tuple[float | None, str]]) -> dashboard.ThresholdsConfig:
    found = [model.Threshold(value=value, color=colour) for value, colour in steps]
    return dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(found)


def _by_threshold() -> dashboard.FieldColor:
    return dashboard.FieldColor().mode(model.FieldColorModeId.THRESHOLDS)
