"""Which of the window statistics are exported: a few by default, everything by configuration."""

from dataclasses import dataclass

from ragauge.errors import ConfigurationError
from ragauge_service.core.tally import Layout
from ragauge_service.exporter.catalogue.windows import MEASURES


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The measures that are exported for every window, and the windows that carry bounds.

    About 50 series for each internal one. ``measures`` that a layout does not hold are left out.

    Raises:
        ConfigurationError: a measure's name is unknown.

    >>> Selection(measures=("MRR@10",)).of(Layout(depth=5))
    ()
    """

    measures: tuple[str, ...] = ("MRR@10", "hit@5", "nDCG@10", "judged@10")
    bounds: tuple[str, ...] = ("1h", "24h")

    def __post_init__(self) -> None:
        for measure in self.measures:
            name, _, k = measure.partition("@")
            if name not in MEASURES or not k.isdecimal():
                raise ConfigurationError(f"measure {measure!r}: one of {', '.join(MEASURES)} with @k wanted")

    @classmethod
    def everything(cls, layout: Layout, windows: tuple[str, ...]) -> "Selection":
        """Return all measures of a layout, with bounds on all windows."""
        return cls(measures=layout.measures, bounds=windows)

    def of(self, layout: Layout) -> tuple[str, ...]:
        """Return the selected measures that tallies of this layout can answer."""
        return tuple(measure for measure in self.measures if _holds(layout, measure))


def _holds(layout: Layout, measure: str) -> bool:
    name, _, k = measure.partition("@")
    return int(k) <= layout.depth if name in {"MRR", "hit"} else measure in layout.measures
