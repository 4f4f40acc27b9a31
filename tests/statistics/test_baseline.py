"""What counts as normal: hours of the day, quarantine, expiry, and how much outcomes resemble each other."""

import numpy as np
import pytest

from harness.streams import BASE, RECIPROCAL, tilted
from ragauge_service.core.baseline import HOUR_MS, Reference
from ragauge_service.core.dispersion import Dispersion

ROW = np.array([0])
ONE = np.ones((1, 1))
VALUES = RECIPROCAL[None]
FIRST = 480_000
"""An hour of the epoch that is midnight."""


def reference(hours: int, per_hour: int, swing: float, seed: int = 1) -> Reference:
    """Return a reference in which the mean follows the hour of the day."""
    rng, known = np.random.default_rng(seed), Reference(len(RECIPROCAL))
    known.grow(1)
    for hour in range(FIRST, FIRST + hours):
        known.add(ROW, rng.multinomial(per_hour, tilted(truth(hour, swing)))[None], hour)
    return known


def truth(hour: float, swing: float) -> float:
    return 0.6 * (1 + swing * float(np.sin(2 * np.pi * (hour + 0.5) / 24)))


def expected_at(known: Reference, hour: int) -> float:
    at = hour * HOUR_MS + HOUR_MS // 2
    return float(known.expected(ROW, at, VALUES, ONE).mean[0, 0])


def test_the_hour_of_the_day_is_learned() -> None:
    known = reference(28 * 24, 200, 0.08)
    errors = [abs(expected_at(known, FIRST + 28 * 24 + hour) - truth(hour, 0.08)) for hour in range(24)]
    assert max(errors) < 0.02
    assert float(np.mean(errors)) < 0.008


def test_without_a_daily_swing_hours_hardly_differ() -> None:
    """The differences of 24 noisy means are shrunk away: the overall mean is known far better."""
    known = reference(28 * 24, 20, 0.0)
    means = [expected_at(known, FIRST + 28 * 24 + hour) for hour in range(24)]
    assert float(np.std(means)) < 0.25 * 0.43 / np.sqrt(28 * 20)


def test_before_a_day_has_passed_there_is_no_hour_effect_but_a_doubt() -> None:
    known = reference(12, 2_000, 0.08)
    at = (FIRST + 12) * HOUR_MS
    normal = known.expected(ROW, at, VALUES, ONE)
    counts = known.by_hour[0].sum(axis=0)
    assert normal.mean[0, 0] == pytest.approx(float(counts @ RECIPROCAL / counts.sum()))
    assert normal.swing[0, 0] == pytest.approx(0.08 * normal.mean[0, 0])


def test_the_effect_moves_smoothly_from_hour_to_hour() -> None:
    known = reference(28 * 24, 2_000, 0.08)
    start = (FIRST + 28 * 24) * HOUR_MS
    means = [
        float(known.expected(ROW, start + minute * 60_000, VALUES, ONE).mean[0, 0]) for minute in range(1_440)
    ]
    assert float(np.abs(np.diff(means)).max()) < 0.0005


def test_hours_expire_after_28_days() -> None:
    known = reference(30 * 24, 10, 0.0)
    known.expire(FIRST + 30 * 24)
    assert len(known.hours) == 28 * 24 - 1
    assert known.by_hour.sum() == 10 * (28 * 24 - 1)
    known.expire(FIRST + 100 * 24)
    assert known.by_hour.sum() == 0


def test_the_standard_error_is_that_of_the_mean() -> None:
    known = reference(1, 1_000, 0.0)
    normal = known.expected(ROW, FIRST * HOUR_MS, VALUES, 4 * ONE)
    assert normal.error[0, 0] == pytest.approx(2 * np.sqrt(normal.variance[0, 0] / 1_000))


def test_quarantine_is_settled_discarded_or_taken_for_normal() -> None:
    known = reference(1, 1_000, 0.0)
    extra = np.ones((1, len(RECIPROCAL)), np.int64)
    known.hold(ROW, extra, FIRST)
    assert known.by_hour.sum() == 1_000
    known.settle(ROW)
    assert known.by_hour.sum() == 1_011
    known.hold(ROW, extra, FIRST + 1)
    known.discard(ROW)
    known.settle(ROW)
    assert known.by_hour.sum() == 1_011
    known.hold(ROW, extra, FIRST + 2)
    known.rebase(0)
    assert known.by_hour.sum() == 11


@pytest.mark.parametrize(("repeats", "phi"), [(0.0, 1.0), (0.5, 3.0), (0.75, 7.0)])
def test_phi_is_how_much_outcomes_resemble_each_other(repeats: float, phi: float) -> None:
    """A share ``rho`` that repeats the one before gives (1 + rho) / (1 - rho), in blocks a little less."""
    rng, streams = np.random.default_rng(3), 20
    rows, blocks = np.arange(streams), Dispersion.fresh(streams, 1)
    mean = float(BASE @ RECIPROCAL)
    variance = np.full((streams, 1), float(BASE @ RECIPROCAL**2) - mean**2)
    last = rng.choice(len(BASE), size=streams, p=BASE)
    for _ in range(200):
        gap = np.zeros(streams)
        for _ in range(50):
            last = np.where(rng.random(streams) < repeats, last, rng.choice(len(BASE), size=streams, p=BASE))
            gap += mean - RECIPROCAL[last]
        blocks.add(rows, np.full(streams, 50.0), gap[:, None], variance)
    assert (blocks.phi(rows) == 1.0).all()
    blocks.settle(rows)
    assert float(blocks.phi(rows).mean()) == pytest.approx(phi, rel=0.12)


def test_few_blocks_say_nothing_of_phi() -> None:
    blocks = Dispersion.fresh(1, 1)
    for _ in range(9):
        blocks.add(ROW, np.array([50.0]), np.array([[25.0]]), np.array([[0.1]]))
    blocks.settle(ROW)
    assert blocks.phi(ROW)[0, 0] == 1.0
    blocks.add(ROW, np.array([50.0]), np.array([[25.0]]), np.array([[0.1]]))
    blocks.settle(ROW)
    assert blocks.phi(ROW)[0, 0] > 10
