"""The bytes of /metrics are those that prometheus_client writes."""

import gzip
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.exposition import generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from exporter.families import Gauges, registry
from ragauge_service.core.counting import Counting
from ragauge_service.exporter import CATALOGUE, Counters, Exporter
from ragauge_service.exporter.counters import Labels

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
PROMETHEUS_3 = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
    "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;q=0.3,*/*;q=0.1"
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**12), 10**12)
GAUGES = [metric for metric in CATALOGUE.values() if metric.kind == "gauge" and "ragauge_" in metric.name]
OWN = {"ragauge_build_info", "ragauge_exporter_series", "ragauge_exporter_scrape_duration_seconds"}


@st.composite
def gauges(draw: st.DrawFn) -> Gauges:
    """Return some gauges with any label values and any finite values."""
    found: Gauges = {}
    for metric in draw(st.lists(st.sampled_from(GAUGES), max_size=5)):
        if metric.name not in OWN:
            labels = tuple(draw(NAMES) for _ in metric.labels)
            found.setdefault(metric.name, {})[labels] = draw(VALUES)
    return found


@st.composite
def rows(draw: st.DrawFn) -> list[Any]:
    """Return increments of counters and histograms, with exemplars."""
    counting = Counting()
    for metric in draw(st.lists(st.sampled_from([*CATALOGUE.values()]), max_size=8)):
        labels = tuple(
            draw(st.sampled_from(metric.values[label]) if label in metric.values else NAMES)
            for label in metric.labels
        )
        if metric.kind == "counter":
            counting.add(metric.name, labels, draw(st.floats(0, 1e12) | st.integers(0, 10**9)))
        elif metric.kind == "histogram":
            trace = draw(st.none() | st.text("0123456789abcdef", min_size=1, max_size=32))
            value = draw(st.floats(0, 20))
            counting.observe(metric.name, labels, value, trace_id=trace, at=draw(st.floats(0, 2e9)))
    return counting.take()


def exporter_of(increments: list[Any], values: Gauges) -> tuple[Exporter, Gauges]:
    """Return an exporter with this content, and all gauges that it holds."""
    exporter = Exporter()
    exporter.add_collector("process", list)
    exporter.counters.add(increments)
    for name, samples in values.items():
        for labels, value in samples.items():
            exporter.set_gauge(name, labels, value)
    return exporter, exporter._gauges


@settings(max_examples=150, deadline=None)
@given(rows(), gauges())
def test_the_text_is_byte_equal_to_what_prometheus_client_writes(increments: Any, values: Gauges) -> None:
    exporter, held = exporter_of(increments, values)
    wanted = generate_latest(registry(exporter.counters, held))
    assert exporter.render("text/plain")[0] == wanted


@settings(max_examples=150, deadline=None)
@given(rows(), gauges())
def test_openmetrics_is_byte_equal_too_with_its_exemplars(increments: Any, values: Gauges) -> None:
    exporter, held = exporter_of(increments, values)
    wanted = generate_openmetrics(registry(exporter.counters, held))
    assert exporter.render(OPENMETRICS)[0] == wanted


@settings(max_examples=50, deadline=None)
@given(rows(), gauges())
def test_remembered_prefixes_change_nothing(increments: Any, values: Gauges) -> None:
    """The second rendering uses the prefixes of the first."""
    exporter, held = exporter_of(increments, values)
    exporter.render(OPENMETRICS)
    exporter.counters.add(increments)
    assert exporter.render("")[0] != b""
    wanted = generate_openmetrics(registry(exporter.counters, held))
    assert exporter.render(OPENMETRICS)[0] == wanted


@settings(max_examples=40, deadline=None)
@given(rows(), gauges())
def test_both_formats_are_read_back_with_finite_values_and_no_timestamps(
    increments: Any, values: Gauges
) -> None:
    exporter, _ = exporter_of(increments, values)
    text, openmetrics = exporter.render("")[0].decode(), exporter.render(OPENMETRICS)[0].decode()
    for families in (parse_text(text), parse_openmetrics(openmetrics)):
        samples = [sample for family in families for sample in family.samples]
        assert samples
        assert all(sample.timestamp is None and math.isfinite(sample.value) for sample in samples)


def test_gzip_holds_the_same_bytes_and_is_only_sent_when_asked_for() -> None:
    exporter = Exporter()
    exporter.add_collector("process", list)
    packed, _, encoding = exporter.render("", "gzip, deflate")
    assert encoding == "gzip"
    assert gzip.decompress(packed).startswith(b"# HELP ragauge_retrievals_total")
    assert exporter.render("", "identity")[2] is None


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("", "text/plain; version=0.0.4; charset=utf-8"),
        ("*/*", "text/plain; version=0.0.4; charset=utf-8"),
        ("application/openmetrics-text", "application/openmetrics-text; version=1.0.0; charset=utf-8"),
        ("application/openmetrics-text;version=2.0.0", "text/plain; version=0.0.4; charset=utf-8"),
        (
            "application/openmetrics-text;version=1.0.0;q=0.1,text/plain;version=0.0.4;q=0.9",
            "text/plain; version=0.0.4; charset=utf-8",
        ),
        (
            PROMETHEUS_3,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        ),
        ("application/openmetrics-text;q=nonsense", "text/plain; version=0.0.4; charset=utf-8"),
    ],
)
def test_the_format_is_the_one_that_the_scraper_prefers(accept: str, wanted: str) -> None:
    assert Exporter().render(accept)[1] == wanted


@pytest.mark.parametrize("trace", ['"} 1', "a b", "x" * 65, "\n", ""])
def test_a_trace_id_of_foreign_form_is_left_out_and_breaks_no_scrape(trace: str) -> None:
    counters = Counters()
    labels: Labels = ("howto", "docs", "", "judgments", "10")
    counters.add([["ragauge_ndcg", list(labels), [[1, 0, 0, 0, 0, 0], 0.0, [[0, trace, 0.0, 1.0]]]]])
    text = Exporter(counters=counters).render(OPENMETRICS)[0].decode()
    assert " # {" not in text
    assert list(parse_openmetrics(text))
