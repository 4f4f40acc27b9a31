"""Where retrievals are counted: series, and their minutes."""

from typing import Final

from ragauge.events import Evidence
from ragauge_service.core.failing import Worst
from ragauge_service.core.outcomes import Outcome
from ragauge_service.core.packing import series_key
from ragauge_service.core.series import Series

CLICKABLE: Final = 1
"""Users see these retrievals: no probe, no batch, no candidates of a reranker."""

FLOATING: Final = 2
"""No category has been named yet, neither by the decorator nor by judgments."""

PROBE: Final = 4
CLICKS: Final = 8


class SeriesState:
    """One series on one shard, with the cumulative histogram of its first outcomes.

    Of clicks, the histogram goes on with clicks by rank and looks by rank (``clicks.click_cells``).
    """

    __slots__ = ("key", "matured", "series")

    def __init__(self, series: Series, matured: list[int]) -> None:
        self.series = series
        self.key = series_key(series)
        self.matured = matured


class Place:
    """A series in a minute: where retrievals are counted, until the next write, by what they came to.

    ``counts`` are first outcomes; ``corrections`` take counted ones back and put others in their place.
    ``flags`` tell what else may become of the retrievals here.
    """

    __slots__ = ("clicks", "corrections", "counts", "flags", "labels", "minute", "state", "traces", "worst")

    def __init__(self, state: SeriesState, minute: int, labels: "Labels", flags: int) -> None:
        self.state = state
        self.minute = minute
        self.labels = labels
        self.flags = flags
        self.clicks: list[int] | None = None
        self.counts: dict[Outcome, int] = {}
        self.corrections: dict[Outcome, int] = {}
        self.traces: dict[Outcome, str] = {}
        self.worst: Worst | None = None


class Group:
    """A retriever in a category; clicks are scored from the position ``started`` on, None before any."""

    __slots__ = ("started",)

    def __init__(self) -> None:
        self.started: int | None = None


class Labels:
    """The admitted names of some retrievals, their series by evidence, and what is counted per call."""

    __slots__ = (
        "by_evidence",
        "category",
        "flags",
        "group",
        "latencies",
        "latest",
        "outcomes",
        "places",
        "retriever",
        "since",
        "until",
        "variant",
    )

    def __init__(self, category: str, retriever: str, variant: str, group: Group) -> None:
        self.category = category
        self.retriever = retriever
        self.variant = variant
        self.group = group
        self.places: dict[int, Place] = {}
        self.by_evidence: dict[Evidence, SeriesState] = {}
        self.outcomes = [0, 0, 0, 0]
        self.latencies: list[float] = []
        self.latest: Place
        self.since = self.until = self.flags = 0

    def series(self, evidence: Evidence) -> Series:
        """Return the series of these names under one kind of evidence."""
        return Series(self.category, self.retriever, self.variant, evidence)


def place_key(minute: int, flags: int) -> int:
    """Return the key of a place among its labels' places.

    >>> place_key(60_000, 3) != place_key(120_000, 3)
    True
    """
    return minute << 4 | flags


def evidence_of(flags: int) -> Evidence:
    """Return the kind of evidence that a place's flags stand for.

    >>> evidence_of(CLICKABLE | FLOATING), evidence_of(PROBE)
    ('judgments', 'probe')
    """
    if flags & CLICKS:
        return "clicks"
    return "probe" if flags & PROBE else "judgments"
