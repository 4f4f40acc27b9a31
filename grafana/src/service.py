"""Service: does ragauge itself run well?"""

from grafana.src.frame import Content, new_dashboard
from grafana.src.panels import SHARE, lines, number
from grafana.src.queries import SCRAPED, VARIANT, per_second, quantile, query
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import dashboard as model

CALLS = f'{SCRAPED}, retriever=~"$retriever", variant=~"$variant"'


def service() -> model.Dashboard:
    """Return the dashboard of the service."""
    return new_dashboard(
        "ragauge-service",
        "ragauge / Service",
        "The service itself: throughput, lag, commits, leases, drops, memory; the retrievers' latency.",
        [
            dashboard.Row("Now"),
            *_numbers(),
            dashboard.Row("Retrievers"),
            *_retrievers(),
            dashboard.Row("Shards"),
            *_shards(),
            dashboard.Row("Store and memory"),
            *_store(),
            dashboard.Row("Exporter"),
            *_exporter(),
        ],
    )


def _numbers() -> list[Content]:
    warning = ((None, "green"), (1, "red"))
    unheld = f"max (ragauge_shards{{{SCRAPED}}}) - (sum (ragauge_shard_lease_held{{{SCRAPED}}}) or vector(0))"
    age = f"time() - max (ragauge_snapshot_timestamp_seconds{{{SCRAPED}}})"
    return [
        number(
            "Events",
            "Events read from the streams a second.",
            "cps",
            query(per_second("ragauge_events_total", SCRAPED), "events"),
        ).decimals(1),
        number(
            "Lag",
            "Age of the oldest entry that is not committed, of the shard that is furthest behind.",
            "s",
            query(f"max (ragauge_shard_lag_seconds{{{SCRAPED}}})", "lag"),
            steps=((None, "green"), (60, "red")),
        ),
        number(
            "Shards without a worker",
            "Shards whose lease nobody holds: what they hold is not counted.",
            "short",
            query(unheld, "shards"),
            steps=warning,
        ),
        number(
            "Age of the windows",
            "How old the exported windows and detectors are.",
            "s",
            query(age, "age"),
            steps=((None, "green"), (120, "red")),
        ),
        number(
            "Dead letters",
            "Stream entries that were set aside and not yet replayed.",
            "short",
            query(f"max (ragauge_dead_letter_entries{{{SCRAPED}}})", "entries"),
            steps=warning,
        ),
        number(
            "Workers",
            "Worker processes that run in all instances.",
            "short",
            query(f"sum (ragauge_workers{{{SCRAPED}}})", "workers"),
        ),
    ]


def _retrievers() -> list[Content]:
    calls = per_second("ragauge_retrievals_total", VARIANT, "retriever")
    failed = per_second("ragauge_retrievals_total", f'{VARIANT}, outcome=~"error|timeout"', "retriever")
    latency = "ragauge_retrieval_duration_seconds"
    return [
        lines(
            "Calls by outcome",
            "Retriever calls a second by how they ended.",
            "reqps",
            query(per_second("ragauge_retrievals_total", VARIANT, "outcome"), "{{outcome}}"),
        ).min(0),
        lines(
            "Errors",
            "Share of calls that end in an error or a timeout.",
            SHARE,
            query(f"{failed} / ({calls} > 0)", "{{retriever}}"),
        ).min(0),
        lines(
            "Latency",
            "Half of the calls, and 95 % of them, are at least as fast.",
            "s",
            query(quantile(0.5, latency, CALLS, "retriever"), "{{retriever}} p50"),
            query(quantile(0.95, latency, CALLS, "retriever"), "{{retriever}} p95"),
        ).min(0),
    ]


def _shards() -> list[Content]:
    lag = f"max by (shard) (ragauge_shard_lag_seconds{{{SCRAPED}}})"
    commit = "ragauge_commit_duration_seconds"
    return [
        lines(
            "Lag by shard",
            "Age of the oldest entry that is not committed.",
            "s",
            query(lag, "{{shard}}"),
        ).min(0),
        lines(
            "Commits",
            "Commits a second; fenced ones were refused because another worker holds the lease.",
            "cps",
            query(per_second("ragauge_commits_total", SCRAPED), "commits"),
            query(per_second("ragauge_fenced_commits_total", SCRAPED), "fenced"),
        ).min(0),
        lines(
            "Duration of a commit",
            "How long the commit's script takes, round trip included.",
            "s",
            query(quantile(0.5, commit, SCRAPED), "p50"),
            query(quantile(0.99, commit, SCRAPED), "p99"),
        ).min(0),
        lines(
            "Leases by instance",
            "Shards whose lease each instance holds: a step is a takeover.",
            "short",
            query(f"sum by (instance) (ragauge_shard_lease_held{{{SCRAPED}}})", "{{instance}}"),
        ).min(0),
        lines(
            "Events by kind",
            "Events read from the streams a second.",
            "cps",
            query(per_second("ragauge_events_total", SCRAPED, "kind"), "{{kind}}"),
        ).min(0),
        lines(
            "SDK drops and gaps",
            "Events lost or refused by reason; batches that producers had to send again.",
            "cps",
            query(per_second("ragauge_events_dropped_total", SCRAPED, "reason"), "{{reason}}"),
            query(per_second("ragauge_sequence_gaps_total", SCRAPED), "gaps in a sequence"),
        ).min(0),
    ]


def _store() -> list[Content]:
    return [
        lines(
            "Kept entries",
            "Stream entries that are kept for joining and rescoring.",
            "short",
            query(f"sum (ragauge_stream_entries{{{SCRAPED}}})", "entries"),
            query(f"sum (ragauge_open_retrievals{{{SCRAPED}}})", "open retrievals"),
        ).min(0),
        lines(
            "Memory",
            "Resident memory of each instance's serving process, memory of the store and its streams.",
            "bytes",
            query(f"process_resident_memory_bytes{{{SCRAPED}}}", "{{instance}}"),
            query(f"max (ragauge_store_memory_bytes{{{SCRAPED}}})", "store"),
            query(f"sum (ragauge_stream_bytes{{{SCRAPED}}})", "streams"),
        ).min(0),
        lines(
            "Processor",
            "Processor time of each instance's serving process.",
            SHARE,
            query(f"rate(process_cpu_seconds_total{{{SCRAPED}}}[$__rate_interval])", "{{instance}}"),
        ).min(0),
    ]


def _exporter() -> list[Content]:
    errors = per_second("ragauge_exporter_collector_errors_total", SCRAPED, "collector")
    return [
        lines(
            "Duration of a scrape",
            "How long rendering and compressing /metrics takes.",
            "s",
            query(
                f"max by (instance) (ragauge_exporter_scrape_duration_seconds{{{SCRAPED}}})", "{{instance}}"
            ),
        ).min(0),
        lines(
            "Series",
            "Series in a scrape, by instance.",
            "short",
            query(f"max by (instance) (ragauge_exporter_series{{{SCRAPED}}})", "{{instance}}"),
        ).min(0),
        lines(
            "Errors and overflow",
            "Collectors that failed, and sets of labels that the limit of series left out, a second.",
            "cps",
            query(errors, "{{collector}}"),
            query(per_second("ragauge_exporter_overflow_total", SCRAPED), "left out"),
        ).min(0),
    ]
