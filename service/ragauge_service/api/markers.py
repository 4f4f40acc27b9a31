"""``/v1/markers`` and ``/v1/alarms``: what people tell the monitor: a deploy, an acknowledgement."""

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, StringConstraints

from ragauge.events import Evidence
from ragauge_service.api.access import needs
from ragauge_service.api.fields import Body, Millis, Name
from ragauge_service.api.parts import Given
from ragauge_service.api.problems import Problem

router = APIRouter(prefix="/v1", tags=["markers"])

DEPLOY: Literal["deploy"] = "deploy"
ACKNOWLEDGE: Literal["acknowledge"] = "acknowledge"


class Deploy(Body):
    """A change of the retriever that is watched; it annotates an alarm and excuses none."""

    kind: Literal["deploy"] = "deploy"
    text: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(
        description="What was deployed, such as a version."
    )
    at: Millis | None = Field(None, description="Unix milliseconds; now if missing.")


class Acknowledgement(Body):
    """Whose alarm is taken for the new normal; null stands for all categories or retrievers together."""

    category: Name | None = None
    retriever: Name | None = None
    evidence: Evidence = "judgments"


class MarkerOut(BaseModel):
    """A marker as it is kept."""

    id: str
    kind: str
    text: str
    at: int


class Markers(BaseModel):
    """The newest markers, oldest first."""

    markers: list[MarkerOut]


@router.post("/markers", status_code=201, dependencies=[needs("admin")])
def post_marker(body: Deploy, parts: Given) -> MarkerOut:
    """Note a deploy."""
    at = parts.now_ms() if body.at is None else body.at
    return MarkerOut(
        id=parts.namespace.monitor.mark(DEPLOY, body.text, at), kind=DEPLOY, text=body.text, at=at
    )


@router.get("/markers", dependencies=[needs("read")])
def get_markers(parts: Given, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> Markers:
    """Return deploys and acknowledgements."""
    found = parts.namespace.monitor.markers()[-limit:]
    return Markers(markers=[MarkerOut(id=m.id, kind=m.kind, text=m.text, at=m.at) for m in found])


@router.post("/alarms/acknowledge", status_code=202, dependencies=[needs("admin")])
def acknowledge(body: Acknowledgement, parts: Given) -> MarkerOut:
    """Take what was seen since an alarm's onset for the new normal, and clear the alarm.

    The monitor does it within a second or two.
    """
    snapshot = parts.snapshots.latest()
    wanted = (body.category, body.retriever, body.evidence)
    known = {(d.category, d.retriever, d.evidence) for d in snapshot.drops} if snapshot else set()
    if wanted not in known:
        raise Problem(404, f"no detector for category, retriever and evidence {wanted}; see /v1/quality")
    text, at = json.dumps(body.model_dump()), parts.now_ms()
    return MarkerOut(
        id=parts.namespace.monitor.mark(ACKNOWLEDGE, text, at), kind=ACKNOWLEDGE, text=text, at=at
    )
