"""When something else changed, the retriever is not blamed: the alarm is held back, with the reason."""

from dataclasses import replace

import numpy as np

from harness.streams import missed, tilted
from ragauge.events import Evidence
from ragauge_service.core.guards import Surroundings
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus
from ragauge_service.core.watch import Watch

START = 1_700_000_000_000
NORMAL = Surroundings(retrievals=20, unjudged=4, nonempty=16, judged=6.0)


def series(category: str, evidence: Evidence = "judgments") -> Series:
    return Series(category, "bm25", "", evidence)


class World:
    """Two categories at 16 scored retrievals a second, with their surroundings."""

    def __init__(self, evidence: Evidence = "judgments") -> None:
        self.rng, self.watch, self.second = np.random.default_rng(1), Watch(), 0
        self.series = [series("a", evidence), series("b", evidence)]
        self.shares = [tilted(0.6), tilted(0.5)]
        self.around = [NORMAL, NORMAL]

    def run(self, seconds: int, *, traffic: bool = True) -> None:
        for _ in range(seconds):
            counts = {
                one: self.rng.multinomial(16, shares).tolist()
                for one, shares in zip(self.series, self.shares, strict=True)
            }
            around = dict(zip(self.series, self.around, strict=True))
            at = START + 1000 * self.second
            self.watch.observe(counts if traffic else {}, at, around if traffic else {})
            self.second += 1

    def of(self, category: str | None) -> DropStatus:
        return next(
            status
            for status in self.watch.statuses()
            if status.category == category and status.measure == "MRR@10"
        )


def test_without_another_change_the_quality_alarm_comes() -> None:
    world = World()
    world.run(60)
    world.shares[0] = missed(world.shares[0], 0.5)
    world.run(20)
    assert world.of("a").state == "alarm"
    assert world.of("b").state == "ok"


def test_falling_coverage_holds_the_alarm_of_its_category() -> None:
    """Fewer judged queries are other queries: their mean may differ for reasons of theirs."""
    world = World()
    world.run(60)
    world.around[0] = replace(NORMAL, unjudged=15)
    world.shares[0] = missed(world.shares[0], 0.5)
    world.run(30)
    assert (world.of("a").state, world.of("a").reason) == ("held", "coverage_fell")
    assert world.of("b").state == "ok"


def test_ids_that_vanish_from_all_rankings_are_a_re_indexing() -> None:
    world = World()
    world.run(60)
    world.around = [replace(NORMAL, judged=0.0)] * 2
    world.shares = [missed(shares, 1.0) for shares in world.shares]
    world.run(10)
    assert {(world.of(name).state, world.of(name).reason) for name in ("a", "b", None)} == {
        ("held", "ids_vanished")
    }


def test_a_category_that_only_misses_is_a_drop_while_others_still_find_judged_documents() -> None:
    world = World()
    world.run(60)
    world.around[0] = replace(NORMAL, judged=0.0)
    world.shares[0] = missed(world.shares[0], 1.0)
    world.run(10)
    assert world.of("a").state == "alarm"


def test_after_a_guard_is_lifted_only_what_follows_counts() -> None:
    world = World()
    world.run(60)
    usual = world.shares
    world.around = [replace(NORMAL, judged=0.0)] * 2
    world.shares = [missed(shares, 1.0) for shares in usual]
    world.run(10)
    world.around, world.shares = [NORMAL] * 2, usual
    world.run(20)
    assert {world.of(name).state for name in ("a", "b", None)} == {"ok"}


def test_signals_that_stop_altogether_are_no_drop() -> None:
    """A broken click tracker looks like users who like nothing any more."""
    world = World("clicks")
    world.run(60)
    world.shares = [missed(shares, 1.0) for shares in world.shares]
    world.run(10)
    assert (world.of("a").state, world.of("a").reason) == ("held", "signals_stopped")


def test_another_sample_rate_holds_the_alarm_for_a_while() -> None:
    world = World()
    world.run(60)
    world.around[0] = replace(NORMAL, sampling_changed=True)
    world.run(1)
    world.around[0] = NORMAL
    assert (world.of("a").state, world.of("a").reason) == ("held", "sampling_changed")
    assert world.of("b").state == "ok"
    world.run(601)
    assert world.of("a").state == "ok"


def test_silence_is_told_and_ends_with_the_next_retrieval() -> None:
    world = World()
    world.run(60)
    world.run(601, traffic=False)
    assert {(world.of(name).state, world.of(name).reason) for name in ("a", None)} == {
        ("held", "traffic_stopped")
    }
    world.run(1)
    assert world.of("a").state == "ok"


def test_guards_survive_being_stored() -> None:
    world = World()
    world.run(60)
    world.around = [replace(NORMAL, judged=0.0)] * 2
    world.shares = [missed(shares, 1.0) for shares in world.shares]
    world.run(10)
    again = Watch.load(world.watch.settings, world.watch.dump())
    assert again.statuses() == world.watch.statuses()
