"""Where clicks fell and what was read travel with the matured histograms, and become a gauge."""

import math

import pytest

from harness.memory_store import MemoryShard
from ragauge.events import Retrieval, Signal
from ragauge_service.core.click_day import ENOUGH, HOUR_MS, ClickDay
from ragauge_service.core.clicks import click_cells
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.packing import series_key, unpack_cells
from ragauge_service.core.series import Series

KEY = ("faq", "bm25")


def test_too_few_clicks_say_nothing() -> None:
    day = ClickDay(depth=3)
    day.add(KEY, ENOUGH - 1, click_cells(3, [1], 3), at=0)
    assert day.disagreements(0) == ()
    day.add(KEY, 1, click_cells(3, [1], 3), at=HOUR_MS)
    assert len(day.disagreements(HOUR_MS)) == 1


def test_without_any_click_there_is_no_disagreement() -> None:
    day = ClickDay(depth=3)
    day.add(KEY, ENOUGH, click_cells(3, [], 3), at=0)
    assert day.disagreements(0) == ()


def test_a_day_is_remembered_and_no_longer() -> None:
    day = ClickDay(depth=3)
    day.add(KEY, ENOUGH, click_cells(3, [2], 3), at=0)
    assert len(day.disagreements(23 * HOUR_MS)) == 1
    assert day.disagreements(24 * HOUR_MS) == ()


def test_the_gauge_is_the_logarithm_of_the_ratio() -> None:
    """All of 100 pages were read to rank 2 and clicked there: 1/rank says twice what was read."""
    day = ClickDay(depth=3)
    day.add(KEY, 100, [0, 100, 0, 100, 100, 0], at=0)
    assert day.disagreements(0)[0][2] == pytest.approx(math.log(2))


def test_cells_are_counted_once_however_often_a_worker_dies() -> None:
    """They stand behind the histogram of the same series, committed with it."""
    start, depth = 1_764_550_000_000, 4
    shard = MemoryShard(EngineConfig(join_horizon_ms=60_000, depth=depth, cutoffs=(1, 3), shards=1))
    wanted, histogram = [0] * (2 * depth), [0] * (depth + 1)
    for number in range(60):
        at, rank = start + 10_000 * number, number % 5 + 1
        call = Retrieval(
            id=f"{number:032x}", key="i:q", category="a", retriever="docs", ids=tuple("vwxyz"), at=at
        )
        clicks = [Signal(retrieval_id=call.id, doc_id="vwxyz"[rank - 1], at=at)]
        shard.append((at, 0), at, [call, *clicks])
        within = [rank] if rank <= depth else []
        wanted = [a + b for a, b in zip(wanted, click_cells(depth, within, depth), strict=True)]
        histogram[min(rank, depth + 1) - 1] += 1
        shard.read()
        if number % 7 == 0:
            shard.commit()
        if number % 11 == 0:
            shard.crash()
    shard.append((start + 10_000_000, 0), start + 10_000_000, [])
    shard.read()
    shard.commit()
    cells = unpack_cells(shard.matured[series_key(Series("a", "docs", "", "clicks"))])
    assert cells == [*histogram, *wanted]
