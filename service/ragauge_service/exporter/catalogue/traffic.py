"""What is counted as it happens: retrievals, outcomes, scores, signals, losses."""

from typing import Final

from ragauge.events import OUTCOMES, SIGNAL_KINDS
from ragauge_service.core.counting import BUCKETS
from ragauge_service.exporter.catalogue.metric import Metric

CALL: Final = ("category", "retriever", "variant")
SERIES: Final = ("category", "retriever", "variant", "evidence")

UNSCORED_REASONS: Final = (
    "outcome",
    "page",
    "unjudged",
    "no_relevant",
    "parent",
    "overflow",
    "everything",
    "burst",
)
DROP_REASONS: Final = ("queue_full", "rejected", "unsent", "uncertain", "trimmed", "shutdown")
EVENT_KINDS: Final = ("retrieval", "signal", "judgments")

TRAFFIC: Final = (
    Metric(
        name="ragauge_retrievals_total",
        kind="counter",
        labels=(*CALL, "outcome"),
        values={"outcome": OUTCOMES},
        help="Retriever calls by how they ended.",
        query="sum by (category) (rate(ragauge_retrievals_total[5m]))",
        series="categories x retrievers x variants x 4",
    ),
    Metric(
        name="ragauge_scored_retrievals_total",
        kind="counter",
        labels=SERIES,
        help="Retrievals that were scored; the denominator of every mean over counters.",
        query="sum by (category, evidence) (rate(ragauge_scored_retrievals_total[5m]))",
        series="internal series",
    ),
    Metric(
        name="ragauge_unscored_retrievals_total",
        kind="counter",
        labels=("category", "retriever", "reason"),
        values={"reason": UNSCORED_REASONS},
        help="Retrievals that were not scored, by reason; they are in no mean.",
        query="sum by (reason) (rate(ragauge_unscored_retrievals_total[5m]))",
        series="categories x retrievers x 6",
    ),
    Metric(
        name="ragauge_hits_total",
        kind="counter",
        labels=(*SERIES, "k"),
        help="Scored retrievals with a relevant document within the first k.",
        query="sum by (category) (rate(ragauge_hits_total[5m]))"
        " / sum by (category) (rate(ragauge_scored_retrievals_total[5m]) > 0)",
        series="internal series",
    ),
    Metric(
        name="ragauge_reciprocal_rank",
        kind="histogram",
        labels=(*SERIES, "k"),
        bounds=BUCKETS["ragauge_reciprocal_rank"],
        help="Reciprocal rank of the first relevant document within k, 0 for a miss.",
        query="sum by (le) (rate(ragauge_reciprocal_rank_bucket[5m]))",
        series="internal series x 10",
    ),
    Metric(
        name="ragauge_ndcg",
        kind="histogram",
        labels=(*SERIES, "k"),
        bounds=BUCKETS["ragauge_ndcg"],
        help="nDCG at k.",
        query="sum by (category) (rate(ragauge_ndcg_sum[5m]))"
        " / sum by (category) (rate(ragauge_ndcg_count[5m]) > 0)",
        series="internal series x 8",
    ),
    Metric(
        name="ragauge_retrieval_duration_seconds",
        kind="histogram",
        labels=("retriever", "variant"),
        bounds=BUCKETS["ragauge_retrieval_duration_seconds"],
        help="How long retriever calls took, as the caller saw it.",
        query="histogram_quantile(0.95,"
        " sum by (le, retriever) (rate(ragauge_retrieval_duration_seconds_bucket[5m])))",
        series="retrievers x variants x 14",
    ),
    Metric(
        name="ragauge_forbidden_documents_total",
        kind="counter",
        labels=CALL,
        help="Documents within the first k that the query's judgments forbid.",
        query="sum by (category) (increase(ragauge_forbidden_documents_total[1h]))",
        series="categories x retrievers x variants",
    ),
    Metric(
        name="ragauge_duplicate_documents_total",
        kind="counter",
        labels=CALL,
        help="Documents that a ranked list held twice; the first place counted.",
        query="sum by (retriever) (rate(ragauge_duplicate_documents_total[5m]))",
        series="categories x retrievers x variants",
    ),
    Metric(
        name="ragauge_signals_total",
        kind="counter",
        labels=("category", "retriever", "kind"),
        values={"kind": SIGNAL_KINDS},
        help="Signals that met their retrieval, by kind.",
        query="sum by (kind) (rate(ragauge_signals_total[5m]))",
        series="categories x retrievers x 6",
    ),
    Metric(
        name="ragauge_click_delay_seconds",
        kind="histogram",
        bounds=BUCKETS["ragauge_click_delay_seconds"],
        help="How long after their retrieval clicks came to the store; none beyond the join horizon.",
        query="histogram_quantile(0.99,"
        " sum without (instance, pod) (rate(ragauge_click_delay_seconds_bucket[1h])))",
        series="15",
    ),
    Metric(
        name="ragauge_duplicate_retrievals_total",
        kind="counter",
        help="Retrievals that came twice under one id and were counted once.",
        query="sum without (instance, pod) (rate(ragauge_duplicate_retrievals_total[5m]))",
        series="1",
    ),
    Metric(
        name="ragauge_duplicate_signals_total",
        kind="counter",
        help="Signals that came twice for one retrieval, document and kind, and were counted once.",
        query="sum without (instance, pod) (rate(ragauge_duplicate_signals_total[5m]))",
        series="1",
    ),
    Metric(
        name="ragauge_unmatched_signals_total",
        kind="counter",
        help="Signals whose retrieval did not come within the join horizon.",
        query="sum without (instance, pod) (rate(ragauge_unmatched_signals_total[5m]))",
        series="1",
    ),
    Metric(
        name="ragauge_late_events_total",
        kind="counter",
        labels=("kind",),
        values={"kind": EVENT_KINDS},
        help="Events that came after their horizon and changed no score.",
        query="sum by (kind) (rate(ragauge_late_events_total[5m]))",
        series="3",
    ),
    Metric(
        name="ragauge_malformed_events_total",
        kind="counter",
        help="Events that could not be read; their entries are in the dead letters.",
        query="sum without (instance, pod) (rate(ragauge_malformed_events_total[5m]))",
        series="1",
    ),
    Metric(
        name="ragauge_events_dropped_total",
        kind="counter",
        labels=("reason",),
        values={"reason": DROP_REASONS},
        help="Events that were lost or refused, by reason, those that the SDKs report included.",
        query="sum by (reason) (rate(ragauge_events_dropped_total[5m]))",
        series="6",
    ),
)
