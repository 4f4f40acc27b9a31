"""Clicks that tell the truth: position corrected, zeros kept, and a gauge for when the picture is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.users import (
    ATTRACTIVE,
    DEPTH,
    DISCOUNTS,
    cells_of,
    dynamic_bayesian,
    position_based,
    reciprocal_ranks,
)
from ragauge_service.core.clicks import (
    click_cells,
    click_hit,
    click_rr,
    default_propensities,
    disagreement,
    ips_dcg,
    mean_ips_dcg,
    mean_sdbn_dcg,
)

USERS = 100_000
WORSE = 0.81


def ips_mean(cells: list[int]) -> float:
    estimate = mean_ips_dcg(cells, USERS, k=DEPTH)
    assert estimate is not None
    return estimate.mean


def test_ips_dcg_sees_the_true_change_of_what_attracts() -> None:
    """Of -19 % in truth it says -19 %, within two points, and no level is off by more than 3 %."""
    rng = np.random.default_rng(1)
    before = ips_mean(cells_of(position_based(rng, USERS, ATTRACTIVE)))
    after = ips_mean(cells_of(position_based(rng, USERS, WORSE * ATTRACTIVE)))
    assert before == pytest.approx(float(ATTRACTIVE @ DISCOUNTS), rel=0.03)
    assert after / before - 1 == pytest.approx(WORSE - 1, abs=0.02)


def test_click_rr_with_zeros_kept_falls_at_least_as_much_as_mrr() -> None:
    """A mean over clicked retrievals only hides most of the same drop."""
    rng = np.random.default_rng(2)
    drops: list[float] = []
    for_clicked: list[float] = []
    for chances in (ATTRACTIVE, WORSE * ATTRACTIVE):
        clicks = position_based(rng, USERS, chances)
        drops.append(float(reciprocal_ranks(clicks).mean()))
        for_clicked.append(float(reciprocal_ranks(clicks[clicks.any(axis=1)]).mean()))
    truth = [
        float(reciprocal_ranks(rng.random((USERS, DEPTH)) < chances).mean())
        for chances in (ATTRACTIVE, WORSE * ATTRACTIVE)
    ]
    assert drops[1] / drops[0] <= truth[1] / truth[0]
    assert for_clicked[1] / for_clicked[0] > 0.9


@pytest.mark.parametrize("satisfied", [0.1, 0.3])
def test_the_disagreement_shows_users_of_another_kind(satisfied: float) -> None:
    """Users who read on until satisfied make IPS-DCG far too large; the gauge says so."""
    rng = np.random.default_rng(3)
    cells = cells_of(dynamic_bayesian(rng, USERS, ATTRACTIVE, satisfied))
    assert ips_mean(cells) > 1.8 * float(ATTRACTIVE @ DISCOUNTS)
    other = cells_of(position_based(rng, USERS, ATTRACTIVE))
    gauge, usual = disagreement(cells, USERS, k=DEPTH), disagreement(other, USERS, k=DEPTH)
    assert gauge is not None
    assert usual is not None
    assert gauge > 0.35 > usual


def test_the_disagreement_is_small_when_the_propensities_are_those_of_the_readers() -> None:
    rng = np.random.default_rng(4)
    cells = cells_of(dynamic_bayesian(rng, USERS, ATTRACTIVE, 0.3))
    read = [1.0]
    for chance in ATTRACTIVE[:-1]:
        read.append(read[-1] * (1 - 0.3 * float(chance)))
    gauge = disagreement(cells, USERS, read, k=DEPTH)
    wrong = disagreement(cells, USERS, k=DEPTH)
    assert gauge is not None
    assert wrong is not None
    assert abs(gauge) < wrong


def test_the_published_error_is_the_spread_of_the_estimate() -> None:
    """Over 300 repetitions with 2,000 users, the estimates spread as the standard error says."""
    rng = np.random.default_rng(5)
    estimates = [
        mean_ips_dcg(cells_of(position_based(rng, 2_000, ATTRACTIVE)), 2_000, k=DEPTH) for _ in range(300)
    ]
    means = [estimate.mean for estimate in estimates if estimate is not None]
    errors = [estimate.error for estimate in estimates if estimate is not None]
    assert float(np.std(means)) == pytest.approx(float(np.mean(errors)), rel=0.15)


def test_one_retrievals_variance_is_unbiased() -> None:
    """For fixed attractive documents, the mean of the variances is the variance of the scores."""
    rng = np.random.default_rng(6)
    attractive = np.array([1, 0, 1, 0, 0, 1, 0, 0, 0, 0], np.float64)
    shares = default_propensities(DEPTH)
    scores = [
        ips_dcg((np.flatnonzero(row) + 1).tolist(), shares, k=DEPTH)
        for row in position_based(rng, 20_000, attractive)
    ]
    spread = float(np.var([score.value for score in scores]))
    assert float(np.mean([score.variance for score in scores])) == pytest.approx(spread, rel=0.05)


def test_clipping_is_published() -> None:
    score = ips_dcg([1, 10], default_propensities(10), k=10, clip=5.0)
    assert score.clipped == pytest.approx(5 / 11)


rankings = st.integers(0, 15).flatmap(
    lambda length: st.tuples(
        st.just(length), st.sets(st.integers(1, length)) if length else st.just(set[int]())
    )
)


@given(st.lists(rankings, max_size=20))
def test_summed_cells_give_the_mean_of_single_scores(seen: list[tuple[int, set[int]]]) -> None:
    """So shards merge by addition, and nothing else need be kept."""
    cells = [0] * (2 * DEPTH)
    for length, clicked in seen:
        cells = [a + b for a, b in zip(cells, click_cells(length, list(clicked), DEPTH), strict=True)]
    estimate = mean_ips_dcg(cells, len(seen), k=DEPTH)
    if not seen:
        assert estimate is None
        return
    shares = default_propensities(DEPTH)
    single = [ips_dcg(list(clicked), shares, k=DEPTH).value for _, clicked in seen]
    assert estimate is not None
    assert estimate.mean == pytest.approx(float(np.mean(single)), abs=1e-9)
    sdbn = mean_sdbn_dcg(cells, len(seen), k=DEPTH)
    assert sdbn is not None
    assert 0 <= sdbn.mean <= DISCOUNTS.sum() + 1e-9


@given(st.sets(st.integers(1, 30)))
def test_nobody_clicking_is_a_zero(clicked: set[int]) -> None:
    within = [rank for rank in clicked if rank <= DEPTH]
    assert click_hit(list(clicked), DEPTH) == (1.0 if within else 0.0)
    assert click_rr(list(clicked), DEPTH) == (1.0 / min(within) if within else 0.0)
