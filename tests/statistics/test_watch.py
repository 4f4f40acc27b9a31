"""The facade that the monitor feeds: alarms where the drop is, and nowhere else."""

from collections.abc import Mapping, Sequence

import numpy as np

from harness.streams import BASE, missed, tilted
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus
from ragauge_service.core.watch import Watch
from ragauge_service.core.watch_state import WatchSettings

START = 1_700_000_000_000
CATEGORIES = tuple(Series(name, "bm25", "", "judgments") for name in "abcd")
MEANS = (0.6, 0.7, 0.5, 0.65)


def feed(
    watch: Watch, rng: np.random.Generator, seconds: range, shares: Mapping[Series, Sequence[float]]
) -> None:
    """Feed 20 retrievals a second per category."""
    for second in seconds:
        counts = {series: rng.multinomial(20, p).tolist() for series, p in shares.items()}
        watch.observe(counts, START + 1000 * second)


def normal() -> dict[Series, Sequence[float]]:
    return {series: tilted(mean).tolist() for series, mean in zip(CATEGORIES, MEANS, strict=True)}


def in_alarm(watch: Watch) -> set[str]:
    return {status.category for status in watch.statuses() if status.state == "alarm" and status.category}


def status_of(watch: Watch, category: str | None, measure: str = "MRR@10") -> DropStatus:
    return next(s for s in watch.statuses() if s.category == category and s.measure == measure)


def test_exactly_the_dropped_category_alarms() -> None:
    """As in the demo: 50 s of quiet, then one category of four loses 40 % of its hits."""
    rng, watch, shares = np.random.default_rng(1), Watch(), normal()
    feed(watch, rng, range(50), shares)
    assert in_alarm(watch) == set()
    shares[CATEGORIES[1]] = missed(tilted(MEANS[1]), 0.4).tolist()
    feed(watch, rng, range(50, 60), shares)
    assert in_alarm(watch) == {"b"}
    status = status_of(watch, "b")
    assert status.onset is not None
    assert abs(status.onset - (START + 49_000)) <= 5_000
    assert status.size is not None
    assert status.size_lower is not None
    assert status.size_upper is not None
    assert status.size_lower <= 0.4 * MEANS[1] <= status.size_upper


def test_below_500_observations_nothing_is_claimed() -> None:
    watch = Watch()
    feed(watch, np.random.default_rng(2), range(25), normal())
    assert {status.state for status in watch.statuses()} == {"learning"}
    feed(watch, np.random.default_rng(3), range(25, 27), normal())
    assert {status.state for status in watch.statuses()} == {"ok"}


def test_a_standing_alarm_does_not_become_the_baseline() -> None:
    rng, watch, shares = np.random.default_rng(4), Watch(), normal()
    feed(watch, rng, range(50), shares)
    before = status_of(watch, "b").baseline
    shares[CATEGORIES[1]] = missed(tilted(MEANS[1]), 0.4).tolist()
    feed(watch, rng, range(50, 250), shares)
    after = status_of(watch, "b")
    assert after.state == "alarm"
    assert before is not None
    assert after.baseline is not None
    assert abs(after.baseline - before) < 0.02


def test_a_recovery_clears_the_alarm() -> None:
    rng, watch, shares = np.random.default_rng(5), Watch(), normal()
    feed(watch, rng, range(50), shares)
    feed(watch, rng, range(50, 65), shares | {CATEGORIES[1]: missed(tilted(MEANS[1]), 0.5).tolist()})
    assert in_alarm(watch) == {"b"}
    feed(watch, rng, range(65, 95), shares)
    assert in_alarm(watch) == set()


def test_only_an_acknowledgement_takes_the_drop_for_normal() -> None:
    rng, watch, shares = np.random.default_rng(6), Watch(), normal()
    feed(watch, rng, range(50), shares)
    shares[CATEGORIES[1]] = missed(tilted(MEANS[1]), 0.5).tolist()
    feed(watch, rng, range(50, 100), shares)
    assert watch.acknowledge("b", "bm25", "judgments")
    feed(watch, rng, range(100, 130), shares)
    assert in_alarm(watch) == set()
    baseline = status_of(watch, "b").baseline
    assert baseline is not None
    assert abs(baseline - MEANS[1] / 2) < 0.05


def test_a_stored_watch_goes_on_as_if_nothing_had_happened() -> None:
    """What is written with the last seen vectors is enough to continue, from all pieces or their changes."""
    rng, watch, shares = np.random.default_rng(7), Watch(), normal()
    feed(watch, rng, range(30), shares)
    stored = watch.dump()
    watch.changes()
    feed(watch, rng, range(30, 60), shares)
    for name, piece in watch.changes().items():
        if piece is None:
            stored.pop(name)
        else:
            stored[name] = piece
    other = Watch.load(WatchSettings(), stored)
    assert other.statuses() == watch.statuses()
    feed(watch, np.random.default_rng(8), range(60, 70), shares)
    feed(other, np.random.default_rng(8), range(60, 70), shares)
    assert other.statuses() == watch.statuses()


def test_a_deployment_just_before_the_onset_is_named() -> None:
    rng, watch, shares = np.random.default_rng(9), Watch(), normal()
    feed(watch, rng, range(50), shares)
    watch.mark(START + 40_000, "deploy 1.2")
    feed(watch, rng, range(50, 65), shares | {CATEGORIES[0]: missed(tilted(MEANS[0]), 0.5).tolist()})
    reason = status_of(watch, "a").reason
    assert reason is not None
    assert reason.startswith("deploy 1.2, ")


def test_variants_are_merged() -> None:
    """A split of traffic between variants neither slows nor doubles a detector."""
    both, one = Watch(), Watch()
    rng = np.random.default_rng(10)
    left, right = (Series("a", "bm25", variant, "judgments") for variant in ("x", "y"))
    for second in range(60):
        first, second_half = rng.multinomial(10, BASE), rng.multinomial(10, BASE)
        at = START + 1000 * second
        both.observe({left: first.tolist(), right: second_half.tolist()}, at)
        one.observe({left: (first + second_half).tolist()}, at)
    assert both.statuses() == one.statuses()


def test_too_little_traffic_is_said_plainly() -> None:
    """At one retrieval an hour a 10 % drop takes longer than four weeks; at 20 a second it does not."""
    rng, watch, hour = np.random.default_rng(11), Watch(), 3_600_000
    for at in range(700):
        watch.observe({CATEGORIES[0]: rng.multinomial(1, tilted(0.6)).tolist()}, START + at * hour)
    assert status_of(watch, "a").state == "ok"
    assert status_of(watch, "a").reason == "too_little_traffic"
    busy = Watch()
    feed(busy, rng, range(60), normal())
    assert status_of(busy, "a").reason is None


def test_a_category_that_declines_slowly_is_caught_by_its_objective_alone() -> None:
    """The learned baseline follows a decline of 12 % over weeks; a pinned objective does not."""
    pinned = WatchSettings(objectives={("a", "MRR@10"): 0.6}, days=7)
    rng, hour = np.random.default_rng(12), 3_600_000
    with_objective, learned = Watch(pinned), Watch(WatchSettings(days=7))
    for at in range(60 * 24):
        shares = tilted(0.6 * (1 - 0.12 * at / (60 * 24)))
        counts = {CATEGORIES[0]: rng.multinomial(20, shares).tolist()}
        with_objective.observe(counts, START + at * hour)
        learned.observe(counts, START + at * hour)
    assert status_of(with_objective, "a").state == "alarm"
    assert status_of(with_objective, "a").baseline == 0.6
    assert status_of(learned, "a").state == "ok"
