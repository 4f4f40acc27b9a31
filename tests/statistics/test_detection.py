"""The detector against its formula, its guarantee and its promised delays."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.streams import BASE, HIT, RECIPROCAL, missed, tilted
from ragauge_service.core.bets import (
    FRACTIONS,
    bin_values,
    drop_growth,
    log_mean,
    rank_values,
    rise_growth,
)
from ragauge_service.core.detection import SUMS, Detectors
from ragauge_service.core.series import Series
from ragauge_service.core.watch import Watch

OUTCOMES = len(RECIPROCAL)
LOG_A = math.log(1e6)

weights = st.lists(st.integers(0, 50), min_size=OUTCOMES, max_size=OUTCOMES).filter(any)
histograms = st.lists(st.integers(0, 4), min_size=OUTCOMES, max_size=OUTCOMES).filter(any)


def grown(counts: np.ndarray, baseline: float, values: np.ndarray = RECIPROCAL) -> np.ndarray:
    """Return the log growth of one histogram, J long."""
    return drop_growth(counts[None].astype(np.int64), values[None], np.array([[baseline]]))[0, 0]


def one_batch(detectors: Detectors, growth: np.ndarray, n: int, since: int) -> None:
    sums = np.zeros((1, 1, SUMS))
    sums[..., 0] = n
    detectors.update(np.array([0]), growth[None, None], sums, since)


@given(weights, st.floats(0.0, 1.0))
def test_no_bet_gains_while_the_mean_is_at_least_the_baseline(shares: list[int], below: float) -> None:
    """The guarantee: each factor has an expectation of at most 1, whatever the distribution."""
    p = np.array(shares) / sum(shares)
    baseline = below * float(p @ RECIPROCAL)
    factors = np.exp([grown(np.eye(OUTCOMES)[v], baseline) for v in range(OUTCOMES)])
    assert (p @ factors <= 1 + 1e-9).all()


@given(weights, st.floats(0.0, 1.0), st.floats(1.0, 20.0))
def test_dividing_by_phi_keeps_the_guarantee(shares: list[int], below: float, phi: float) -> None:
    p = np.array(shares) / sum(shares)
    baseline = below * float(p @ HIT)
    factors = np.exp([grown(np.eye(OUTCOMES)[v], baseline, HIT) / phi for v in range(OUTCOMES)])
    assert (p @ factors <= 1 + 1e-9).all()


@given(weights, st.floats(0.0, 1.0))
def test_no_recovery_bet_gains_while_the_mean_stays_low(shares: list[int], above: float) -> None:
    p = np.array(shares) / sum(shares)
    mean = float(p @ RECIPROCAL)
    level = np.array([[mean + above * (1 - mean)]])
    eye = np.eye(OUTCOMES, dtype=np.int64)
    factors = np.exp(rise_growth(eye, RECIPROCAL[None], np.repeat(level, OUTCOMES, axis=0)))[:, 0]
    assert (p @ factors <= 1 + 1e-9).all()


@given(st.lists(histograms, max_size=8), st.floats(0.05, 0.95), st.floats(1.0, 5.0))
def test_the_state_is_the_formula(batches: list[list[int]], baseline: float, phi: float) -> None:
    """R <- exp(growth) (R + n) with growth = sum of n_v / phi log(1 + lambda (b - v)), in plain Python."""
    detectors, state = Detectors.fresh(1, 1), [0.0] * len(FRACTIONS)
    for at, batch in enumerate(batches):
        one_batch(detectors, grown(np.array(batch), baseline) / phi, sum(batch), at)
        for j, fraction in enumerate(FRACTIONS):
            stake = fraction / (1 - baseline)
            growth = sum(
                n / phi * math.log(1 + stake * (baseline - v)) for n, v in zip(batch, RECIPROCAL, strict=True)
            )
            state[j] = math.exp(growth) * (state[j] + sum(batch))
    expected = sum(state) / len(state)
    found = float(np.exp(detectors.log_e()[0, 0]))
    assert found == pytest.approx(expected, rel=1e-9)


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 2**32), min_size=2, max_size=5),
    st.permutations(range(16)),
)
def test_sixteen_shards_in_any_order_come_to_the_same(seeds: list[int], order: list[int]) -> None:
    """At equal flush boundaries, who counted what, and in which order, does not matter to 1e-9."""
    merged, apart = Watch(), Watch()
    many = [200] * OUTCOMES
    merged.observe({Series("c", "r", "", "judgments"): many}, 0)
    apart.observe({Series("c", "r", "0", "judgments"): many}, 0)
    for second, seed in enumerate(seeds, start=1):
        shards = np.random.default_rng(seed).integers(0, 4, (16, OUTCOMES))
        total = shards.sum(axis=0).tolist()
        merged.observe({Series("c", "r", "", "judgments"): total}, second * 1_000)
        parts = {Series("c", "r", str(shard), "judgments"): shards[shard].tolist() for shard in order}
        apart.observe(parts, second * 1_000)
    for one, other in zip(merged.statuses(), apart.statuses(), strict=True):
        assert one.log_e == pytest.approx(other.log_e, abs=1e-9)
        assert (one.state, one.onset) == (other.state, other.onset)


def test_the_sum_over_a_batch_is_the_product_of_its_bets() -> None:
    counts = np.array([3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7])
    single = sum(n * grown(np.eye(OUTCOMES)[v], 0.6) for v, n in enumerate(counts.tolist()))
    assert grown(counts, 0.6) == pytest.approx(single, abs=1e-12)


class Streams:
    """Many streams, an observation a batch."""

    def __init__(self, streams: int, values: np.ndarray, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.detectors, self.time, self.rows = Detectors.fresh(streams, 1), 0, np.arange(streams)
        baseline = np.full((OUTCOMES, 1), float(BASE @ values))
        self.table = drop_growth(np.eye(OUTCOMES, dtype=np.int64), values[None], baseline)

    def step(self, shares: np.ndarray) -> np.ndarray:
        """Return which streams stand in alarm after one more observation."""
        drawn = np.searchsorted(np.cumsum(shares), self.rng.random(len(self.rows))).clip(max=OUTCOMES - 1)
        sums = np.zeros((len(self.rows), 1, SUMS))
        sums[..., 0] = 1
        self.detectors.update(self.rows, self.table[drawn], sums, self.time)
        self.time += 1
        return self.detectors.log_e()[:, 0] >= LOG_A


def test_false_alarms_stay_under_the_promise() -> None:
    """One million observations at A = 1e6: one false alarm is expected at most; six would be one in 1,700."""
    streams, alarms = Streams(500, RECIPROCAL, seed=1), 0
    for _ in range(2_000):
        over = np.flatnonzero(streams.step(BASE))
        alarms += len(over)
        streams.detectors.reset(over)
    assert alarms <= 5


@pytest.mark.parametrize(
    ("values", "shares", "most"),
    [
        (RECIPROCAL, tilted(0.48), 250),
        (RECIPROCAL, tilted(0.30), 53),
        (HIT, missed(BASE, 0.2), 150),
        (HIT, missed(BASE, 0.5), 33),
    ],
)
def test_drops_are_seen_in_time(values: np.ndarray, shares: np.ndarray, most: int) -> None:
    """Median delays of 20 and 50 % drops; benchmarks/detection.py has all of them, from 4,000 runs each."""
    streams = Streams(600, values, seed=2)
    for _ in range(500):
        streams.step(BASE)
    delays = np.full(600, -1)
    onsets = np.zeros(600)
    for step in range(1, 10 * most):
        new = streams.step(shares) & (delays < 0)
        delays[new] = step
        leading = streams.detectors.leading()[new, 0]
        onsets[new] = streams.detectors.restart_at[np.flatnonzero(new), 0, leading] - 500
        if (delays > 0).all():
            break
    assert float(np.median(delays)) <= most
    assert abs(float(np.median(onsets))) <= 5


def test_values_lie_where_measures_say() -> None:
    assert rank_values("MRR@3", 5).tolist() == [1.0, 0.5, 1 / 3, 0.0, 0.0, 0.0]
    assert rank_values("hit@1", 2).tolist() == [1.0, 0.0, 0.0]
    for wrong in ("MRR@6", "MRR@0", "nDCG@5"):
        with pytest.raises(KeyError):
            rank_values(wrong, 5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50), st.integers(10, 200))
def test_bins_hardly_move_a_mean(scores: list[float], bins: int) -> None:
    """Any measure in [0, 1] can be watched by counting it in bins."""
    values = bin_values(bins)
    counted = np.bincount(np.rint(np.array(scores) * bins).astype(np.int64), minlength=bins + 1)
    assert abs(float(counted @ values) / len(scores) - float(np.mean(scores))) <= 0.5 / bins + 1e-12
    assert all(low < high for low, high in pairwise(values))


def test_a_mean_of_logarithms_survives_the_smallest_and_the_largest() -> None:
    assert np.isneginf(log_mean(np.full((1, 8), -np.inf))[0])
    assert log_mean(np.array([[5_000.0, -np.inf]]))[0] == pytest.approx(5_000 - math.log(2))
