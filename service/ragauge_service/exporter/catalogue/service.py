"""The service about itself: shards, leases, commits, the store, judgments, the exporter."""

from typing import Final

from ragauge_service.core.counting import BUCKETS
from ragauge_service.exporter.catalogue.metric import Kind, Metric
from ragauge_service.exporter.catalogue.traffic import EVENT_KINDS

SHARD: Final = ("shard",)
COLLECTORS: Final = ("windows", "drops", "increments", "gauges", "process", "service", "census")
SUM: Final = "sum without (instance, pod)"


def _of_shard(name: str, kind: Kind, words: str, query: str) -> Metric:
    return Metric(name=name, kind=kind, labels=SHARD, help=words, query=query, series="shards (16)")


def _alone(name: str, kind: Kind, words: str, query: str) -> Metric:
    return Metric(name=name, kind=kind, help=words, query=query, series="1")


SHARDS: Final = (
    _alone("ragauge_shards", "gauge", "Shards of the namespace.", "max(ragauge_shards)"),
    _of_shard(
        "ragauge_shard_lag_seconds",
        "gauge",
        "Age of the newest committed entry; an idle shard gets a tick each second, so this is its lag.",
        "max without (instance, pod) (ragauge_shard_lag_seconds)",
    ),
    _of_shard(
        "ragauge_shard_lease_held",
        "gauge",
        "1 while a worker of this instance holds the shard's lease.",
        "sum by (shard) (ragauge_shard_lease_held)",
    ),
    _of_shard(
        "ragauge_shard_lease_epoch",
        "gauge",
        "How often the shard's lease has changed hands.",
        "changes(ragauge_shard_lease_epoch[1h])",
    ),
    _of_shard(
        "ragauge_stream_entries",
        "gauge",
        "Stream entries that are kept for joining and rescoring.",
        "sum(ragauge_stream_entries)",
    ),
    _of_shard(
        "ragauge_stream_bytes",
        "gauge",
        "Memory of the store that the shard's stream takes, estimated.",
        "sum(ragauge_stream_bytes)",
    ),
    _of_shard(
        "ragauge_open_retrievals",
        "gauge",
        "Retrievals in memory that signals or judgments may still change.",
        "sum(ragauge_open_retrievals)",
    ),
    _of_shard(
        "ragauge_commits_total", "counter", "Commits by shard.", f"{SUM} (rate(ragauge_commits_total[5m]))"
    ),
    _of_shard(
        "ragauge_fenced_commits_total",
        "counter",
        "Commits that the store refused because another worker holds the lease.",
        f"{SUM} (increase(ragauge_fenced_commits_total[1h]))",
    ),
)

STREAM: Final = (
    Metric(
        name="ragauge_events_total",
        kind="counter",
        labels=("kind",),
        values={"kind": EVENT_KINDS},
        help="Events read from the streams.",
        query="sum by (kind) (rate(ragauge_events_total[5m]))",
        series="3",
    ),
    Metric(
        name="ragauge_commit_duration_seconds",
        kind="histogram",
        bounds=BUCKETS["ragauge_commit_duration_seconds"],
        help="How long a commit's script took, round trip included.",
        query="histogram_quantile(0.99, sum by (le) (rate(ragauge_commit_duration_seconds_bucket[5m])))",
        series="14",
    ),
    _alone(
        "ragauge_duplicate_batches_total",
        "counter",
        "Batches that came twice and were counted once.",
        f"{SUM} (rate(ragauge_duplicate_batches_total[5m]))",
    ),
    _alone(
        "ragauge_sequence_gaps_total",
        "counter",
        "Batches refused because the one before them was missing; their producer sent them again.",
        f"{SUM} (rate(ragauge_sequence_gaps_total[5m]))",
    ),
    _alone(
        "ragauge_clock_corrections_total",
        "counter",
        "Batches whose producer's clock was more than 2 s off, and was corrected.",
        f"{SUM} (rate(ragauge_clock_corrections_total[5m]))",
    ),
    _alone(
        "ragauge_dead_letters_total",
        "counter",
        "Stream entries that were set aside because they could not be read.",
        f"{SUM} (increase(ragauge_dead_letters_total[1h]))",
    ),
    _alone(
        "ragauge_dead_letter_entries",
        "gauge",
        "Stream entries set aside and not yet replayed or removed.",
        "max(ragauge_dead_letter_entries)",
    ),
)

STORE: Final = (
    _alone("ragauge_store_up", "gauge", "1 while the store answers.", "min(ragauge_store_up)"),
    _alone(
        "ragauge_store_memory_bytes",
        "gauge",
        "Memory that the store uses.",
        "max(ragauge_store_memory_bytes)",
    ),
    _alone(
        "ragauge_store_memory_limit_bytes",
        "gauge",
        "Memory that the store may use; absent without a limit.",
        "ragauge_store_memory_bytes / ragauge_store_memory_limit_bytes",
    ),
    _alone("ragauge_workers", "gauge", "Worker processes that run in this instance.", "sum(ragauge_workers)"),
    _alone(
        "ragauge_monitor_lease_held",
        "gauge",
        "1 in the instance that merges shards and exports windows and detectors.",
        "sum(ragauge_monitor_lease_held)",
    ),
    _alone(
        "ragauge_snapshot_timestamp_seconds",
        "gauge",
        "Unix time of the exported windows and detectors; absent while none are exported.",
        "time() - max(ragauge_snapshot_timestamp_seconds)",
    ),
)

JUDGMENTS: Final = (
    _alone("ragauge_judged_queries", "gauge", "Queries that are judged.", "max(ragauge_judged_queries)"),
    _alone(
        "ragauge_judgments_updated_timestamp_seconds",
        "gauge",
        "Unix time of the newest judgment.",
        "time() - max(ragauge_judgments_updated_timestamp_seconds)",
    ),
    Metric(
        name="ragauge_click_model_disagreement",
        kind="gauge",
        labels=("category", "retriever"),
        help="Logarithm of IPS-DCG over SDBN-DCG, two click estimators, over the last day: 0 if they agree.",
        query="topk(5, ragauge_click_model_disagreement)",
        series="categories x retrievers",
    ),
    _alone(
        "ragauge_deploy_timestamp_seconds",
        "gauge",
        "Unix time of the newest deploy that was marked; absent before the first.",
        "time() - max(ragauge_deploy_timestamp_seconds)",
    ),
)

EXPORTER: Final = (
    Metric(
        name="ragauge_build_info",
        kind="gauge",
        labels=("version", "python"),
        help="1, with the release and the Python that run.",
        query="count by (version) (ragauge_build_info)",
        series="1",
    ),
    _alone(
        "ragauge_exporter_scrape_duration_seconds",
        "gauge",
        "How long the scrape before this one took to render and compress.",
        "max(ragauge_exporter_scrape_duration_seconds)",
    ),
    _alone(
        "ragauge_exporter_series",
        "gauge",
        "Series in the scrape before this one.",
        "max(ragauge_exporter_series)",
    ),
    Metric(
        name="ragauge_exporter_collector_errors_total",
        kind="counter",
        labels=("collector",),
        values={"collector": COLLECTORS},
        help="Collectors that failed during a scrape, and values that were not finite; the rest was served.",
        query="sum by (collector) (increase(ragauge_exporter_collector_errors_total[1h]))",
        series="7",
    ),
    _alone(
        "ragauge_exporter_overflow_total",
        "counter",
        "Times that a set of labels was left out because the limit of series was reached.",
        f"{SUM} (increase(ragauge_exporter_overflow_total[1h]))",
    ),
    _alone(
        "process_resident_memory_bytes",
        "gauge",
        "Resident memory of the process that serves this.",
        "max(process_resident_memory_bytes)",
    ),
    _alone(
        "process_cpu_seconds_total",
        "counter",
        "Processor time of the process that serves this.",
        "rate(process_cpu_seconds_total[5m])",
    ),
    _alone(
        "process_start_time_seconds",
        "gauge",
        "Unix time at which the process that serves this began.",
        "time() - process_start_time_seconds",
    ),
    _alone(
        "process_open_fds",
        "gauge",
        "Open files and sockets of the process that serves this.",
        "process_open_fds / process_max_fds",
    ),
    _alone(
        "process_max_fds",
        "gauge",
        "Open files and sockets that it may have.",
        "process_max_fds - process_open_fds",
    ),
)

SERVICE: Final = (*SHARDS, *STREAM, *STORE, *JUDGMENTS, *EXPORTER)
