"""Variants: which one is better, and is that more than noise?"""

from grafana.src.frame import Content, label_variable, new_dashboard
from grafana.src.overview import HIT, MRR, NDCG
from grafana.src.panels import SHARE, bounded, lines, rows, scores
from grafana.src.queries import (
    CALL,
    SCRAPED,
    VARIANT,
    WINDOW,
    column,
    half_width,
    mean,
    per_second,
    quantile,
    query,
    scored,
)
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

BY = ("retriever", "variant")
BASE = WINDOW.replace('variant=~"$variant"', 'variant="$base"')
CALLS = f'{SCRAPED}, retriever=~"$retriever", variant=~"$variant"'


def variants() -> model.Dashboard:
    """Return the dashboard that compares variants."""
    return new_dashboard(
        "ragauge-variants",
        "ragauge / Variants",
        "Variants of a retriever side by side: differences with intervals, latency, errors, traffic.",
        [
            dashboard.Row(
                "Difference to the base variant, with its 95 % interval: it matters when 0 is outside"
            ),
            _difference("MRR", MRR, "none"),
            _difference("Hit rate", HIT, SHARE),
            _difference("nDCG", NDCG, "none"),
            dashboard.Row("Level"),
            _level("MRR", MRR),
            _table(),
            dashboard.Row("Traffic"),
            *_traffic(),
        ],
        more=[
            label_variable("base", "Base variant", "variant", f"ragauge_retrievals_total{{{CALL}}}"),
        ],
    )


def _difference(title: str, metric: str, unit: str) -> Content:
    on = "on (k, retriever) group_left ()"
    base = f"sum by (k, retriever) ({mean(metric, *BY, where=BASE)})"
    wide = f"sum by (k, retriever) ({half_width(metric, *BY, where=BASE)})"
    apart = f"({mean(metric, *BY)}) - {on} ({base})"
    half = f"sqrt((({half_width(metric, *BY)}) ^ 2) + {on} (({wide}) ^ 2))"
    names = "{{retriever}} {{variant}} @{{k}}"
    panel = lines(
        f"{title}: difference",
        f"{title} of each variant less the base variant's. Variants are independent samples.",
        unit,
        query(apart, names),
        query(f"({apart}) + {half}", f"upper {names}"),
        query(f"({apart}) - {half}", f"lower {names}"),
    )
    return bounded(panel.decimals(3))


def _level(title: str, metric: str) -> Content:
    return scores(
        title,
        f"{title} of each variant over the selected window.",
        query(mean(metric, *BY), "{{retriever}} {{variant}} @{{k}}"),
    )


def _table() -> Content:
    return rows(
        "By variant",
        "Every variant over the selected window, all selected categories together.",
        [
            ("MRR", column(f"max by (retriever, variant) ({mean(MRR, *BY)})")),
            ("±", column(f"max by (retriever, variant) ({half_width(MRR, *BY)})")),
            ("hit rate", column(f"max by (retriever, variant) ({mean(HIT, *BY)})")),
            ("nDCG", column(f"max by (retriever, variant) ({mean(NDCG, *BY)})")),
            ("scored", column(f"sum by (retriever, variant) {scored()}")),
        ],
        labels=BY,
        width=16,
        height=8,
    )


def _traffic() -> list[Content]:
    calls = per_second("ragauge_retrievals_total", VARIANT, *BY)
    failed = per_second("ragauge_retrievals_total", f'{VARIANT}, outcome=~"error|timeout"', *BY)
    return [
        lines(
            "Retrievals",
            "Retriever calls a second by variant: the split of the traffic.",
            "reqps",
            query(calls, "{{retriever}} {{variant}}"),
        ).min(0),
        lines(
            "Errors",
            "Share of calls that end in an error or a timeout.",
            SHARE,
            query(f"{failed} / ({calls} > 0)", "{{retriever}} {{variant}}"),
        ).min(0),
        lines(
            "Latency",
            "95 % of calls are at least as fast.",
            "s",
            query(
                quantile(0.95, "ragauge_retrieval_duration_seconds", CALLS, *BY),
                "{{retriever}} {{variant}}",
            ),
        ).min(0),
    ]
