"""A small world whose truth is known: categories, variants, clicks, one of which gets worse when told."""

import itertools
import random
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from ragauge.events import Evidence
from ragauge_service.core.counting import Counting, Row
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus, SeriesWindow, Snapshot
from ragauge_service.core.tally import UNIT, Layout, Tally
from ragauge_service.exporter import Exporter

LAYOUT: Final = Layout()
CATEGORIES: Final = ("howto", "billing", "errors")
VARIANTS: Final = ("v1", "v2")
HEALTHY: Final = (0.55, 0.15, 0.08, 0.05, 0.03)
BROKEN: Final = (0.15, 0.10, 0.08, 0.05, 0.03)
WINDOWS: Final = {"1h": 60, "24h": 600, "7d": 6000}
EVIDENCE: Final[tuple[Evidence, ...]] = ("judgments", "clicks")
SHARDS: Final = ("0", "1")


@dataclass
class World:
    """Retrievals by tick; ``broken`` is the category that is worse, ``quiet`` a world without any traffic."""

    exporter: Exporter = field(default_factory=Exporter)
    broken: str | None = None
    quiet: bool = False
    now: float = 1_700_000_000.0
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    ticks: deque[dict[Series, list[int]]] = field(default_factory=lambda: deque(maxlen=6000))

    def tick(self, *, seconds: float = 1.0) -> None:
        """Let some retrievals happen, and publish what a monitor would."""
        self.now += seconds
        counting = Counting()
        cells: dict[Series, list[int]] = {}
        if not self.quiet:
            for category, variant in itertools.product(CATEGORIES, VARIANTS):
                self._retrieve(counting, cells, category, variant)
        self.ticks.append(cells)
        self.exporter.counters.add([*counting.take(), *self._service_rows()])
        self.exporter.publish(self.snapshot())
        self._gauges()

    def snapshot(self) -> Snapshot:
        """Return the windows over the last ticks, and a detector for each category."""
        windows: list[SeriesWindow] = []
        for name, length in WINDOWS.items():
            parts: dict[Series, list[list[int]]] = {}
            for cells in itertools.islice(reversed(self.ticks), length):
                for series, one in cells.items():
                    parts.setdefault(series, []).append(one)
            windows += [SeriesWindow(s, name, Tally.merged(LAYOUT, rows)) for s, rows in parts.items()]
        drops = tuple(self._drops()) if any(self.ticks) else ()
        return Snapshot(at=int(self.now * 1000), layout=LAYOUT, windows=tuple(windows), drops=drops)

    def _retrieve(
        self, counting: Counting, cells: dict[Series, list[int]], category: str, variant: str
    ) -> None:
        shape = BROKEN if category == self.broken else HEALTHY
        counting.add("ragauge_retrievals_total", (category, "docs", variant, "ok"), 10)
        counting.add("ragauge_unscored_retrievals_total", (category, "docs", "unjudged"), 1)
        counting.add("ragauge_signals_total", (category, "docs", "click"), 4)
        counting.observe("ragauge_click_delay_seconds", (), 12.0, times=4)
        for evidence in EVIDENCE:
            names = (category, "docs", variant, evidence)
            found = Counter(self._rank(shape) for _ in range(9))
            cells[Series(category, "docs", variant, evidence)] = self._cells(found)
            counting.add("ragauge_scored_retrievals_total", names, 9)
            counting.add("ragauge_hits_total", (*names, "5"), sum(n for rank, n in found.items() if rank))
            for rank, n in found.items():
                self._observe(counting, names, rank, n)
        for _ in range(10):
            took = self.rng.lognormvariate(-3.5, 0.5)
            counting.observe("ragauge_retrieval_duration_seconds", ("docs", variant), took)

    def _observe(self, counting: Counting, names: tuple[str, ...], rank: int, n: int) -> None:
        trace = f"{self.rng.getrandbits(64):016x}"
        for _ in range(n):
            value = 1 / rank if rank else 0.0
            counting.observe("ragauge_reciprocal_rank", (*names, "10"), value, trace_id=trace, at=self.now)
            counting.observe("ragauge_ndcg", (*names, "10"), value, trace_id=trace, at=self.now)

    def _rank(self, shape: tuple[float, ...]) -> int:
        return self.rng.choices([*range(1, len(shape) + 1), 0], weights=[*shape, 1 - sum(shape)])[0]

    def _cells(self, found: Counter[int]) -> list[int]:
        cells = LAYOUT.zeros()
        for rank, n in found.items():
            cells[rank - 1 if rank else LAYOUT.depth] += n
            for measure in ("nDCG", "judged"):
                at = LAYOUT.cell(f"{measure}@10")
                value = n * (UNIT // rank if rank else 0)
                cells[at] += value
                cells[at + 1] += value
        cells[LAYOUT.cell("retrievals")] = 11
        cells[LAYOUT.cell("unjudged")] = 1
        cells[LAYOUT.cell("nonempty")] = 9
        cells[LAYOUT.cell("no_answer")], cells[LAYOUT.cell("abstained")] = 1, int(self.rng.random() < 0.8)
        return cells

    def _drops(self) -> list[DropStatus]:
        found: list[DropStatus] = []
        for category, measure in itertools.product((*CATEGORIES, None), ("MRR@10", "hit@10")):
            bad = category is not None and category == self.broken
            found.append(
                DropStatus(
                    category=category,
                    retriever="docs",
                    evidence="judgments",
                    measure=measure,
                    state="alarm" if bad else "ok",
                    baseline=0.66 if measure == "MRR@10" else 0.85,
                    log_e=18.0 if bad else 1.0 + self.rng.random(),
                    threshold=14.5,
                    onset=int(self.now - 300) * 1000 if bad else None,
                    size=0.35 if bad else None,
                    size_lower=0.2 if bad else None,
                    size_upper=0.5 if bad else None,
                    observations_needed=900,
                )
            )
        return found

    def _service_rows(self) -> list[Row]:
        rows: list[Row] = [["ragauge_commits_total", [shard], 1] for shard in SHARDS]
        rows.append(["ragauge_events_total", ["retrieval"], 0 if self.quiet else 60])
        rows += [["ragauge_fenced_commits_total", [shard], 0] for shard in SHARDS]
        counting = Counting()
        counting.observe("ragauge_commit_duration_seconds", (), 0.004)
        return [*rows, *counting.take()]

    def _gauges(self) -> None:
        put = self.exporter.set_gauge
        for shard in SHARDS:
            put("ragauge_shard_lag_seconds", (shard,), 0.4)
            put("ragauge_shard_lease_held", (shard,), 1)
            put("ragauge_shard_lease_epoch", (shard,), 1)
            put("ragauge_stream_entries", (shard,), 1200)
            put("ragauge_stream_bytes", (shard,), 400_000)
            put("ragauge_open_retrievals", (shard,), 800)
        for name, value in (
            ("ragauge_shards", 2.0),
            ("ragauge_dead_letter_entries", 0.0),
            ("ragauge_store_up", 1.0),
            ("ragauge_store_memory_bytes", 40e6),
            ("ragauge_workers", 1.0),
            ("ragauge_monitor_lease_held", 1.0),
            ("ragauge_judged_queries", 120.0),
            ("ragauge_judgments_updated_timestamp_seconds", self.now - 3600),
        ):
            put(name, (), value)
        if not self.quiet:
            put("ragauge_deploy_timestamp_seconds", (), self.now - 200)
            for category in CATEGORIES:
                put("ragauge_click_model_disagreement", (category, "docs"), 0.02)
