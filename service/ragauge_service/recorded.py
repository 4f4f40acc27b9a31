"""Recorded events: one JSON object a line, each as ``POST /v1/events`` takes it."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ragauge.errors import InputError, MalformedEventError
from ragauge.events import Retrieval
from ragauge.wire import row_of
from ragauge_service.api.event_bodies import placed_event


class Recorded(NamedTuple):
    """One event's arrays (judgments have one for each key), and when it happened; None: before everything."""

    at: int | None
    rows: list[list[Any]]


def read(lines: Iterable[str], name: str, *, retriever: str | None = None) -> Iterator[Recorded]:
    """Yield the events of a log; what a line is about is told by its fields if it has no ``type``.

    ``retriever`` is the name for retrievals that have none.

    Raises:
        InputError: names the line, and says what was wanted.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _event(json.loads(line), retriever)
            except (ValueError, MalformedEventError) as error:
                raise InputError(f"{name}:{number}: {error}") from None


def _event(raw: Any, retriever: str | None) -> Recorded:
    if not isinstance(raw, dict):
        raise MalformedEventError(f"an object wanted, not {type(raw).__name__}")
    at, kind = raw.get("at"), raw.get("type") or _kind(raw)
    if retriever and kind == "retrieval":
        raw = {"retriever": retriever, **raw}
    events = [event for _, event in placed_event({**raw, "type": kind}, at if isinstance(at, int) else 0)]
    if at is None and any(isinstance(event, Retrieval) for event in events):
        raise MalformedEventError("retrieval: field 'at' is missing: Unix milliseconds wanted")
    return Recorded(at, [row_of(event) for event in events])


def _kind(raw: dict[str, Any]) -> str:
    if "ids" in raw:
        return "retrieval"
    return "signal" if "retrieval_id" in raw else "judgments"
