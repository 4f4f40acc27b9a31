"""Trust: may these numbers be believed?"""

from typing import Final

from grafana.src.frame import Content, new_dashboard
from grafana.src.panels import SHARE, lines, number
from grafana.src.queries import (
    CALL,
    DETECTOR,
    SCRAPED,
    VARIANT,
    WINDOW,
    per_second,
    query,
    scored,
    share,
)
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

JUDGED_DOCUMENTS: Final = "ragauge_window_judged_documents_ratio"


def trust() -> model.Dashboard:
    """Return the dashboard that says what the quality numbers rest on."""
    return new_dashboard(
        "ragauge-trust",
        "ragauge / Trust",
        "What the numbers rest on: judgments and their age, coverage, losses, forbidden documents, clicks.",
        [
            dashboard.Row("Judgments"),
            *_numbers(),
            *_judgments(),
            dashboard.Row("What the retriever returns"),
            *_documents(),
            dashboard.Row("Losses"),
            *_losses(),
            dashboard.Row("Clicks"),
            *_clicks(),
        ],
    )


def _numbers() -> list[Content]:
    age = f"time() - max (ragauge_judgments_updated_timestamp_seconds{{{SCRAPED}}})"
    day, month = 86_400.0, 30 * 86_400.0
    forbidden = f"sum (increase(ragauge_forbidden_documents_total{{{VARIANT}}}[$__range]))"
    held = f'count (ragauge_detector_state{{{DETECTOR}, state="held"}} == 1) or vector(0)'
    return [
        number(
            "Judged queries",
            "Queries that are judged.",
            "short",
            query(f"max (ragauge_judged_queries{{{SCRAPED}}})", "queries"),
            width=6,
        ),
        number(
            "Newest judgment",
            "Age of the newest judgment: quality is measured against what was true then.",
            "s",
            query(age, "age"),
            width=6,
            steps=((None, "green"), (7 * day, "yellow"), (month, "red")),
        ),
        number(
            "Forbidden documents",
            "Forbidden documents that were served in the time range. One is too many.",
            "short",
            query(forbidden, "forbidden"),
            width=6,
            steps=((None, "green"), (0.5, "red")),
        ).decimals(0),
        number(
            "Detectors held",
            "Detectors that hold their alarm because evidence is missing: their silence proves nothing.",
            "short",
            query(held, "held"),
            width=6,
            steps=((None, "green"), (1, "yellow")),
        ),
    ]


def _judgments() -> list[Content]:
    judged = share("ragauge_window_judged_ratio", "ragauge_window_retrievals", "category", "retriever")
    documents = (
        f'sum by (category, retriever) ({JUDGED_DOCUMENTS}{{{WINDOW}, k="10"}}'
        f" * ignoring (k) group_left () {scored()}) / sum by (category, retriever) {scored()}"
    )
    unscored = per_second("ragauge_unscored_retrievals_total", CALL, "reason")
    return [
        lines(
            "Judged share of queries",
            "Share of the window's retrievals whose query is judged.",
            SHARE,
            query(judged, "{{category}} {{retriever}}"),
        ).min(0),
        lines(
            "Judged documents among the first 10",
            "When it falls to nothing, ids have changed or documents are gone.",
            SHARE,
            query(documents, "{{category}} {{retriever}}"),
        ).min(0),
        lines(
            "Not scored",
            "Retrievals a second that no mean contains, by reason.",
            "reqps",
            query(unscored, "{{reason}}"),
        ).min(0),
    ]


def _documents() -> list[Content]:
    where = VARIANT
    abstained = share(
        "ragauge_window_abstained_ratio", "ragauge_window_no_answer_retrievals", "retriever", "category"
    )
    return [
        lines(
            "Forbidden documents over time",
            "Documents a second that judgments forbid.",
            "cps",
            query(per_second("ragauge_forbidden_documents_total", where, "category"), "{{category}}"),
        ).min(0),
        lines(
            "Duplicate documents",
            "Documents a second that stood twice in one ranked list.",
            "cps",
            query(
                per_second("ragauge_duplicate_documents_total", where, "retriever", "category"),
                "{{category}} {{retriever}}",
            ),
        ).min(0),
        lines(
            "Abstention",
            "Share of questions without an answer on which the retriever returned nothing.",
            SHARE,
            query(abstained, "{{category}} {{retriever}}"),
        ).min(0),
    ]


def _losses() -> list[Content]:
    return [
        lines(
            "Late events",
            "Events a second that came after their horizon and changed no score.",
            "cps",
            query(per_second("ragauge_late_events_total", SCRAPED, "kind"), "{{kind}}"),
        ).min(0),
        lines(
            "Dropped events",
            "Events a second that were lost or refused, by reason.",
            "cps",
            query(per_second("ragauge_events_dropped_total", SCRAPED, "reason"), "{{reason}}"),
        ).min(0),
        lines(
            "Malformed, twice, clocks off",
            "Unreadable events, batches that came twice, producers' clocks that were corrected, a second.",
            "cps",
            query(per_second("ragauge_malformed_events_total", SCRAPED), "malformed events"),
            query(per_second("ragauge_duplicate_batches_total", SCRAPED), "batches that came twice"),
            query(per_second("ragauge_clock_corrections_total", SCRAPED), "clocks corrected"),
        ).min(0),
    ]


def _clicks() -> list[Content]:
    disagreement = f"max by (category, retriever) (ragauge_click_model_disagreement{{{CALL}}})"
    signals = per_second("ragauge_signals_total", CALL, "kind")
    retrievals = per_second("ragauge_retrievals_total", f'{VARIANT}, outcome="ok"', "category")
    clicks = per_second("ragauge_signals_total", f'{CALL}, kind="click"', "category")
    return [
        lines(
            "Click models disagree by",
            "Difference of IPS-DCG and SDBN-DCG. When it grows, trust neither level.",
            "none",
            query(disagreement, "{{category}} {{retriever}}"),
        ).decimals(3),
        lines("Signals", "Signals a second that met their retrieval.", "cps", query(signals, "{{kind}}")).min(
            0
        ),
        lines(
            "Clicks for a retrieval",
            "Clicks by retrievals. A fall to 0 everywhere is a broken front end, not a drop.",
            "none",
            query(f"{clicks} / ({retrievals} > 0)", "{{category}}"),
        ).min(0),
    ]
