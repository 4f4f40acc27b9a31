"""Streams through the detector, one observation at a time: false alarms, delays and onsets."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from harness.streams import BASE, RECIPROCAL, Shares
from ragauge_service.core.bets import drop_growth
from ragauge_service.core.detection import SUMS, Detectors
from ragauge_service.core.dispersion import Dispersion

LOG_A: Final = float(np.log(1e6))
OUTCOMES: Final = len(RECIPROCAL)
BEFORE: Final = 500
"""How many normal observations precede a drop."""

Outcomes = NDArray[np.int64]
Floats = NDArray[np.float64]


def table_of(values: Floats, baseline: float) -> Floats:
    """Return how much each outcome lets each bet grow, OUTCOMES x J."""
    eye = np.eye(OUTCOMES, dtype=np.int64)
    return drop_growth(eye, values[None], np.full((OUTCOMES, 1), baseline))[:, 0]


def draw(rng: np.random.Generator, shares: Shares, size: int) -> Outcomes:
    return np.searchsorted(np.cumsum(shares), rng.random(size)).clip(max=OUTCOMES - 1)


@dataclass(slots=True)
class Run:
    """Detectors for many streams in step, each observation a batch of its own."""

    detectors: Detectors
    time: int = 0

    @classmethod
    def of(cls, streams: int) -> "Run":
        """Return as many streams, none of which has seen anything."""
        return cls(Detectors.fresh(streams, 1))

    def step(self, growth: Floats) -> NDArray[np.int64]:
        """Add one observation a stream; return the streams that stand in alarm."""
        rows = np.arange(len(growth))
        sums = np.zeros((len(growth), 1, SUMS))
        sums[..., 0] = 1.0
        self.detectors.update(rows, growth[:, None, :], sums, self.time)
        self.time += 1
        return np.flatnonzero(self.detectors.log_e()[:, 0] >= LOG_A)

    def onsets(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return when the drops of these streams began, as the leading CUSUM dates them."""
        return self.detectors.restart_at[rows, 0, self.detectors.leading()[rows, 0]]


def count_alarms(run: Run, growths: Iterator[Floats]) -> int:
    """Return how often any stream alarms; each starts afresh after an alarm."""
    alarms = 0
    for growth in growths:
        rows = run.step(growth)
        if len(rows):
            alarms += len(rows)
            run.detectors.reset(rows)
    return alarms


def iid(rng: np.random.Generator, streams: int, steps: int, values: Floats) -> int:
    """Return the false alarms on independent observations, the baseline known."""
    table = table_of(values, float(BASE @ values))
    growths = (table[draw(rng, BASE, streams)] for _ in range(steps))
    return count_alarms(Run.of(streams), growths)


def sticky(
    rng: np.random.Generator, streams: int, steps: int, values: Floats, repeats: float = 0.5
) -> tuple[int, float]:
    """Return the false alarms when half of all observations repeat the one before, and the mean phi.

    phi comes from 20,000 reference observations a stream, in blocks of 50; the baseline is known.
    """
    baseline = float(BASE @ values)
    variance = float(BASE @ values**2) - baseline**2
    last = draw(rng, BASE, streams)
    blocks, rows = Dispersion.fresh(streams, 1), np.arange(streams)

    def following() -> Outcomes:
        nonlocal last
        last = np.where(rng.random(streams) < repeats, last, draw(rng, BASE, streams))
        return last

    for _ in range(400):
        gap = sum(baseline - values[following()] for _ in range(50))
        blocks.add(rows, np.full(streams, 50.0), np.asarray(gap)[:, None], np.full((streams, 1), variance))
    blocks.settle(rows)
    phi = blocks.phi(rows)
    table = table_of(values, baseline)
    growths = (table[following()] / phi for _ in range(steps))
    return count_alarms(Run.of(streams), growths), float(phi.mean())


def mixed(rng: np.random.Generator, streams: int, steps: int, means: Floats, tilted: list[Shares]) -> int:
    """Return the false alarms of the global detector while traffic swings weekly between categories.

    Five categories with means from ``means``; the week is 100,000 observations, and a category's share
    swings between nothing and twice its usual one.
    """
    tables = np.stack([table_of(RECIPROCAL, float(mean)) for mean in means])
    cumulated = np.cumsum(np.stack(tilted), axis=1)
    phases = np.arange(len(means)) / len(means)

    def growths() -> Iterator[Floats]:
        for step in range(steps):
            weights = 1.0 + np.sin(2 * np.pi * (step / 100_000 + phases))
            category = np.searchsorted(np.cumsum(weights / weights.sum()), rng.random(streams))
            category = category.clip(max=len(means) - 1)
            outcome = (rng.random(streams)[:, None] > cumulated[category]).sum(axis=1).clip(max=OUTCOMES - 1)
            yield tables[category, outcome]

    return count_alarms(Run.of(streams), growths())


@dataclass(frozen=True, slots=True)
class Delays:
    """Of the runs that alarmed after the drop: the delays, and onsets relative to the drop."""

    delays: NDArray[np.int64]
    onsets: NDArray[np.int64]
    early: int
    never: int


def delays(rng: np.random.Generator, shares: Shares, values: Floats, runs: int, longest: int) -> Delays:
    """Return how many observations after a change to ``shares`` the alarm comes, in ``runs`` runs."""
    table, early = table_of(values, float(BASE @ values)), 0
    run, alive = Run.of(runs), np.arange(runs)
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for step in range(BEFORE + longest):
        outcomes = draw(rng, BASE if step < BEFORE else shares, len(alive))
        rows = run.step(table[outcomes])
        if not len(rows):
            continue
        if step < BEFORE:
            early += len(rows)
            run.detectors.reset(rows)
            continue
        found.append((np.full(len(rows), step - BEFORE + 1), run.onsets(rows) - BEFORE))
        alive = np.delete(alive, rows)
        keep_only_others(run.detectors, rows)
        if not len(alive):
            break
    seen = [np.concatenate(part) for part in zip(*found, strict=True)]
    return Delays(seen[0], seen[1], early, len(alive))


def keep_only_others(detectors: Detectors, rows: NDArray[np.int64]) -> None:
    for name in ("log_r", "cusum", "restart_at", "restart_sums", "sums"):
        setattr(detectors, name, np.delete(getattr(detectors, name), rows, axis=0))
