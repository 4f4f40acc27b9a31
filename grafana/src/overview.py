"""Overview: are we fine?"""

from typing import Final

from grafana.src.frame import Content, new_dashboard
from grafana.src.panels import SHARE, bars, lines, number, rows, scores, states
from grafana.src.queries import (
    DETECTOR,
    VARIANT,
    WEEK,
    WINDOW,
    baseline,
    column,
    half_width,
    mean,
    now,
    per_second,
    query,
    share,
)
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.models import dashboard as model

MRR: Final = "ragauge_window_mrr"
HIT: Final = "ragauge_window_hit_rate"
NDCG: Final = "ragauge_window_ndcg"

ALARM: Final[list[model.ValueMapping]] = [
    model.ValueMap(
        options={
            "0": model.ValueMappingResult(text="ok", color="green", index=0),
            "1": model.ValueMappingResult(text="alarm", color="red", index=1),
        }
    )
]


def overview() -> model.Dashboard:
    """Return the dashboard that answers whether retrieval is fine."""
    return new_dashboard(
        "ragauge-overview",
        "ragauge / Overview",
        "Are we fine? Quality now against what is usual, alarms, and every category in one table.",
        [
            dashboard.Row("Now"),
            *_numbers(),
            dashboard.Row("Quality, with the 95 % interval of the selected window"),
            _trend("MRR", MRR, "none", query(baseline("MRR@.*"), "baseline of the detectors")),
            _trend("Hit rate", HIT, SHARE),
            _trend("nDCG", NDCG, "none"),
            dashboard.Row("Drops"),
            *_drops(),
            dashboard.Row("Categories"),
            _table(),
        ],
    )


def _numbers() -> list[Content]:
    standing = f"sum (max by (category, retriever) (ragauge_drop_alarm{{{DETECTOR}}})) or vector(0)"
    judged = share("ragauge_window_judged_ratio", "ragauge_window_retrievals")
    red = ((None, "green"), (1, "red"))
    return [
        number(
            "Alarms",
            "Drops whose alarm stands in the selection, all categories together included.",
            "none",
            query(standing, "alarms"),
            steps=red,
        ),
        number(
            "MRR",
            "Mean reciprocal rank over the selected window, weighted by scored retrievals.",
            "none",
            query(mean(MRR), "MRR@{{k}}"),
        ).decimals(3),
        number(
            "Hit rate",
            "Share of scored retrievals with a relevant document within k, over the selected window.",
            SHARE,
            query(mean(HIT), "hit@{{k}}"),
        ).decimals(1),
        number(
            "nDCG",
            "Mean nDCG over the selected window, weighted by scored retrievals.",
            "none",
            query(mean(NDCG), "nDCG@{{k}}"),
        ).decimals(3),
        number(
            "Retrievals",
            "Retriever calls a second.",
            "reqps",
            query(per_second("ragauge_retrievals_total", VARIANT), "retrievals"),
        ).decimals(1),
        number(
            "Judged",
            "Share of the window's retrievals whose query is judged: what quality rests on.",
            SHARE,
            query(judged, "judged"),
        ).decimals(1),
    ]


def _trend(title: str, metric: str, unit: str, *more: Dataquery) -> Content:
    return scores(
        f"{title} over time",
        f"{title} over the window (band: its 95 % interval), beside the mean of 7 days as what is usual.",
        query(mean(metric), "@{{k}}"),
        query(f"{mean(metric)} + ({half_width(metric)})", "upper @{{k}}"),
        query(f"{mean(metric)} - ({half_width(metric)})", "lower @{{k}}"),
        query(mean(metric, where=WEEK), "usual @{{k}} (7d)"),
        *more,
        unit=unit,
    )


def _drops() -> list[Content]:
    alarm = f"max by (category, retriever) (ragauge_drop_alarm{{{DETECTOR}}})"
    evidence = (
        f"max by (category, retriever) (ragauge_drop_log_e_value{{{DETECTOR}}}"
        f" / ragauge_drop_threshold{{{DETECTOR}}})"
    )
    state = f"count by (state) (ragauge_detector_state{{{DETECTOR}}} == 1)"
    return [
        states(
            "Alarms by category",
            "When each alarm stood; the row without names is all categories together.",
            query(alarm, "{{category}} {{retriever}}"),
            mappings=ALARM,
        ),
        lines(
            "Evidence for a drop",
            "Logarithm of the evidence as a share of the threshold: the alarm comes at 1.",
            "none",
            query(evidence, "{{category}} {{retriever}}"),
        ).decimals(2),
        bars(
            "Detectors by state",
            "learning: too few observations yet; held: evidence is missing, so silence proves nothing.",
            "none",
            now(state, "{{state}}"),
            width=4,
        ),
    ]


def _table() -> Content:
    by = ("category", "retriever")
    scored = f"sum by (category, retriever) (ragauge_window_scored_retrievals{{{WINDOW}}})"
    learned = (
        f'max by (category, retriever) (ragauge_drop_baseline{{{DETECTOR}, category!="", measure=~"MRR@.*"}})'
    )
    alarm = f'max by (category, retriever) (ragauge_drop_alarm{{{DETECTOR}, category!=""}})'
    return rows(
        "By category",
        "Every category and retriever over the window; a row leads to its worst retrievals.",
        [
            ("MRR", column(f"max by (category, retriever) ({mean(MRR, *by)})")),
            ("±", column(f"max by (category, retriever) ({half_width(MRR, *by)})")),
            ("baseline", column(learned)),
            ("hit rate", column(f"max by (category, retriever) ({mean(HIT, *by)})")),
            ("nDCG", column(f"max by (category, retriever) ({mean(NDCG, *by)})")),
            ("scored", column(scored)),
            (
                "alarm",
                column(alarm),
            ),
        ],
        labels=by,
    )
