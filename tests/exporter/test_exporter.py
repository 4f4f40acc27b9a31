"""What is exported, what is absent, and that a scrape always answers."""

from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse_text

from ragauge.errors import ConfigurationError
from ragauge_service.core.counting import Counting
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus, SeriesWindow, Snapshot
from ragauge_service.core.tally import UNIT, Layout, Tally
from ragauge_service.exporter import CATALOGUE, Counters, Exporter, Selection

LAYOUT = Layout()
SERIES = Series("howto", "docs", "v1", "judgments")
HOWTO = {"category": "howto", "retriever": "docs", "variant": "v1", "evidence": "judgments"}


def tally(*, first: int = 8, missed: int = 2, no_answer: int = 0, abstained: int = 0) -> Tally:
    """Return a tally of retrievals with their relevant document at rank 1, or nowhere."""
    cells = LAYOUT.zeros()
    cells[0], cells[LAYOUT.depth] = first, missed
    cells[LAYOUT.cell("retrievals")] = first + missed + no_answer
    cells[LAYOUT.cell("nonempty")] = first + missed
    cells[LAYOUT.cell("no_answer")], cells[LAYOUT.cell("abstained")] = no_answer, abstained
    at = LAYOUT.cell("nDCG@10")
    cells[at] = cells[at + 1] = first * UNIT
    return Tally(LAYOUT, cells)


def snapshot(*windows: SeriesWindow, drops: tuple[DropStatus, ...] = ()) -> Snapshot:
    """Return a snapshot of these windows and detectors."""
    return Snapshot(at=1_000_000, layout=LAYOUT, windows=windows, drops=drops)


def samples(exporter: Exporter) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return what a scrape reads."""
    text = exporter.render()[0].decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in parse_text(text)
        for sample in family.samples
    }


def value(exporter: Exporter, name: str, **labels: str) -> float | None:
    """Return one sample's value, or None when it is absent."""
    return samples(exporter).get((name, frozenset(labels.items())))


def test_a_window_is_exported_with_its_bounds_and_its_denominator() -> None:
    exporter = Exporter()
    exporter.publish(snapshot(SeriesWindow(SERIES, "1h", tally())))
    assert value(exporter, "ragauge_window_mrr", **HOWTO, k="10", window="1h") == 0.8
    assert value(exporter, "ragauge_window_hit_rate", **HOWTO, k="5", window="1h") == 0.8
    assert value(exporter, "ragauge_window_ndcg", **HOWTO, k="10", window="1h") == 0.8
    assert value(exporter, "ragauge_window_scored_retrievals", **HOWTO, window="1h") == 10
    lower = value(exporter, "ragauge_window_mrr_lower", **HOWTO, k="10", window="1h")
    assert lower is not None
    assert 0 < lower < 0.8


def test_a_long_window_has_no_bounds_by_default() -> None:
    exporter = Exporter()
    exporter.publish(snapshot(SeriesWindow(SERIES, "7d", tally())))
    assert value(exporter, "ragauge_window_mrr", **HOWTO, k="10", window="7d") == 0.8
    assert not [name for name, _ in samples(exporter) if name.endswith("_lower")]


def test_no_denominator_means_no_value() -> None:
    """Zero would page someone, and NaN would poison every sum it enters."""
    exporter = Exporter()
    exporter.publish(snapshot(SeriesWindow(SERIES, "1h", tally(first=0, missed=0, no_answer=3, abstained=3))))
    assert value(exporter, "ragauge_window_scored_retrievals", **HOWTO, window="1h") == 0
    assert value(exporter, "ragauge_window_abstained_ratio", **HOWTO, window="1h") == 1
    assert value(exporter, "ragauge_window_mrr", **HOWTO, k="10", window="1h") is None


def test_what_vanished_is_absent_and_not_stale() -> None:
    exporter = Exporter()
    exporter.publish(snapshot(SeriesWindow(SERIES, "1h", tally())))
    exporter.publish(snapshot(SeriesWindow(SERIES, "1h", tally(first=0, missed=0))))
    assert not [name for name, _ in samples(exporter) if name.startswith("ragauge_window")]


def test_past_its_lease_a_monitor_exports_no_window_and_no_detector() -> None:
    """Two instances that both export windows would be summed into nonsense."""
    drop = DropStatus(category="howto", retriever="docs", evidence="judgments", measure="MRR@10", state="ok")
    exporter = Exporter()
    exporter.publish(snapshot(SeriesWindow(SERIES, "1h", tally()), drops=(drop,)))
    exporter.publish(None)
    names = {name for name, _ in samples(exporter)}
    assert not [
        name for name in names if name.startswith(("ragauge_window", "ragauge_drop_", "ragauge_snap"))
    ]
    assert "ragauge_build_info" in names


def test_a_detector_is_exported_with_what_it_knows() -> None:
    drop = DropStatus(
        category=None,
        retriever="docs",
        evidence="judgments",
        measure="hit@10",
        state="alarm",
        onset=90_000,
        size=0.2,
    )
    exporter = Exporter()
    exporter.publish(snapshot(drops=(drop,)))
    labels = {"category": "", "retriever": "docs", "evidence": "judgments", "measure": "hit@10"}
    assert value(exporter, "ragauge_drop_alarm", **labels) == 1
    assert value(exporter, "ragauge_drop_onset_timestamp_seconds", **labels) == 90
    assert value(exporter, "ragauge_drop_baseline", **labels) is None
    assert value(exporter, "ragauge_detector_state", **labels, state="alarm") == 1


def test_known_series_begin_at_zero_so_that_the_first_event_is_an_increase() -> None:
    exporter = Exporter()
    assert value(exporter, "ragauge_events_dropped_total", reason="queue_full") == 0
    counting = Counting()
    counting.add("ragauge_retrievals_total", ("howto", "docs", "v1", "ok"))
    exporter.counters.add(counting.take())
    call = {"category": "howto", "retriever": "docs", "variant": "v1"}
    assert value(exporter, "ragauge_retrievals_total", **call, outcome="ok") == 1
    assert value(exporter, "ragauge_retrievals_total", **call, outcome="timeout") == 0
    assert value(exporter, "ragauge_forbidden_documents_total", **call) == 0


def test_no_series_stands_in_a_scrape_twice() -> None:
    """Prometheus refuses the whole scrape otherwise."""
    text = Exporter().render()[0].decode()
    names = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
    assert len(names) == len(set(names))


def test_a_failing_collector_is_counted_and_the_rest_is_served() -> None:
    def broken() -> Iterator[tuple[str, tuple[str, ...], float]]:
        yield "ragauge_workers", (), 3
        raise RuntimeError("the store is away")

    exporter = Exporter()
    exporter.add_collector("process", broken)
    assert value(exporter, "ragauge_workers") == 3
    assert value(exporter, "ragauge_exporter_collector_errors_total", collector="process") == 2


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_value_that_is_not_finite_is_left_out_and_counted(bad: float) -> None:
    exporter = Exporter()
    exporter.set_gauge("ragauge_workers", (), 2)
    exporter.set_gauge("ragauge_workers", (), bad)
    assert value(exporter, "ragauge_workers") is None
    assert value(exporter, "ragauge_exporter_collector_errors_total", collector="gauges") == 1


@pytest.mark.parametrize(
    "row",
    [
        ["ragauge_unknown_total", [], 1],
        ["ragauge_malformed_events_total", ["surplus"], 1],
        ["ragauge_malformed_events_total", [], -1],
        ["ragauge_malformed_events_total", [], "many"],
        ["ragauge_late_events_total", ["no such kind"], 1],
        ["ragauge_late_events_total", [7], 1],
        ["ragauge_retrievals_total", ["x" * 129, "docs", "", "ok"], 1],
        ["ragauge_commit_duration_seconds", [], [[1], 0.1, []]],
        ["ragauge_commit_duration_seconds", [], [[0] * 12, float("nan"), []]],
        ["short"],
        None,
    ],
)
def test_increments_that_cannot_be_used_are_counted_and_change_nothing(row: object) -> None:
    counters = Counters()
    before = counters.size
    counters.add([row])  # pyright: ignore[reportArgumentType]
    assert counters.value("ragauge_exporter_collector_errors_total", ("increments",)) == 1
    assert counters.size == before


def test_beyond_the_limit_new_labels_are_counted_and_left_out() -> None:
    """A caller who puts a user id into the category must not take Prometheus down."""
    counters = Counters(limit=Counters().size + 30)
    for user in range(50):
        counters.add([["ragauge_retrievals_total", [f"user-{user}", "docs", "", "ok"], 1]])
    assert counters.size <= Counters().size + 30
    assert counters.value("ragauge_exporter_overflow_total") >= 40


def test_beyond_the_limit_the_quietest_windows_are_left_out() -> None:
    quiet = Series("quiet", "docs", "v1", "judgments")
    both = (SeriesWindow(quiet, "1h", tally(first=1)), SeriesWindow(SERIES, "1h", tally(first=100)))
    exporter = Exporter(limit=Counters().size + 20)
    exporter.publish(snapshot(*both))
    found = {dict(labels)["category"] for name, labels in samples(exporter) if name == "ragauge_window_mrr"}
    assert found == {"howto"}
    assert value(exporter, "ragauge_exporter_overflow_total") == 1


def test_everything_can_be_exported_by_configuration() -> None:
    exporter = Exporter(selection=Selection.everything(LAYOUT, ("1h", "7d")))
    exporter.publish(snapshot(SeriesWindow(SERIES, "7d", tally())))
    for k in ("1", "3", "5", "10"):
        assert value(exporter, "ragauge_window_recall", **HOWTO, k=k, window="7d") == 0
    assert value(exporter, "ragauge_window_mrr_upper", **HOWTO, k="3", window="7d") is not None


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'accuracy@5'"):
        Selection(measures=("accuracy@5",))


def test_a_gauge_of_unknown_form_is_refused() -> None:
    exporter = Exporter()
    with pytest.raises(ValueError, match="0 label values"):
        exporter.set_gauge("ragauge_workers", ("a",), 1)
    with pytest.raises(KeyError):
        exporter.set_gauge("ragauge_nothing", (), 1)


def test_a_cleared_gauge_is_absent() -> None:
    exporter = Exporter()
    exporter.set_gauge("ragauge_shard_lag_seconds", ("3",), 1.5)
    exporter.clear_gauge("ragauge_shard_lag_seconds")
    assert value(exporter, "ragauge_shard_lag_seconds", shard="3") is None


def test_every_name_in_the_catalogue_is_in_a_scrape() -> None:
    text = Exporter().render()[0].decode()
    assert [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")] == list(CATALOGUE)
