"""What others do on the same streams: a threshold on a rolling mean, river, a CUSUM that knows the drop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from detector_runs import BASE, BEFORE, RECIPROCAL, Floats, Outcomes, Shares, draw
from river.drift import ADWIN, PageHinkley

FALL: Final = 0.9
"""The rule's threshold: a share of the baseline."""

HOLD_MINUTES: Final = 10
WINDOW_MINUTES: Final = 60


@dataclass(frozen=True, slots=True)
class Peer:
    """False alarms over observations seen, and per drop the median delay and the share never seen."""

    alarms: int
    observations: float
    delays: dict[float, tuple[float, float]]


def threshold_rule(
    rng: np.random.Generator, per_hour: int, drops: dict[float, Shares], *, rounds: int, hours: int
) -> Peer:
    """Return what ``mean over 1h < 0.9 x baseline for 10m`` does at a traffic, evaluated each minute."""
    starts, streams = 0, 40
    for _ in range(rounds):
        starts += _firings(_minute_sums(rng, per_hour, BASE, streams, hours * 60))[0]
    seen_calm = float(rounds * streams * hours * per_hour)
    delays: dict[float, tuple[float, float]] = {}
    longest = 24 * 60
    for drop, shares in drops.items():
        before = _minute_sums(rng, per_hour, BASE, 400, WINDOW_MINUTES)
        after = _minute_sums(rng, per_hour, shares, 400, longest)
        _, first = _firings(np.concatenate([before, after], axis=1))
        seen = first[first >= 0]
        median = float(np.median(np.where(first < 0, np.inf, first + 1))) * per_hour / 60
        delays[drop] = (median, 1 - len(seen) / len(first))
    return Peer(starts, seen_calm, delays)


def _minute_sums(
    rng: np.random.Generator, per_hour: int, shares: Shares, streams: int, minutes: int
) -> Floats:
    """Return n and the sum of reciprocal ranks of each minute, streams x minutes x 2."""
    n = rng.poisson(per_hour / 60, (streams, minutes))
    counts = rng.multinomial(n, shares)
    sums: Floats = counts.astype(np.float64) @ RECIPROCAL
    return np.stack([n.astype(np.float64), sums], axis=-1)


def _firings(minutes: Floats) -> tuple[int, Outcomes]:
    """Return how often the rule starts to fire, and per stream in which minute after the window, or -1."""
    total = np.cumsum(minutes, axis=1)
    window = total[:, WINDOW_MINUTES:] - total[:, :-WINDOW_MINUTES]
    mean = window[..., 1] / np.maximum(window[..., 0], 1.0)
    low = np.cumsum(mean < FALL * float(BASE @ RECIPROCAL), axis=1)
    held = low[:, HOLD_MINUTES:] - low[:, :-HOLD_MINUTES] == HOLD_MINUTES
    starts = int((held[:, 1:] & ~held[:, :-1]).sum() + held[:, 0].sum())
    first = np.where(held.any(axis=1), held.argmax(axis=1) + HOLD_MINUTES, -1)
    return starts, first


def page_hinkley() -> Any:
    return PageHinkley(mode="down")


def adwin() -> Any:
    return ADWIN()


def river(
    rng: np.random.Generator, make: Callable[[], Any], drops: dict[float, Shares], *, calm: int, runs: int
) -> Peer:
    """Return what one of river's detectors does with its default settings."""
    detector, alarms = make(), 0
    for x in RECIPROCAL[draw(rng, BASE, calm)].tolist():
        detector.update(x)
        alarms += detector.drift_detected
    delays: dict[float, tuple[float, float]] = {}
    for drop, shares in drops.items():
        found = np.array([_river_delay(rng, make(), shares) for _ in range(runs)])
        delays[drop] = (float(np.median(found)), float(np.isinf(found).mean()))
    return Peer(alarms, float(calm), delays)


def _river_delay(rng: np.random.Generator, detector: Any, shares: Shares, longest: int = 20_000) -> float:
    for x in RECIPROCAL[draw(rng, BASE, 4 * BEFORE)].tolist():
        detector.update(x)
    for step, x in enumerate(RECIPROCAL[draw(rng, shares, longest)].tolist(), start=1):
        detector.update(x)
        if detector.drift_detected:
            return float(step)
    return float("inf")


def oracle(rng: np.random.Generator, drops: dict[float, Shares], runs: int) -> Peer:
    """Return the delays of a CUSUM that knows the distribution after each drop, at a run length of 1e6.

    Its threshold is extrapolated from how often excursions of normal traffic exceed lower ones.
    """
    delays: dict[float, tuple[float, float]] = {}
    for drop, shares in drops.items():
        ratio = np.log(shares / BASE)
        limit = _limit(rng, ratio)
        cusum, alive = np.zeros(runs), np.arange(runs)
        found = np.full(runs, np.inf)
        for step in range(BEFORE + 20_000):
            outcomes = draw(rng, BASE if step < BEFORE else shares, len(alive))
            cusum = np.maximum(cusum, 0.0) + ratio[outcomes]
            over = cusum >= limit
            if step >= BEFORE:
                found[alive[over]] = step - BEFORE + 1
                cusum, alive = cusum[~over], alive[~over]
            if not len(alive):
                break
        delays[drop] = (float(np.median(found)), float(np.isinf(found).mean()))
    return Peer(0, 0.0, delays)


def _limit(rng: np.random.Generator, ratio: Floats, streams: int = 2_000, steps: int = 5_000) -> float:
    low = 5.0
    cusum, crossings = np.zeros(streams), 0
    for _ in range(steps):
        cusum = np.maximum(cusum, 0.0) + ratio[draw(rng, BASE, streams)]
        over = cusum >= low
        crossings += int(over.sum())
        cusum[over] = 0.0
    return low + float(np.log(1e6 * crossings / (streams * steps)))
