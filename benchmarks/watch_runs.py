"""The whole watch over simulated weeks: learned baselines by hour of the day, and recoveries."""

import math
from dataclasses import dataclass, field

import numpy as np
from detector_runs import BASE, LOG_A, Floats

from harness.streams import RAW, tilted
from ragauge_service.core.baseline import HOUR_MS
from ragauge_service.core.series import Series
from ragauge_service.core.watch import Watch
from ragauge_service.core.watch_state import WatchSettings

START = 472_000 * HOUR_MS
DAYS = 28


class FixedWatch(Watch):
    """A watch whose A is 1e6, whatever the traffic."""

    def log_threshold(self) -> float:
        """Return log 1e6."""
        return LOG_A


class CountingWatch(FixedWatch):
    """One that counts each alarm and starts afresh after it."""

    alarms: dict[str, int]

    def _latch(self) -> None:
        super()._latch()
        rows, measures = np.nonzero(self.state.alarms.standing)
        for row, measure in zip(rows.tolist(), measures.tolist(), strict=True):
            kind = "category" if self.state.roster.keys[row].category else "parent"
            day = "" if (self.state.at or 0) >= START + 24 * HOUR_MS else " first day"
            name = f"{kind} {self.settings.measures[measure]}{day}"
            self.alarms[name] = self.alarms.get(name, 0) + 1
            self.state.alarms.clear(row, measure)
            self.state.detectors.reset(np.array([row]), np.array([measure]))
            self.state.release(np.array([row]))


@dataclass(slots=True)
class Days:
    """Categories whose mean swings by the hour of the day, each at its own time, sampled on a grid."""

    categories: int
    swing: float
    grid: Floats = field(init=False)

    def __post_init__(self) -> None:
        means = np.linspace(0.6 * (1 - self.swing), 0.6 * (1 + self.swing), 201)
        self.grid = np.stack([tilted(float(mean), RAW) for mean in means])

    def shares(self, hour: float) -> Floats:
        """Return each category's shares at this time, categories x outcomes."""
        phases = np.arange(self.categories) / self.categories
        place = 100 + 100 * np.sin(2 * np.pi * (hour / 24 + phases))
        return self.grid[np.rint(place).astype(np.int64)]


def daily(
    rng: np.random.Generator, days: Days, *, per_hour: int, observations: float, minutes: float, warm: bool
) -> tuple[dict[str, int], float]:
    """Return false alarms by kind and the observations made, flushed every ``minutes``.

    ``warm``: with a reference of 28 days; else everything is learned on the way.
    """
    watch = CountingWatch(WatchSettings())
    watch.alarms = {}
    series = [Series(f"c{at:03}", "bm25", "", "judgments") for at in range(days.categories)]
    if warm:
        _warm(rng, watch, series, days, per_hour)
    flushes = math.ceil(observations / (days.categories * per_hour) * 60 / minutes)
    each = round(per_hour * minutes / 60)
    for flush in range(flushes):
        hour = flush * minutes / 60
        counts = rng.multinomial(each, days.shares(hour))
        watch.observe(dict(zip(series, counts.tolist(), strict=True)), START + int(hour * HOUR_MS))
    return watch.alarms, float(flushes * each * days.categories)


def _warm(rng: np.random.Generator, watch: Watch, series: list[Series], days: Days, per_hour: int) -> None:
    rows = np.array([watch.state.roster.row(one) for one in series])
    watch.state.grow()
    for hour in range(-DAYS * 24 + 1, 0):
        parts = [rng.multinomial(per_hour // 10, days.shares(hour + part / 10)) for part in range(10)]
        watch.state.reference.add(rows, np.sum(parts, axis=0), START // HOUR_MS + hour)


def recoveries(rng: np.random.Generator, runs: int, drop: float, batch: int = 10) -> tuple[Floats, int]:
    """Return how many observations after the end of a drop its alarm clears, and how many never alarmed.

    The drop lasts 2,000 observations; the baseline is known.
    """
    series = [Series(f"c{at:03}", "bm25", "", "judgments") for at in range(runs)]
    pinned = {(one.category, "MRR@10"): 0.6 for one in series} | {
        (one.category, "hit@10"): 0.01 for one in series
    }
    watch = FixedWatch(WatchSettings(objectives=pinned))
    cleared = np.full(runs, np.nan)
    low = tilted(0.6 * (1 - drop))
    steps = 2_000 // batch
    alarmed = np.zeros(runs, np.bool_)
    for step in range(-100, steps + 300):
        shares = low if 0 <= step < steps else BASE
        counts = rng.multinomial(batch, shares, size=runs)
        watch.observe(dict(zip(series, counts.tolist(), strict=True)), START + 1_000 * (step + 100))
        rows = [watch.state.roster.row(one) for one in series]
        standing = watch.state.alarms.standing[rows, 0]
        if step == steps - 1:
            alarmed = standing.copy()
        if step >= steps:
            new = alarmed & ~standing & np.isnan(cleared)
            cleared[new] = (step - steps + 1) * batch
    return cleared[alarmed], int((~alarmed).sum())
