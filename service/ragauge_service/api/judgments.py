"""``/v1/judgments``: load, change, read and export what is known of queries."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, ValidationError

from ragauge.errors import InputError
from ragauge.events import JudgmentsEvent, JudgmentsMode, id_key, normalise, partition_of, shard_of, text_key
from ragauge_service.api.access import Raw, needs
from ragauge_service.api.inlet import Placed
from ragauge_service.api.judgment_bodies import JudgmentsIn, Known, event_of, placed_judgments
from ragauge_service.api.parts import Given
from ragauge_service.api.problems import Problem, explain
from ragauge_service.core.judged import Version, unpack_versions

router = APIRouter(prefix="/v1/judgments", tags=["judgments"])

NDJSON = "application/x-ndjson"
LINES_SHOWN = 100
Mode = Literal["replace", "merge"]


class RejectedLine(BaseModel):
    """One line that was left out, and why."""

    line: int = Field(description="Which one, counted from 1.")
    reason: str


class Loaded(BaseModel):
    """What became of a file: how many queries were taken, and the first 100 lines that were not."""

    accepted: int
    rejected: list[RejectedLine] = []
    rejected_lines: int = 0


class Stored(BaseModel):
    """What is known of one query."""

    key: str
    query_id: str | None = None
    query: str | None = None
    category: str | None = None
    relevant: dict[str, int]
    no_answer: bool = False
    forbidden: list[str] = []
    source: str = ""
    at: int = 0


class Change(Known):
    """What is known of the query that the address names; its text is wanted for a ``t:`` key."""

    query: str | None = None


_BODY: Any = {
    "requestBody": {
        "required": True,
        "content": {NDJSON: {"schema": {"type": "string", "description": "One judgments object a line."}}},
    }
}


@router.post("", status_code=202, dependencies=[needs("ingest")], openapi_extra=_BODY)
def load(body: Raw, parts: Given, mode: Mode = "replace") -> Loaded:
    """Take a file of judgments, one query a line; ``mode`` says what happens to what is known already."""
    now_ms = parts.now_ms()
    placed, rejected, taken = list[Placed](), list[RejectedLine](), 0
    for number, line in enumerate(body.split(b"\n"), start=1):
        if line.strip():
            try:
                placed += placed_line(line, now_ms, mode)
                taken += 1
            except InputError as error:
                rejected.append(RejectedLine(line=number, reason=str(error)))
    parts.inlet.append(placed, now_ms)
    return Loaded(accepted=taken, rejected=rejected[:LINES_SHOWN], rejected_lines=len(rejected))


def placed_line(line: bytes, now_ms: int, mode: JudgmentsMode) -> list[Placed]:
    """Return the events of one line.

    Raises:
        InputError: says which field, and what was wanted.
    """
    try:
        record = JudgmentsIn.model_validate_json(line)
    except ValidationError as error:
        raise InputError(explain(error.errors(include_url=False))) from None
    return placed_judgments(record, now_ms, mode)


@router.get("", dependencies=[needs("read")], responses={200: {"content": {NDJSON: {}}}})
def export(
    parts: Given,
    query_id: Annotated[str | None, Query(description="Only this query.")] = None,
    query: Annotated[str | None, Query(description="Only the query with this text.")] = None,
) -> StreamingResponse:
    """Return all judgments, one query a line, as ``POST`` takes them."""
    if query_id is None and query is None:
        return StreamingResponse(map(_line, _all(parts)), media_type=NDJSON)
    key = id_key(query_id) if query_id is not None else text_key(query or "")
    found = _find(parts, key, query_id if query_id is not None else normalise(query or ""))
    return StreamingResponse(iter([_line(found)] if found else []), media_type=NDJSON)


@router.get("/{key}", dependencies=[needs("read")])
def read(key: str, parts: Given) -> Stored:
    """Return what is known of the query with this key (``i:`` and its id, or ``t:`` and its text's hash)."""
    found = _find(parts, _checked(key), None)
    if found is None:
        raise Problem(404, f"no judgments under {key!r}")
    return found


@router.put("/{key}", status_code=202, dependencies=[needs("ingest")])
def put(key: str, body: Change, parts: Given, mode: Mode = "replace") -> Loaded:
    """Set or extend what is known of one query; it is in force a moment later."""
    kind, rest = _checked(key)[:2], key[2:]
    if kind == "t:" and (not body.query or text_key(body.query) != key):
        raise Problem(422, "query: the text that this key is the hash of wanted")
    source = rest if kind == "i:" else normalise(body.query or "")
    now_ms, query_id = parts.now_ms(), rest if kind == "i:" else None
    event = event_of(body, key, now_ms, mode, query_id=query_id, query=body.query)
    parts.inlet.append([(partition_of(source), event)], now_ms)
    return Loaded(accepted=1)


@router.delete("/{key}", status_code=202, dependencies=[needs("ingest")])
def delete(key: str, parts: Given) -> Loaded:
    """Forget what is known of one query, under this key alone."""
    found = _find(parts, _checked(key), None)
    if found is None:
        raise Problem(404, f"no judgments under {key!r}")
    source = key[2:] if key.startswith("i:") else normalise(found.query or "")
    now_ms = parts.now_ms()
    event = JudgmentsEvent(key=key, mode="delete", at=now_ms, query_id=found.query_id, query=found.query)
    parts.inlet.append([(partition_of(source), event)], now_ms)
    return Loaded(accepted=1)


def _checked(key: str) -> str:
    if key[:2] not in {"i:", "t:"} or len(key) < 3 or len(key) > 512:
        raise Problem(422, f"key {key[:80]!r}: 'i:' and a query_id, or 't:' and the hash of a text, wanted")
    return key


def _find(parts: Given, key: str, source: str | None) -> Stored | None:
    """Return one query's judgments; without the source of its partition every shard is asked."""
    if source is None and key.startswith("i:"):
        source = key[2:]
    shards = parts.inlet.shards
    places = range(shards) if source is None else [shard_of(partition_of(source), shards)]
    for shard in places:
        for record in parts.namespace.shard(shard).load_judgments([key]).values():
            return stored(key, record)
    return None


def _all(parts: Given) -> Iterator[Stored]:
    """Yield each query once, although one with an id and a text is kept under both."""
    for shard in range(parts.inlet.shards):
        for key, record in parts.namespace.shard(shard).iter_judgments():
            found = stored(key, record)
            if found is not None and (key.startswith("i:") or found.query_id is None):
                yield found


def stored(key: str, record: bytes) -> Stored | None:
    """Return the judgments in force of a record, or None when they were deleted."""
    now: Version = unpack_versions(record)[-1]
    if now.deleted:
        return None
    return Stored(
        key=key,
        query_id=now.query_id,
        query=now.query,
        category=now.category,
        relevant=dict(now.grades),
        no_answer=now.no_answer,
        forbidden=list(now.forbidden),
        source=now.source,
        at=now.at,
    )


def _line(found: Stored) -> str:
    record = found.model_dump(exclude_defaults=True, exclude={"key"})
    return json.dumps(record, ensure_ascii=False) + "\n"
