"""What the monitor knows at one moment: the only thing that the exporter and the HTTP surface read."""

from dataclasses import dataclass
from typing import Literal

from ragauge.events import Evidence
from ragauge_service.core.series import Series
from ragauge_service.core.tally import Layout, Tally

DropState = Literal["ok", "learning", "alarm", "held"]


@dataclass(frozen=True, slots=True)
class SeriesWindow:
    """The tally of one series over one window (``"1h"``)."""

    series: Series
    window: str
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class DropStatus:
    """What one detector says; variants are merged, and None stands for "over all" or "unknown".

    ``measure`` is ``MRR@10`` or ``hit@10``; ``reason`` says why an alarm is held or stands; ``log_e`` and
    ``threshold`` are natural logarithms; ``onset`` is Unix milliseconds; ``size`` is how far the mean lies
    under ``baseline`` since the onset (positive: worse), with its confidence sequence;
    ``observations_needed`` is how many retrievals a 10 % drop takes to be seen.
    """

    category: str | None
    retriever: str | None
    evidence: Evidence
    measure: str
    state: DropState
    reason: str | None = None
    baseline: float | None = None
    log_e: float | None = None
    threshold: float | None = None
    onset: int | None = None
    size: float | None = None
    size_lower: float | None = None
    size_upper: float | None = None
    observations_needed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All windows and all detectors at ``at`` (Unix milliseconds, the store's clock)."""

    at: int
    layout: Layout
    windows: tuple[SeriesWindow, ...] = ()
    drops: tuple[DropStatus, ...] = ()
    disagreements: tuple[tuple[str, str, float], ...] = ()
    """Category, retriever, and how much the two click models disagree there."""
