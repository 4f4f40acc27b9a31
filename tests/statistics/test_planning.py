"""What is promised in advance: thresholds, delays, and bounds that hold at all times."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.streams import BASE, HIT, RECIPROCAL, missed
from ragauge_service.core.bets import drop_growth
from ragauge_service.core.detection import SUMS, Detectors
from ragauge_service.core.planning import observations_needed
from ragauge_service.core.size import size_since
from ragauge_service.core.threshold import LEAST, Traffic, log_threshold

HOUR = 3_600_000
OUTCOMES = len(RECIPROCAL)


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=20), st.floats(1, 365))
def test_all_detectors_together_keep_to_the_wished_rate(rates: list[float], days: float) -> None:
    """Each raises at most rate / A a day; with the common A these sum to one in ``days`` days."""
    a = math.exp(log_threshold(sum(rates), days))
    assert sum(rate / a for rate in rates) <= 1 / days * (1 + 1e-9)
    assert a >= LEAST


def test_traffic_is_that_of_the_last_day() -> None:
    traffic = Traffic()
    for hour in range(72):
        traffic.add(100 if hour < 48 else 10, hour * HOUR)
    assert traffic.per_day(72 * HOUR - 1) == pytest.approx(240, rel=0.01)


def test_of_the_first_minutes_no_more_than_an_hour_is_assumed() -> None:
    traffic = Traffic()
    assert traffic.per_day(0) == 0
    traffic.add(1_000, 0)
    assert traffic.per_day(10_000) == 24_000


@pytest.mark.parametrize("slack", [1.0, 0.97])
@pytest.mark.parametrize("values", [RECIPROCAL, HIT])
def test_the_needed_observations_are_what_a_drop_takes(values: np.ndarray, slack: float) -> None:
    level, log_a, runs = float(BASE @ values) * slack, math.log(1e6), 300
    needed = observations_needed(BASE[None], values[None], np.array([[level]]), np.ones((1, 1)), log_a)
    rng, detectors = np.random.default_rng(1), Detectors.fresh(runs, 1)
    table = drop_growth(np.eye(OUTCOMES, dtype=np.int64), values[None], np.full((OUTCOMES, 1), level))
    delays = np.full(runs, np.inf)
    sums = np.zeros((runs, 1, SUMS))
    sums[..., 0] = 10
    for step in range(-50, 600):
        shares = BASE if step < 0 else missed(BASE, 0.1)
        counts = rng.multinomial(10, shares, size=runs)
        detectors.update(np.arange(runs), np.einsum("dv,vmj->dmj", counts, table), sums, step)
        if step >= 0:
            delays = np.minimum(delays, np.where(detectors.log_e()[:, 0] >= log_a, 10 * (step + 1), np.inf))
        if np.isfinite(delays).mean() > 0.5:
            break
    assert float(needed[0, 0]) == pytest.approx(float(np.median(delays)), rel=0.15)


def test_a_drop_within_the_slack_is_said_to_be_never_seen() -> None:
    level = np.array([[0.8 * float(BASE @ RECIPROCAL)]])
    assert np.isinf(observations_needed(BASE[None], RECIPROCAL[None], level, np.ones((1, 1)), 14.0))[0, 0]


def test_the_bounds_of_a_size_hold_at_all_times_together() -> None:
    """In at least 95 % of runs the true deficit lies within them from the 50th observation to the 3,000th."""
    rng, runs, inside = np.random.default_rng(4), 300, 0
    shares = missed(BASE, 0.2)
    baseline = float(BASE @ RECIPROCAL)
    true = baseline - float(shares @ RECIPROCAL)
    for _ in range(runs):
        gaps = baseline - RECIPROCAL[rng.choice(OUTCOMES, size=3_000, p=shares)]
        sums, squares = np.cumsum(gaps), np.cumsum(gaps**2)
        inside += all(
            size is not None and size.lower <= true <= size.upper
            for n in range(50, 3_000, 10)
            for size in [size_since(n, float(sums[n - 1]), float(squares[n - 1]), baseline * n, 1.0)]
        )
    assert inside >= 0.95 * runs


def test_without_observations_there_is_no_size() -> None:
    assert size_since(0.0, 0.0, 0.0, 0.0, 1.0) is None
