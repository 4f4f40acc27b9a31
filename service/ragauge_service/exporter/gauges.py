"""A snapshot as gauges: what is not known is absent, never 0 and never NaN."""

from collections.abc import Iterator
from typing import Final

from ragauge_service.core.snapshot import DropStatus, SeriesWindow, Snapshot
from ragauge_service.exporter.catalogue.windows import MEASURES
from ragauge_service.exporter.selection import Selection

Gauge = tuple[str, tuple[str, ...], float]
"""A metric's name, its label values in the catalogue's order, and its value."""

UNBOUNDED: Final = frozenset({"judged"})
"""Measures that are exported without bounds by default: they describe the judgments, not the retriever."""


def window_gauges(window: SeriesWindow, selection: Selection, measures: tuple[str, ...]) -> Iterator[Gauge]:
    """Yield the gauges of one series over one window; nothing for a series without retrievals."""
    series, tally = window.series, window.tally
    labels = (series.category, series.retriever, series.variant, series.evidence)
    total = tally.count("retrievals")
    if total == 0 and tally.scored == 0:
        return
    yield "ragauge_window_scored_retrievals", (*labels, window.window), tally.scored
    yield "ragauge_window_retrievals", (*labels, window.window), total
    for measure in measures:
        yield from _measure_gauges(window, measure, labels, bounds=window.window in selection.bounds)
    if series.evidence != "clicks":
        yield from _judgment_gauges(window, labels)


def _measure_gauges(
    window: SeriesWindow, measure: str, labels: tuple[str, ...], *, bounds: bool
) -> Iterator[Gauge]:
    interval = window.tally.interval(measure)
    if interval is None:
        return
    kind, _, k = measure.partition("@")
    name, full = MEASURES[kind][0], (*labels, k, window.window)
    yield name, full, interval.mean
    if bounds and kind not in UNBOUNDED:
        yield f"{name}_lower", full, interval.lower
        yield f"{name}_upper", full, interval.upper


def _judgment_gauges(window: SeriesWindow, labels: tuple[str, ...]) -> Iterator[Gauge]:
    tally, full = window.tally, (*labels, window.window)
    if tally.judged_ratio is not None:
        yield "ragauge_window_judged_ratio", full, tally.judged_ratio
    if tally.abstained_ratio is not None:
        yield "ragauge_window_no_answer_retrievals", full, tally.count("no_answer")
        yield "ragauge_window_abstained_ratio", full, tally.abstained_ratio


def drop_gauges(drop: DropStatus) -> Iterator[Gauge]:
    """Yield the gauges of one detector; None, which is all of them, becomes ""."""
    labels = (drop.category or "", drop.retriever or "", drop.evidence, drop.measure)
    yield "ragauge_drop_alarm", labels, float(drop.state == "alarm")
    yield "ragauge_detector_state", (*labels, drop.state), 1.0
    for name, value in (
        ("log_e_value", drop.log_e),
        ("threshold", drop.threshold),
        ("baseline", drop.baseline),
        ("size", drop.size),
        ("size_lower", drop.size_lower),
        ("size_upper", drop.size_upper),
        ("onset_timestamp_seconds", None if drop.onset is None else drop.onset / 1000),
        ("observations_needed", drop.observations_needed),
    ):
        if value is not None:
            yield f"ragauge_drop_{name}", labels, value


def click_gauges(snapshot: Snapshot) -> Iterator[Gauge]:
    """Yield how much the click models disagree, where there are enough clicks to say so."""
    for category, retriever, gauge in snapshot.disagreements:
        yield "ragauge_click_model_disagreement", (category, retriever), gauge


def busiest_first(snapshot: Snapshot) -> list[SeriesWindow]:
    """Return the windows, those with the most retrievals first: a limit of series cuts the quiet ones."""
    return sorted(snapshot.windows, key=lambda window: -window.tally.count("retrievals"))
