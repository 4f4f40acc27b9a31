import threading
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ragauge_service.demo.load import SLACK, Load, Pace, by_category
from ragauge_service.demo.queries import Query

QUERIES = [Query(f"{category}-{n}", f"{category} {n}", category, {}) for category in "ab" for n in range(5)]


@given(st.floats(1, 500), st.lists(st.floats(0, 2), max_size=60))
def test_a_pace_never_runs_ahead_and_catches_up_only_a_little(rate: float, delays: list[float]) -> None:
    """A laptop that slept must not meet a burst of everything it has missed."""
    pace, now, calls = Pace(rate, 0.0), 0.0, list[float]()
    for delay in delays:
        now += pace.wait(now=now)
        calls.append(now)
        now += delay
    for first, second in zip(range(len(calls)), range(1, len(calls)), strict=False):
        assert calls[second] >= calls[first]
    for start in range(len(calls)):
        inside = sum(calls[start] <= call <= calls[start] + 1 for call in calls[start:])
        assert inside <= rate * (1 + SLACK) + 2


def test_each_category_is_asked_at_the_same_rate_in_a_fixed_order() -> None:
    def asked(seed: int) -> list[str]:
        found, enough, lock = list[Query](), threading.Event(), threading.Lock()

        def ask(query: Query) -> None:
            with lock:
                found.append(query)
                if min(Counter(one.category for one in found).values(), default=0) >= 20 and len(found) > 40:
                    enough.set()

        load = Load(ask, QUERIES, seed=seed, rate=2000)
        load.start()
        assert enough.wait(20)
        load.stop()
        total = len(found)
        assert not any(thread.is_alive() for thread in load._threads)
        assert len(found) == total
        return [query.id for query in by_category(found)["a"]][:20]

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)
