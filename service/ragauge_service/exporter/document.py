"""``docs/metrics.md`` as the catalogue says it; run as a module to print it."""

import sys
from typing import Final

from ragauge_service.exporter.catalogue import Metric
from ragauge_service.exporter.catalogue.drops import DROPS
from ragauge_service.exporter.catalogue.service import EXPORTER, JUDGMENTS, SHARDS, STORE, STREAM
from ragauge_service.exporter.catalogue.traffic import TRAFFIC
from ragauge_service.exporter.catalogue.windows import WINDOWS

HEAD: Final = """# Metrics

What `GET /metrics` answers, as Prometheus text or OpenMetrics (with exemplars), with gzip when asked for.
This page is written from the exporter's catalogue (`python -m ragauge_service.exporter.document`); a test
compares the two.

- **Counters and histograms** begin at 0 with the process that serves them and are never restored: a
  takeover is not traffic. A `kill -9` may lose the increments since the last scrape. The windows are exact:
  they come from the store.
- **Window gauges and detectors** come from the one instance that holds the monitor's lease. Past the lease
  it exports none of them; use `max` or `sum without (instance, pod)`, never a fixed instance.
- **Absent, never 0 or NaN**: no denominator, no value. What vanished (a category out of its window) is
  absent at once.
- **Means of several series**: weigh by `ragauge_window_scored_retrievals`, or use the recorded
  `category_retriever_evidence:ragauge_window_mrr:mean` and its kin. Never average averages, never mix
  `evidence`.
- **Known labels exist at 0** from the start, or from the first sight of a category, retriever and variant,
  so that `increase()` sees the first event.
- **Exemplars**: `ragauge_reciprocal_rank_bucket` and `ragauge_ndcg_bucket` carry the newest `trace_id` of
  each bucket; the bucket `le="0.0"` leads to traces of misses. They need
  `--enable-feature=exemplar-storage`.
- **How many**: by default MRR@10, hit@5, nDCG@10 and judged@10, bounds on 1h and 24h: about 50 series for
  each internal one. Beyond the limit of samples (100,000) the quietest series are left out and
  `ragauge_exporter_overflow_total` grows.
- Labels: `category`, `retriever` and `variant` are admitted up to 200, 50 and 50, then `__other__`;
  `evidence` is `judgments`, `clicks` or `probe`; `k` and `window` as configured. In `ragauge_drop_*` an
  empty `category` or `retriever` is all of them together.

"internal series" below are the combinations of category, retriever, variant and evidence that exist.
"""

GROUPS: Final = (
    ("Traffic", TRAFFIC),
    ("Windows", WINDOWS),
    ("Drops", DROPS),
    ("Shards", SHARDS),
    ("Streams", STREAM),
    ("Store and instances", STORE),
    ("Judgments, clicks, deploys", JUDGMENTS),
    ("Exporter and process", EXPORTER),
)


def document() -> str:
    """Return the page.

    >>> from ragauge_service.exporter import CATALOGUE
    >>> sum(document().count(f"### `{name}`") for name in CATALOGUE) == len(CATALOGUE)
    True
    """
    parts = [HEAD]
    for title, metrics in GROUPS:
        parts += [f"## {title}\n", *map(_entry, metrics)]
    return "\n".join(parts)


def _entry(metric: Metric) -> str:
    labels = ", ".join(_label(metric, label) for label in metric.labels) or "none"
    bounds = ", ".join(f"{bound:g}" for bound in metric.bounds)
    buckets = f" with bounds {bounds}" if bounds else ""
    return (
        f"### `{metric.name}`\n\n{metric.help}\n\n- {metric.kind.capitalize()}{buckets}; labels: {labels}\n"
        f"- Series: {metric.series}\n\n```promql\n{metric.query}\n```\n"
    )


def _label(metric: Metric, label: str) -> str:
    values = " | ".join(metric.values.get(label, ()))
    return f"`{label}` ({values})" if values else f"`{label}`"


if __name__ == "__main__":
    sys.stdout.write(document())
