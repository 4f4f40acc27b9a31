"""What every dashboard has: variables, annotations, links, a uid of its own."""

from collections.abc import Sequence
from typing import Final

from grafana.src.queries import CALL, DATASOURCE, DETECTOR, SCRAPED, VARIANT
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import dashboard as model

ALERTS: Final = (
    "RetrievalQualityDrop",
    "RetrievalQualityBelowObjective",
    "HitRateBurn",
    "ForbiddenDocumentServed",
    "JudgedCoverageLow",
    "JudgmentsStale",
    "JudgedIdsVanished",
    "AbstentionDrop",
    "RetrieverErrors",
    "RetrieverLatencyHigh",
    "CategoryVanished",
    "TelemetryStopped",
    "EventsDropped",
    "DeadLetters",
    "WorkerLag",
    "SignalsLate",
)
"""The alerts that deploy/prometheus/rules defines; a test compares."""

Variables = list[Builder[model.VariableModel]]
Content = Builder[model.Panel] | dashboard.Row


def new_dashboard(
    uid: str, title: str, description: str, panels: Sequence[Content], *, more: Variables | None = None
) -> model.Dashboard:
    """Return a dashboard of these panels and rows, with everything that all of them share."""
    board = dashboard.Dashboard(title).uid(uid).description(description).tags(["ragauge"]).readonly()
    board = board.time("now-6h", "now").refresh("30s").timezone("browser").version(1)
    board = board.tooltip(model.DashboardCursorSync.CROSSHAIR)
    board = board.variables([*_variables(), *(more or [])]).annotations(_annotations()).links(_links())
    for panel in panels:
        board = board.with_row(panel) if isinstance(panel, dashboard.Row) else board.with_panel(panel)
    return board.build()


def _variables() -> Variables:
    source = dashboard.DatasourceVariable("datasource").label("Data source").type("prometheus")
    page = dashboard.TextBoxVariable("service_url").label("ragauge").default_value("http://localhost:8321")
    return [
        source,
        _labels("job", "Job", "ragauge_build_info", everything=".+"),
        _labels("instance", "Instance", 'ragauge_build_info{job=~"$job"}', everything=".+"),
        _labels("category", "Category", f"ragauge_retrievals_total{{{SCRAPED}}}"),
        _labels("retriever", "Retriever", f'ragauge_retrievals_total{{{SCRAPED}, category=~"$category"}}'),
        _labels("variant", "Variant", f"ragauge_retrievals_total{{{CALL}}}"),
        _one("evidence", "Evidence", f"ragauge_scored_retrievals_total{{{VARIANT}}}", "judgments"),
        _labels("k", "k", f'{{__name__=~"ragauge_window_(mrr|hit_rate|ndcg)", {SCRAPED}}}'),
        _one("window", "Window", f"ragauge_window_scored_retrievals{{{SCRAPED}}}", "1h"),
        page,
    ]


def _labels(name: str, label: str, series: str, *, everything: str = ".*") -> dashboard.QueryVariable:
    """Return a variable of several values, all of them at first."""
    variable = _query(name, label, series).multi(multi=True).include_all(include_all=True)
    return variable.all_value(everything).current(model.VariableOption(text="All", value="$__all"))


def _one(name: str, label: str, series: str, value: str) -> dashboard.QueryVariable:
    """Return a variable of one value: what must not be mixed."""
    return _query(name, label, series).current(model.VariableOption(text=value, value=value))


def label_variable(name: str, label: str, of: str, series: str) -> Builder[model.VariableModel]:
    """Return a variable of one value of the label ``of``."""
    return _query(name, label, series).query({"query": f"label_values({series}, {of})", "refId": name})


def _query(name: str, label: str, series: str) -> dashboard.QueryVariable:
    query: dict[str, object] = {"query": f"label_values({series}, {name})", "refId": name}
    variable = dashboard.QueryVariable(name).label(label).datasource(DATASOURCE).query(query)
    return variable.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(model.VariableSort.NATURAL_ASC)


def _annotations() -> list[Builder[model.AnnotationQuery]]:
    firing = f'ALERTS{{alertstate="firing", alertname=~"{"|".join(ALERTS)}"}}'
    onset = f"max by (category, retriever) (ragauge_drop_onset_timestamp_seconds{{{DETECTOR}}}) * 1000"
    deploy = f"max (ragauge_deploy_timestamp_seconds{{{SCRAPED}}}) * 1000"
    return [
        _annotation("Firing alerts", "red", firing, "{{alertname}}").text_format(
            "{{category}} {{retriever}} {{severity}}"
        ),
        _annotation("Onset of drops", "orange", onset, "Drop began: {{category}}").use_value_for_time(
            use_value_for_time=True
        ),
        _annotation("Deploys", "blue", deploy, "Deploy").use_value_for_time(use_value_for_time=True),
    ]


def _annotation(name: str, colour: str, expression: str, title: str) -> dashboard.AnnotationQuery:
    annotation = dashboard.AnnotationQuery().name(name).datasource(DATASOURCE).enable(enable=True)
    return annotation.icon_color(colour).expr(expression).title_format(title).step("60s")


def _links() -> list[Builder[model.DashboardLink]]:
    others = dashboard.DashboardLink("ragauge").type(model.DashboardLinkType.DASHBOARDS).tags(["ragauge"])
    page = dashboard.DashboardLink("The service's page").type(model.DashboardLinkType.LINK)
    return [
        others.include_vars(include_vars=True).keep_time(keep_time=True),
        page.url("${service_url}").icon("external link").target_blank(target_blank=True),
    ]
