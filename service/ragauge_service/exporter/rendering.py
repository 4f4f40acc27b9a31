"""Metrics as bytes: the text that prometheus_client would write, with every series' prefix made only once."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

from prometheus_client.utils import floatToGoString

from ragauge_service.exporter.catalogue import Metric
from ragauge_service.exporter.counters import Exemplar, Histogram, Labels
from ragauge_service.exporter.negotiation import Format

_PLAIN: Final = 1_000_000.0
"""Below this, Python and Go write a number alike."""

_TRACE_ID: Final = re.compile(r"[0-9A-Za-z_.:-]{1,64}")


def number(value: float) -> str:
    """Return a sample's value as the text format has it.

    >>> number(0), number(0.5), number(2_500_000)
    ('0.0', '0.5', '2.5e+06')
    """
    return repr(float(value)) if -_PLAIN < value < _PLAIN else floatToGoString(value)


def escaped(value: str) -> str:
    r"""Return a label's value as it stands between quotes.

    >>> print(escaped('a "b"\\'))
    a \"b\"\\
    """
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


class Renderer:
    """Writes families of samples; it remembers each series' prefix, which is most of its text."""

    def __init__(self, *, remembered: int = 200_000) -> None:
        self._remembered = remembered
        self._lines: dict[tuple[str, Labels], str] = {}
        self._buckets: dict[tuple[str, Labels], tuple[str, ...]] = {}

    def header(self, metric: Metric, kind: Format) -> str:
        """Return the HELP and TYPE lines."""
        name = metric.family if kind == "openmetrics" else metric.name
        words = metric.help.replace("\\", "\\\\").replace("\n", "\\n")
        if kind == "openmetrics":
            words = words.replace('"', '\\"')
        return f"# HELP {name} {words}\n# TYPE {name} {metric.kind}\n"

    def simple(self, metric: Metric, samples: Mapping[Labels, float]) -> Iterator[str]:
        """Yield the lines of a counter or gauge."""
        known, name = self._lines, metric.name
        for labels, value in samples.items():
            prefix = known.get((name, labels))
            if prefix is None:
                prefix = self._remember(metric, labels)
            plain = -_PLAIN < value < _PLAIN
            yield f"{prefix}{float(value) if plain else floatToGoString(value)}\n"

    def histogram(self, metric: Metric, samples: Mapping[Labels, Histogram], kind: Format) -> Iterator[str]:
        """Yield the lines of a histogram, with exemplars in OpenMetrics."""
        for labels, histogram in samples.items():
            prefixes = self._buckets.get((metric.name, labels)) or self._remember_buckets(metric, labels)
            values = [*map(number, accumulate(histogram.counts))]
            ends = map(_exemplar, histogram.exemplars) if kind == "openmetrics" else [""] * len(values)
            for prefix, value, end in zip(prefixes, values, ends, strict=False):
                yield f"{prefix}{value}{end}\n"
            yield f"{prefixes[-2]}{values[-1]}\n"
            yield f"{prefixes[-1]}{number(histogram.total)}\n"

    def _remember(self, metric: Metric, labels: Labels) -> str:
        if len(self._lines) >= self._remembered:
            self._lines.clear()
        pairs = zip(metric.labels, labels, strict=True)
        prefix = self._lines[metric.name, labels] = _prefix(metric.name, pairs)
        return prefix

    def _remember_buckets(self, metric: Metric, labels: Labels) -> tuple[str, ...]:
        if len(self._buckets) >= self._remembered:
            self._buckets.clear()
        pairs = list(zip(metric.labels, labels, strict=True))
        bounds = [*map(number, metric.bounds), "+Inf"]
        lines = [_prefix(f"{metric.name}_bucket", [*pairs, ("le", bound)]) for bound in bounds]
        lines += [_prefix(f"{metric.name}_{part}", pairs) for part in ("count", "sum")]
        self._buckets[metric.name, labels] = tuple(lines)
        return self._buckets[metric.name, labels]


def _prefix(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    inner = ",".join(f'{label}="{escaped(value)}"' for label, value in sorted(pairs))
    return f"{name}{{{inner}}} " if inner else f"{name} "


def _exemplar(exemplar: Exemplar | None) -> str:
    """Return what follows a bucket's value; a trace id of foreign form is left out, never a broken scrape."""
    if exemplar is None or not _TRACE_ID.fullmatch(exemplar.trace_id):
        return ""
    return f' # {{trace_id="{exemplar.trace_id}"}} {number(exemplar.value)} {exemplar.at}'
