"""Metrics as bytes: the text that prometheus_client would write, with every series' prefix made only once."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import accumulate, chain
from operator import add
from typing import Final, TypeVar

from prometheus_client.utils import floatToGoString

from ragauge_service.exporter.catalogue import Metric
from ragauge_service.exporter.counters import Exemplar, Histogram, Labels
from ragauge_service.exporter.negotiation import Format

P = TypeVar("P")

_PLAIN: Final = 1_000_000.0
"""Below this, Python and Go write a number alike."""

_TRACE_ID: Final = re.compile(r"[0-9A-Za-z_.:-]{1,64}")


def number(value: float) -> str:
    """Return a sample's value as the text format has it.

    >>> number(0), number(0.5), number(2_500_000)
    ('0.0', '0.5', '2.5e+06')
    """
    return repr(float(value)) if -_PLAIN < value < _PLAIN else floatToGoString(value)


def numbers(values: Collection[float]) -> Iterable[str]:
    """Return many values as the text format has them.

    >>> [*numbers([1, 2.5])], [*numbers([1, 2_500_000])]
    (['1.0', '2.5'], ['1.0', '2.5e+06'])
    """
    plain = not values or (max(values) < _PLAIN and min(values) > -_PLAIN)
    return map(repr, map(float, values)) if plain else map(number, values)


def escaped(value: str) -> str:
    r"""Return a label's value as it stands between quotes.

    >>> print(escaped('a "b"\\'))
    a \"b\"\\
    """
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


class Renderer:
    """Writes families of samples; it remembers each series' prefix, which is most of its text."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[list[Labels], list[str]]] = {}
        self._buckets: dict[str, tuple[list[Labels], list[tuple[str, ...]]]] = {}

    def header(self, metric: Metric, kind: Format) -> str:
        """Return the HELP and TYPE lines."""
        name = metric.family if kind == "openmetrics" else metric.name
        words = metric.help.replace("\\", "\\\\").replace("\n", "\\n")
        if kind == "openmetrics":
            words = words.replace('"', '\\"')
        return f"# HELP {name} {words}\n# TYPE {name} {metric.kind}\n"

    def simple(self, metric: Metric, samples: Mapping[Labels, float]) -> str:
        """Return the lines of a counter or gauge."""
        prefixes = _prefixes(self._lines, metric, samples, _line)
        return _lines(prefixes, numbers(samples.values()))

    def histogram(self, metric: Metric, samples: Mapping[Labels, Histogram], kind: Format) -> str:
        """Return the lines of a histogram, with exemplars in OpenMetrics."""
        prefixes = chain.from_iterable(_prefixes(self._buckets, metric, samples, _bucket_lines))
        texts: list[str] = []
        for histogram in samples.values():
            counts = [*accumulate(histogram.counts)]
            plain = counts[-1] < _PLAIN
            values = [f"{count}.0" for count in counts] if plain else [*map(floatToGoString, counts)]
            total = [values[-1], number(histogram.total)]
            texts += (
                map(add, values, map(_exemplar, histogram.exemplars)) if kind == "openmetrics" else values
            )
            texts += total
        return _lines(prefixes, texts)


def _lines(prefixes: Iterable[str], values: Iterable[str]) -> str:
    """Return lines of a prefix and a value each; no step of it is interpreted."""
    text = "\n".join(map(add, prefixes, values))
    return f"{text}\n" if text else ""


def _prefixes(
    remembered: dict[str, tuple[list[Labels], list[P]]],
    metric: Metric,
    samples: Mapping[Labels, object],
    make: Callable[[Metric, Labels], P],
) -> list[P]:
    """Return the prefixes of a family's series, made anew only where the series are not those of before.

    Comparing the labels costs less than looking each up: tuples do not keep their hash.
    """
    keys, prefixes = remembered.get(metric.name, ([], []))
    wanted = list(samples)
    if wanted != keys:
        known = dict(zip(keys, prefixes, strict=True))
        prefixes = [known[labels] if labels in known else make(metric, labels) for labels in wanted]
        remembered[metric.name] = wanted, prefixes
    return prefixes


def _line(metric: Metric, labels: Labels) -> str:
    """Return what stands before the value of a counter or gauge."""
    return _prefix(metric.name, zip(metric.labels, labels, strict=True))


def _bucket_lines(metric: Metric, labels: Labels) -> tuple[str, ...]:
    """Return what stands before the values of a histogram's buckets, its count and its sum."""
    pairs = list(zip(metric.labels, labels, strict=True))
    bounds = [*map(number, metric.bounds), "+Inf"]
    lines = [_prefix(f"{metric.name}_bucket", [*pairs, ("le", bound)]) for bound in bounds]
    return (*lines, *(_prefix(f"{metric.name}_{part}", pairs) for part in ("count", "sum")))


def _prefix(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    inner = ",".join(f'{label}="{escaped(value)}"' for label, value in sorted(pairs))
    return f"{name}{{{inner}}} " if inner else f"{name} "


def _exemplar(exemplar: Exemplar | None) -> str:
    """Return what follows a bucket's value; a trace id of foreign form is left out, never a broken scrape."""
    if exemplar is None or not _TRACE_ID.fullmatch(exemplar.trace_id):
        return ""
    return f' # {{trace_id="{exemplar.trace_id}"}} {number(exemplar.value)} {exemplar.at}'
