"""Category: what happened to these queries, by cutoff, window, rank and evidence."""

from grafana.src.frame import Content, new_dashboard
from grafana.src.overview import HIT, MRR, NDCG
from grafana.src.panels import SHARE, bounded, lines, ranks, rows, scores
from grafana.src.queries import (
    DETECTOR,
    EVERY_EVIDENCE,
    EVERY_WINDOW,
    SERIES,
    WINDOW,
    buckets,
    column,
    half_width,
    mean,
    per_second,
    query,
    scored,
    share,
)
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

BY = ("category", "retriever")


def category() -> model.Dashboard:
    """Return the dashboard that explains a category."""
    return new_dashboard(
        "ragauge-category",
        "ragauge / Category",
        "Where quality moved: cutoffs, windows, first ranks, coverage, clicks beside judgments.",
        [
            dashboard.Row("Trends over the selected window"),
            _trend("MRR", MRR, "none"),
            _trend("Hit rate", HIT, SHARE),
            _trend("nDCG", NDCG, "none"),
            dashboard.Row("Drops"),
            *_drops(),
            dashboard.Row("Ranks"),
            *_ranks(),
            dashboard.Row("Windows, coverage, clicks"),
            *_evidence(),
        ],
    )


def _trend(title: str, metric: str, unit: str) -> Content:
    panel = lines(
        title,
        f"{title} of each category at every selected cutoff; the dotted lines bound its 95 % interval.",
        unit,
        query(mean(metric, *BY), "{{category}} {{retriever}} @{{k}}"),
        query(
            f"{mean(metric, *BY)} + ({half_width(metric, *BY)})", "upper {{category}} {{retriever}} @{{k}}"
        ),
        query(
            f"{mean(metric, *BY)} - ({half_width(metric, *BY)})", "lower {{category}} {{retriever}} @{{k}}"
        ),
    )
    return bounded(panel.decimals(3).axis_soft_min(0).axis_soft_max(1))


def _drops() -> list[Content]:
    names = "{{category}} {{retriever}} {{measure}}"
    learned = f"max by (category, retriever, measure) (ragauge_drop_baseline{{{DETECTOR}}})"
    evidence = (
        f"max by (category, retriever, measure) (ragauge_drop_log_e_value{{{DETECTOR}}}"
        f" / ragauge_drop_threshold{{{DETECTOR}}})"
    )
    by = "max by (category, retriever, measure)"
    return [
        scores(
            "Baselines",
            "What each detector compares with. It stands still while an alarm stands, and moves only slowly.",
            query(learned, names),
            width=6,
        ),
        lines(
            "Evidence for a drop",
            "Logarithm of the evidence as a share of the threshold: the alarm comes at 1.",
            "none",
            query(evidence, names),
            width=6,
        ).decimals(2),
        rows(
            "Drops now",
            "How large a drop is and since when; how many retrievals a drop of 10 % takes to be seen.",
            [
                ("alarm", column(f"{by} (ragauge_drop_alarm{{{DETECTOR}}})")),
                ("size", column(f"{by} (ragauge_drop_size{{{DETECTOR}}})")),
                ("at least", column(f"{by} (ragauge_drop_size_lower{{{DETECTOR}}})")),
                ("at most", column(f"{by} (ragauge_drop_size_upper{{{DETECTOR}}})")),
                ("minutes ago", column(_minutes_since_onset(by))),
                ("needed", column(f"{by} (ragauge_drop_observations_needed{{{DETECTOR}}})")),
            ],
            labels=("category", "retriever", "measure"),
            width=12,
            height=8,
        ),
    ]


def _minutes_since_onset(by: str) -> str:
    return f"(time() - {by} (ragauge_drop_onset_timestamp_seconds{{{DETECTOR}}})) / 60"


def _ranks() -> list[Content]:
    first = per_second("ragauge_reciprocal_rank_bucket", SERIES, "le")
    missed = per_second("ragauge_reciprocal_rank_bucket", f'{SERIES}, le="0.0"', *BY)
    every = per_second("ragauge_reciprocal_rank_bucket", f'{SERIES}, le="+Inf"', *BY)
    return [
        ranks(
            "First relevant rank",
            "Retrievals a second by reciprocal rank: 1 is rank 1, 0.5 rank 2, 0 a miss. Dots are traces.",
            buckets(first),
            width=8,
        ),
        ranks(
            "Distribution of nDCG",
            "Retrievals a second by nDCG. Dots are traces.",
            buckets(per_second("ragauge_ndcg_bucket", SERIES, "le")),
            width=8,
        ),
        lines(
            "Misses",
            "Share of retrievals without a relevant document, as they happen. Dots lead to traces.",
            SHARE,
            query(f"{missed} / ({every} > 0)", "{{category}} {{retriever}}", exemplars=True),
        ).min(0),
    ]


def _evidence() -> list[Content]:
    judged = share("ragauge_window_judged_ratio", "ragauge_window_retrievals", "category", where=WINDOW)
    return [
        scores(
            "MRR by window",
            "The same mean over short and long windows: a short one that leaves the long one is news.",
            query(mean(MRR, "category", "window", where=EVERY_WINDOW), "{{category}} {{window}} @{{k}}"),
            width=6,
        ),
        scores(
            "MRR by evidence",
            "Clicks beside judgments and probes. Levels differ by nature; see whether they move together.",
            query(
                mean(MRR, "category", "evidence", where=EVERY_EVIDENCE), "{{category}} {{evidence}} @{{k}}"
            ),
            width=6,
        ),
        lines(
            "Judged coverage",
            "Share of the window's retrievals whose query is judged.",
            SHARE,
            query(judged, "{{category}}"),
            width=6,
        ).min(0),
        lines(
            "Scored retrievals in the window",
            "What the means rest on.",
            "short",
            query(f"sum by (category) {scored(WINDOW)}", "{{category}}"),
            width=6,
        ).min(0),
    ]
