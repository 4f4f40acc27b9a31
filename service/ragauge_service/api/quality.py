"""``GET /v1/quality``: every series over every window, and what the detectors say of it."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from ragauge.events import Evidence
from ragauge_service.api.access import needs
from ragauge_service.api.parts import Given
from ragauge_service.core.snapshot import DropState, DropStatus, SeriesWindow, Snapshot

router = APIRouter(tags=["quality"])


class Value(BaseModel):
    """A mean and its 95 % interval."""

    value: float
    lower: float
    upper: float


class Drop(BaseModel):
    """What the detector of a category and retriever says, variants merged."""

    state: DropState
    reason: str | None = None
    measure: str | None = None
    baseline: float | None = None
    log_e: float | None = None
    threshold: float | None = None
    onset: int | None = Field(None, description="Unix milliseconds.")
    size: float | None = Field(None, description="How far the mean lies under the baseline since the onset.")
    size_lower: float | None = None
    size_upper: float | None = None
    observations_needed: int | None = None


class Detector(Drop):
    """What a detector says; a category or retriever of null stands for all of them together."""

    category: str | None
    retriever: str | None
    evidence: Evidence


class SeriesQuality(BaseModel):
    """One series over one window; what is not known is absent."""

    category: str
    retriever: str
    variant: str
    evidence: Evidence
    window: str
    retrievals: int
    scored: int
    judged_ratio: float | None
    abstained_ratio: float | None = None
    measures: dict[str, Value]
    drop: Drop | None


class Quality(BaseModel):
    """All that matches, at one moment."""

    model_config = ConfigDict(serialize_by_alias=True)

    schema_: Literal["ragauge.quality/1"] = Field(default="ragauge.quality/1", serialization_alias="schema")
    at: int | None = Field(description="Unix milliseconds on the store's clock; null before the first.")
    series: list[SeriesQuality]
    detectors: list[Detector] = []


@router.get("/v1/quality", dependencies=[needs("read")])
def quality(
    parts: Given,
    window: Annotated[str | None, Query(description="Such as 1h.")] = None,
    category: str | None = None,
    retriever: str | None = None,
    evidence: Evidence | None = None,
) -> Quality:
    """Return the rolling means with their bounds and denominators, and the state of each detector."""
    snapshot = parts.snapshots.latest()
    if snapshot is None:
        return Quality(at=None, series=[])
    wanted = (category, retriever, evidence)
    drops = [
        drop for drop in snapshot.drops if _matches((drop.category, drop.retriever, drop.evidence), wanted)
    ]
    return Quality(
        at=snapshot.at,
        series=[
            series_quality(part, snapshot)
            for part in snapshot.windows
            if window in {None, part.window} and _matches(_names(part), wanted)
        ],
        detectors=[
            Detector(**_fields(d), category=d.category, retriever=d.retriever, evidence=d.evidence)
            for d in drops
        ],
    )


def series_quality(part: SeriesWindow, snapshot: Snapshot) -> SeriesQuality:
    """Return one series over one window as it is answered."""
    series, tally = part.series, part.tally
    intervals = ((name, tally.interval(name)) for name in snapshot.layout.measures)
    return SeriesQuality(
        category=series.category,
        retriever=series.retriever,
        variant=series.variant,
        evidence=series.evidence,
        window=part.window,
        retrievals=tally.count("retrievals"),
        scored=tally.scored,
        judged_ratio=None if series.evidence == "clicks" else tally.judged_ratio,
        abstained_ratio=tally.abstained_ratio,
        measures={
            name: Value(value=found.mean, lower=found.lower, upper=found.upper)
            for name, found in intervals
            if found is not None
        },
        drop=_drop_of(part, snapshot),
    )


def _drop_of(part: SeriesWindow, snapshot: Snapshot) -> Drop | None:
    """Return the loudest of a series' detectors: one that is in alarm, else the one with most evidence."""
    mine = [drop for drop in snapshot.drops if (drop.category, drop.retriever, drop.evidence) == _names(part)]
    if not mine:
        return None
    return Drop(**_fields(max(mine, key=_loudness)))


def _loudness(drop: DropStatus) -> tuple[bool, bool, float]:
    return drop.state == "alarm", drop.state == "held", drop.log_e if drop.log_e is not None else -1e300


def _fields(drop: DropStatus) -> dict[str, Any]:
    return {name: getattr(drop, name) for name in Drop.model_fields}


def _names(part: SeriesWindow) -> tuple[str, str, Evidence]:
    return part.series.category, part.series.retriever, part.series.evidence


def _matches(names: tuple[str | None, ...], wanted: tuple[str | None, ...]) -> bool:
    return all(want is None or name == want for name, want in zip(names, wanted, strict=True))
