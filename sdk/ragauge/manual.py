"""Logging a retrieval without a decorator."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ragauge.calling import MAX_QUERY, note
from ragauge.events import Outcome
from ragauge.identity import numbers, partition_for, sampled
from ragauge.record import NOTHING, Found, Handle, Identity, More, Plan, Record
from ragauge.scope import OFF, current
from ragauge.state import state
from ragauge.tracing import current_trace


def log(
    *,
    query: str | None = None,
    ids: Sequence[str | int] = (),
    scores: Sequence[float] | None = None,
    query_id: str | None = None,
    category: str | None = None,
    retriever: str = "default",
    variant: str = "",
    version: str = "",
    params: Mapping[str, Any] | None = None,
    total: int | None = None,
    distances: bool = False,
    at: float | None = None,
    latency_ms: float = 0.0,
    outcome: Outcome = "ok",
    error_type: str | None = None,
    parent: "Handle | str | None" = None,
    offset: int = 0,
    batch: str | None = None,
    sample_rate: float | None = None,
    trace_id: str | None = None,
    span_id: str | None = None,
    probe: str | None = None,
) -> Handle:
    """Log one retrieval and return its handle; never raises.

    ``parent`` is the handle or id of the retrieval whose candidates a reranker has put in a new order.
    ``at`` is Unix seconds, now by default; ``total`` is how many documents there were, if not all are given.
    """
    client = state.client
    scope = current.get()
    if client is None or scope is OFF:
        return NOTHING
    try:
        plan = Plan(retriever)
        plan.category, plan.variant, plan.version, plan.params = category, variant, version, params
        text = str(query)[:MAX_QUERY] if query is not None and client.keeps_query else None
        moment = int(at * 1e9) if at is not None else None
        identity = _identity(text, None if query_id is None else str(query_id), moment)
        rate = client.sample_rate if sample_rate is None else sample_rate
        if rate < 1 and not sampled(partition_for(text, identity.query_id, identity.number), rate):
            return NOTHING
        more = More(
            offset=offset,
            batch=batch,
            trace=(trace_id, span_id) if trace_id and span_id else current_trace(),
            distances=distances,
            rate=rate,
            probe=probe,
        )
        found = Found(tuple(ids), len(ids) if total is None else total, scores and tuple(scores))
        client.put(
            tuple(
                Record(
                    plan, identity, found.ids, found.total, found.scores, latency_ms / 1e3,
                    outcome, error_type, _parent(parent), more,
                )
            )
        )  # fmt: skip
        handle = Handle(identity, found.ids)
        if scope is not None:
            if scope.captured is None:
                scope.last = identity
            note(scope, handle)
    except Exception:  # noqa: BLE001 - whatever was given, the caller goes on
        client.count("dropped_error")
        return NOTHING
    return handle


def _identity(query: str | None, query_id: str | None, at: int | None) -> Identity:
    return Identity(numbers.next(), time.time_ns() if at is None else at, query, query_id)


def _parent(parent: "Handle | str | None") -> Any:
    if isinstance(parent, Handle):
        return parent.identity
    return parent or None
