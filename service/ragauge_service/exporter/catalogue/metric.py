"""One metric as its documentation, its rendering and its checks see it."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["counter", "gauge", "histogram"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_SUFFIXES: Final = ("_total", "_sum", "_count", "_bucket", "_created")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric's name, kind and labels, what it means, how many series it has, and one query that uses it.

    ``values`` names the values of labels that are known beforehand: their series exist at 0 from the start,
    or from the first sight of the other labels' values. ``bounds`` are a histogram's buckets.

    Raises:
        ValueError: the name or a label breaks Prometheus' conventions.
    """

    name: str
    kind: Kind
    help: str
    query: str
    series: str
    labels: tuple[str, ...] = ()
    values: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    bounds: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name in (self.name, *self.labels):
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r}: lower case letters, digits and _ wanted")
        if (self.kind == "counter") is not self.name.endswith("_total"):
            raise ValueError(f"{self.name}: a counter ends with _total, and nothing else does")
        if self.kind != "counter" and self.name.endswith(_SUFFIXES):
            raise ValueError(f"{self.name}: {self.kind}s do not end with one of {_SUFFIXES}")
        if (self.kind == "histogram") is not bool(self.bounds):
            raise ValueError(f"{self.name}: histograms, and nothing else, have bounds")

    @property
    def family(self) -> str:
        """Return the name that OpenMetrics gives the family: a counter's without ``_total``."""
        return self.name.removesuffix("_total") if self.kind == "counter" else self.name

    @property
    def open_labels(self) -> tuple[str, ...]:
        """Return the labels whose values only traffic tells."""
        return tuple(label for label in self.labels if label not in self.values)

    @property
    def samples(self) -> tuple[str, ...]:
        """Return the names under which its samples are stored."""
        if self.kind == "histogram":
            return tuple(f"{self.name}_{part}" for part in ("bucket", "count", "sum"))
        return (self.name,)

    @property
    def width(self) -> int:
        """Return how many samples one set of label values has."""
        return len(self.bounds) + 3 if self.kind == "histogram" else 1
