"""``GET /v1/failures``: the worst retrievals, and for an alarm the queries before and after its onset."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from ragauge.events import Evidence
from ragauge_service.api.access import needs
from ragauge_service.api.parts import Given
from ragauge_service.core.changes import SlotKey
from ragauge_service.core.failing import MISS, Failure, read_failures
from ragauge_service.core.packing import series_of
from ragauge_service.core.series import Series
from ragauge_service.core.slots import MINUTE_MS
from ragauge_service.core.snapshot import DropStatus, Snapshot

router = APIRouter(tags=["quality"])

LONGEST_MS: Final = 3 * 60 * MINUTE_MS
"""The worst retrievals of a minute are kept for three hours."""

DEFAULT_MS: Final = 60 * MINUTE_MS
AROUND_MS: Final = 15 * MINUTE_MS
"""How much of the time before an onset is shown."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which series are asked for; None stands for any."""

    category: str | None
    retriever: str | None
    evidence: Evidence | None

    def holds(self, category: str | None, retriever: str | None, evidence: str) -> bool:
        """Tell whether a series, or a detector that may stand for all of them, is asked for."""
        pairs = ((self.category, category), (self.retriever, retriever), (self.evidence, evidence))
        return all(want is None or want == name for want, name in pairs)


class FailureOut(BaseModel):
    """One retrieval that went badly."""

    category: str
    retriever: str
    variant: str
    evidence: Evidence
    retrieval_id: str
    key: str
    query: str | None
    ids: list[str]
    first_rank: int | None = Field(description="Rank of the first relevant document; null for a miss.")
    trace_id: str | None
    at: int = Field(description="Unix milliseconds.")


class Failures(BaseModel):
    """The worst retrievals of a time, worst first; for an alarm also those before and after its onset."""

    model_config = ConfigDict(serialize_by_alias=True)

    schema_: Literal["ragauge.failures/1"] = Field(default="ragauge.failures/1", serialization_alias="schema")
    from_: int = Field(serialization_alias="from", description="Unix milliseconds.")
    to: int
    onset: int | None = Field(None, description="When the drop began whose alarm stands, if one does.")
    failures: list[FailureOut]
    before: list[FailureOut] = Field([], description="Worst before the onset.")
    after: list[FailureOut] = Field([], description="Worst since the onset, of queries not among `before`.")


@router.get("/v1/failures", dependencies=[needs("read")])
def failures(
    parts: Given,
    category: str | None = None,
    retriever: str | None = None,
    evidence: Evidence | None = None,
    from_: Annotated[
        int | None, Query(alias="from", ge=0, le=2**53, description="Unix milliseconds.")
    ] = None,
    to: Annotated[int | None, Query(ge=0, le=2**53, description="Unix milliseconds.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> Failures:
    """Return the worst retrievals that are kept: 50 a series and minute, for three hours."""
    now, wanted = parts.now_ms(), Wanted(category, retriever, evidence)
    onset = _onset(parts.snapshots.latest(), wanted)
    last = min(now if to is None else to, now)
    usual = last - DEFAULT_MS if onset is None else min(onset - AROUND_MS, last - DEFAULT_MS)
    first = max(usual if from_ is None else from_, now - LONGEST_MS)
    found = [each for each in _read(parts, wanted, first, last) if first <= each.at <= last]
    before, after = _around(found, onset, limit)
    worst = sorted(found, key=_badness)[:limit]
    return Failures(from_=first, to=last, onset=onset, failures=worst, before=before, after=after)


def _onset(snapshot: Snapshot | None, wanted: Wanted) -> int | None:
    """Return the earliest onset among the alarms that stand for what is asked, if any does."""
    drops: Iterable[DropStatus] = snapshot.drops if snapshot else ()
    onsets = (
        drop.onset
        for drop in drops
        if drop.state == "alarm"
        and drop.category is not None
        and wanted.holds(drop.category, drop.retriever, drop.evidence)
    )
    return min((onset for onset in onsets if onset is not None), default=None)


def _around(
    found: list[FailureOut], onset: int | None, limit: int
) -> tuple[list[FailureOut], list[FailureOut]]:
    """Return what failed before an onset, and what has begun to fail since."""
    if onset is None:
        return [], []
    before = [each for each in found if each.at < onset]
    known = {each.key for each in before}
    after = [each for each in found if each.at >= onset and each.key not in known]
    return sorted(before, key=_badness)[:limit], sorted(after, key=_badness)[:limit]


def _badness(failure: FailureOut) -> tuple[int, int]:
    return -(failure.first_rank or MISS), -failure.at


def _read(parts: Given, wanted: Wanted, first: int, last: int) -> Iterator[FailureOut]:
    begin = first // MINUTE_MS * MINUTE_MS
    slots = [SlotKey(1, start) for start in range(begin, last + 1, MINUTE_MS)]
    for shard in range(parts.inlet.shards):
        for rows in parts.namespace.shard(shard).load_failures(slots).values():
            for key, packed in rows.items():
                series = series_of(key)
                if wanted.holds(series.category, series.retriever, series.evidence):
                    yield from (_out(series, failure) for failure in read_failures(packed))


def _out(series: Series, failure: Failure) -> FailureOut:
    return FailureOut(
        category=series.category,
        retriever=series.retriever,
        variant=series.variant,
        evidence=series.evidence,
        retrieval_id=failure.id,
        key=failure.key,
        query=failure.query,
        ids=list(failure.ids),
        first_rank=failure.rank,
        trace_id=failure.trace_id,
        at=failure.at,
    )
