"""How late clicks come is counted as they meet their retrievals, and the doctor reads it from the stream."""

from harness.memory_store import MemoryShard
from ragauge.events import Retrieval, Signal
from ragauge_service.commands.doctor import delay_lines
from ragauge_service.core.config import EngineConfig

START = 1_764_550_000_000
DELAY = "ragauge_click_delay_seconds"


def call(number: int) -> Retrieval:
    at = START + 1_000 * number
    return Retrieval(id=f"{number:032x}", key="i:q", retriever="docs", ids=("a", "b"), at=at)


def clicked(number: int, after_ms: int) -> Signal:
    return Signal(retrieval_id=call(number).id, doc_id="a", at=call(number).at + after_ms)


def test_a_click_is_timed_by_its_arrival_once_and_none_after_the_horizon() -> None:
    """The horizon cuts by arrival, so that is the delay which shows whether it is long enough."""
    shard = MemoryShard(EngineConfig(join_horizon_ms=60_000, depth=4, cutoffs=(1, 3), shards=1))
    shard.append((START, 0), START, [call(0)])
    for after, times in ((20_000, 2), (60_000, 1)):
        shard.append((START + after, 0), START + after, [clicked(0, 0)] * times)
    shard.read()
    shard.commit()
    rows = [row for row in shard.counted if row[0] == DELAY]
    assert [(sum(row[2][0]), row[2][1]) for row in rows] == [(1, 20.0)]


def test_the_doctor_warns_of_a_horizon_that_cuts_clicks_off() -> None:
    calls, signals = (
        [call(number) for number in range(50)],
        [clicked(number, 400_000) for number in range(50)],
    )
    short, long = (list(delay_lines(calls, signals, minutes * 60_000)) for minutes in (10, 60))
    assert [line.split()[0] for line in short] == ["warning", "warning"]
    assert "clicks are lost" in short[1]
    assert [line.split()[0] for line in long] == ["ok"]


def test_the_doctor_says_nothing_of_delays_without_clicks() -> None:
    assert not list(delay_lines([call(0)], [clicked(1, 5)], 600_000))
