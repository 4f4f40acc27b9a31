"""Clicks that say nothing of the ranking are set aside, and the horizon must not cut them off."""

from hypothesis import given
from hypothesis import strategies as st

from ragauge.events import Signal, SignalKind
from ragauge_service.core.click_hygiene import (
    DELAY_EDGES_MS,
    delay_cell,
    delay_quantile,
    good_documents,
    good_ranks,
    horizon_advice,
    set_aside,
)


def signal(doc: str | None, kind: SignalKind = "click", at: int = 0, value: float | None = None) -> Signal:
    return Signal(retrieval_id="r", doc_id=doc, kind=kind, at=at, value=value)


def test_a_document_counts_once_however_often_it_was_clicked() -> None:
    assert good_documents([signal("a"), signal("a", at=5), signal("a", "conversion")]) == {"a"}


def test_a_thumbs_down_takes_a_click_back() -> None:
    assert good_documents([signal("a"), signal("a", "thumbs_down")]) == frozenset()


def test_a_short_stay_takes_a_click_back_but_not_a_conversion() -> None:
    short = signal("a", "dwell", value=1.0)
    assert good_documents([signal("a"), short]) == frozenset()
    assert good_documents([signal("a"), short, signal("a", "dwell", value=30.0)]) == {"a"}
    assert good_documents([signal("a", "conversion"), short]) == {"a"}


def test_a_signal_without_a_document_is_no_gain() -> None:
    assert good_documents([signal(None, "thumbs_up")]) == frozenset()


def test_documents_that_were_not_shown_have_no_rank() -> None:
    assert good_ranks(["b", "a", "a"], frozenset({"a", "z"})) == (2,)


def test_who_clicks_on_everything_is_set_aside() -> None:
    clicks = [signal(doc, at=10_000 * at) for at, doc in enumerate("abcdefgh")]
    assert set_aside(clicks, 10) == "everything"
    assert set_aside(clicks[:7], 10) is None
    assert set_aside(clicks[:2], 2) is None


def test_clicks_faster_than_reading_are_set_aside() -> None:
    assert set_aside([signal(doc, at=300 * at) for at, doc in enumerate("abc")], 20) == "burst"
    assert set_aside([signal(doc, at=600 * at) for at, doc in enumerate("abc")], 20) is None


def test_a_double_click_is_no_burst() -> None:
    assert set_aside([signal("a", at=at) for at in (0, 100, 200)], 20) is None


@given(st.lists(st.integers(0, 3_600_000), min_size=1))
def test_a_quantile_of_delays_is_never_too_short(delays: list[int]) -> None:
    cells = [0] * (len(DELAY_EDGES_MS) + 1)
    for delay in delays:
        cells[delay_cell(delay)] += 1
    median = delay_quantile(cells, 0.5)
    assert median is not None
    assert median >= sorted(delays)[(len(delays) - 1) // 2]


def test_a_horizon_that_cuts_clicks_off_is_told() -> None:
    cells = [0] * (len(DELAY_EDGES_MS) + 1)
    assert horizon_advice(cells, 600_000) is None
    cells[delay_cell(5_000)] = 100
    assert horizon_advice(cells, 600_000) is None
    cells[delay_cell(550_000)] = 50
    assert "clicks are lost" in str(horizon_advice(cells, 600_000))
