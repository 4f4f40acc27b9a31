"""Time a whole scrape of 10,000 series, beside ``generate_latest`` with the same content."""

import gzip
import statistics
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

from prometheus_client.exposition import generate_latest

from ragauge_service.core.counting import Counting
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus, SeriesWindow, Snapshot
from ragauge_service.core.tally import UNIT, Layout, Tally
from ragauge_service.exporter import Exporter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "exporter"))
from families import registry  # pyright: ignore[reportMissingImports]

LAYOUT = Layout()
CATEGORIES = [f"category-{number}" for number in range(50)]
VARIANTS = ("v1", "v2")
EVIDENCE = ("judgments", "clicks")
WINDOWS = ("1h", "24h", "7d")
LIMIT_MS = 15.0
ROUNDS = 60


def main() -> int:
    """Print the figures, and return 1 beyond the limit."""
    exporter, rng = Exporter(), Random(1)
    exporter.add_collector("process", list)
    internal = [Series(c, "docs", v, e) for c, v, e in product(CATEGORIES, VARIANTS, EVIDENCE)]
    _count(exporter, internal, rng)
    published = timed(lambda: exporter.publish(_snapshot(internal, rng)), 5)
    for series in range(3):
        exporter.set_gauge("ragauge_shard_lag_seconds", (str(series),), 0.1)
    exporter.render("", "gzip")
    held = {**exporter._published, **exporter._gauges}
    theirs_registry = registry(exporter.counters, held)
    wanted = generate_latest(theirs_registry)  # first: rendering sets the gauges of its own duration
    assert exporter.render("")[0] == wanted, "bytes differ"

    ours, theirs, fresh = [], [], []
    for _ in range(ROUNDS):
        exporter.publish(_snapshot(internal, rng))  # every value changes between scrapes, as in production
        _count(exporter, internal, rng)
        fresh.append(timed(lambda: exporter.render("text/plain", "gzip"), 1))
        ours.append(timed(lambda: exporter.render("text/plain", ""), 1))
        theirs.append(timed(lambda: generate_latest(theirs_registry), 1))
    packed = timed(lambda: gzip.compress(generate_latest(theirs_registry), 1), 10)
    body = exporter.render("")[0]
    count = sum(not line.startswith(b"#") for line in body.splitlines())
    median = statistics.median(fresh)
    print(f"internal series {len(internal)}, series in a scrape {count}, {len(body) / 1e6:.2f} MB")
    print(f"whole request, gzip level 1: median {median:.1f} ms, p95 {quantile(fresh):.1f} ms")
    print(f"  for 10,000 series: {median * 10_000 / count:.1f} ms (limit {LIMIT_MS:.0f} ms)")
    text, peer = statistics.median(ours), statistics.median(theirs)
    print(f"text alone: ours {text:.1f} ms, generate_latest {peer:.1f} ms")
    print(f"ratio: {peer / text:.1f} times as fast as generate_latest")
    print(f"generate_latest + gzip level 1: {packed:.1f} ms, ratio {packed / median:.1f}")
    print(f"publishing a snapshot (once a second, not in the request): {published:.1f} ms")
    return int(median * 10_000 / count > LIMIT_MS)


def timed(action: Callable[[], object], times: int) -> float:
    """Return the median milliseconds of an action."""
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


def quantile(values: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(values)[int(0.95 * len(values))]


def _count(exporter: Exporter, internal: list[Series], rng: Random) -> None:
    counting = Counting()
    for series in internal:
        names = (series.category, series.retriever, series.variant, series.evidence)
        counting.add("ragauge_scored_retrievals_total", names, rng.randrange(50))
        counting.add("ragauge_hits_total", (*names, "5"), rng.randrange(50))
        for metric in ("ragauge_reciprocal_rank", "ragauge_ndcg"):
            counting.observe(
                metric, (*names, "10"), rng.random(), trace_id=f"{rng.getrandbits(64):x}", at=1.5
            )
        counting.add("ragauge_retrievals_total", (*names[:3], "ok"), rng.randrange(50))
        counting.observe("ragauge_retrieval_duration_seconds", names[1:3], rng.random())
    exporter.counters.add(counting.take())


def _snapshot(internal: list[Series], rng: Random) -> Snapshot:
    windows = tuple(SeriesWindow(s, w, _tally(rng)) for s in internal for w in WINDOWS)
    drops = tuple(
        DropStatus(
            category=category,
            retriever="docs",
            evidence="judgments",
            measure=measure,
            state="ok",
            baseline=rng.random(),
            log_e=rng.random(),
            threshold=14.5,
            observations_needed=900,
        )
        for category in CATEGORIES
        for measure in ("MRR@10", "hit@10")
    )
    return Snapshot(at=1, layout=LAYOUT, windows=windows, drops=drops)


def _tally(rng: Random) -> Tally:
    cells = LAYOUT.zeros()
    for rank in range(LAYOUT.depth + 1):
        cells[rank] = rng.randrange(1000)
    scored = sum(cells)
    cells[LAYOUT.cell("retrievals")], cells[LAYOUT.cell("nonempty")] = scored + 7, scored
    for measure in ("nDCG@10", "judged@10"):
        at = LAYOUT.cell(measure)
        cells[at] = cells[at + 1] = int(scored * UNIT * rng.random())
    return Tally(LAYOUT, cells)


if __name__ == "__main__":
    sys.exit(main())
