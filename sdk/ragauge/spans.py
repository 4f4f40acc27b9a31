"""Spans of retrievals, in OpenInference's or OpenTelemetry's own convention; made at the call, or late.

``otel="span"`` opens a span around each call, so that spans made inside are its children. ``otel="late"``
notes the caller's context only, and the worker makes the span, with the times of the call.
"""

import json
import time
from typing import Any, Final

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode

from ragauge.record import Identity, More, Record
from ragauge.settings import Settings

_TRACER: Final = "ragauge"


class Spans:
    """Makes the span of each call; ``late`` leaves it to the worker."""

    def __init__(self, settings: Settings, tracer: Any = None) -> None:
        self.late = settings.otel == "late"
        self.convention = settings.otel_convention
        self.content = settings.otel_content and settings.capture_query == "text"
        self.tracer = tracer or trace.get_tracer(_TRACER)

    def begin(self, begun: Any) -> "OpenSpan | LateSpan":
        """Note where a call begins."""
        return LateSpan(self) if self.late else OpenSpan(self, begun)

    def name(self, retriever: str) -> str:
        """Return a span's name: ``retrieval {data source}`` by OpenTelemetry's convention."""
        return retriever if self.convention == "openinference" else f"retrieval {retriever}"

    def describe(self, span: Any, record: Record, retrieval_id: str) -> None:
        """Say on a span what was asked and what was found."""
        for name, value in self.attributes(record, retrieval_id).items():
            span.set_attribute(name, value)
        if record.outcome != "ok":
            span.set_attribute("error.type", record.error_type or "_OTHER")
            span.set_status(Status(StatusCode.ERROR))

    def attributes(self, record: Record, retrieval_id: str) -> dict[str, Any]:
        """Return a span's attributes; texts only if content is wanted."""
        found: dict[str, Any] = {"ragauge.retrieval.id": retrieval_id}
        if self.convention in {"openinference", "both"}:
            found |= _openinference(record, content=self.content)
        if self.convention in {"gen_ai", "both"}:
            found |= _gen_ai(record, content=self.content)
        return found


class OpenSpan:
    """A span around a call, current while it runs."""

    __slots__ = ("_spans", "_token", "span")

    def __init__(self, spans: Spans, begun: Any) -> None:
        self._spans = spans
        self.span = spans.tracer.start_span(spans.name(begun.plan.name), kind=SpanKind.CLIENT)
        self._token = otel_context.attach(trace.set_span_in_context(self.span))

    def leave(self) -> None:
        """Let the caller's span be current again."""
        otel_context.detach(self._token)

    def end(self, record: tuple[Any, ...]) -> tuple[Any, ...]:
        """End the span, and return the record with its trace."""
        read = Record(*record)
        context = self.span.get_span_context()
        self._spans.describe(self.span, read, Identity(*read.identity).id)
        self.span.end()
        more = read.more
        if context.is_valid:
            more = more._replace(trace=(format(context.trace_id, "032x"), format(context.span_id, "016x")))
        return (*record[:-1], more)


class LateSpan:
    """The caller's context, for a span that the worker makes."""

    __slots__ = ("_context", "_ended", "_spans")

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._context = otel_context.get_current()
        self._ended = 0

    def leave(self) -> None:
        """Note when the call ended."""
        self._ended = time.time_ns()

    def end(self, record: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the record with what the worker needs."""
        more: More = record[-1]
        return (*record[:-1], more._replace(span=self._make))

    def _make(self, retrieval_id: str, record: Record) -> tuple[str, str] | None:
        """Make the span, and return its trace id and span id."""
        span = self._spans.tracer.start_span(
            self._spans.name(record.plan.name),
            context=self._context,
            kind=SpanKind.CLIENT,
            start_time=record.identity[1],
        )
        self._spans.describe(span, record, retrieval_id)
        span.end(end_time=self._ended)
        context = span.get_span_context()
        if not context.is_valid:
            return None
        return format(context.trace_id, "032x"), format(context.span_id, "016x")


def spans_for(settings: Settings) -> Spans:
    """Return the maker of spans."""
    return Spans(settings)


def _openinference(record: Record, *, content: bool) -> dict[str, Any]:
    """Return OpenInference's attributes."""
    found: dict[str, Any] = {"openinference.span.kind": "RETRIEVER"}
    query = Identity(*record.identity).query
    if content and query is not None:
        found["input.value"] = query
    for place, doc in enumerate(record.ids):
        found[f"retrieval.documents.{place}.document.id"] = str(doc)
    for place, score in enumerate(record.scores or ()):
        found[f"retrieval.documents.{place}.document.score"] = float(score)
    return found


def _gen_ai(record: Record, *, content: bool) -> dict[str, Any]:
    """Return the attributes of OpenTelemetry's generative AI convention."""
    said = record.more.said or {}
    params = said.get("params") or (record.plan.params if not callable(record.plan.params) else None) or {}
    found: dict[str, Any] = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": record.plan.name,
    }
    if isinstance(params.get("k"), int):
        found["gen_ai.retrieval.top_k"] = params["k"]
    query = Identity(*record.identity).query
    if content and query is not None:
        found["gen_ai.retrieval.query.text"] = query
    if content:
        found["gen_ai.retrieval.documents"] = _documents(record)
    return found


def _documents(record: Record) -> str:
    """Return ids and scores as the JSON text that span attributes can hold."""
    scores = list(record.scores or [None] * len(record.ids))
    pairs = zip(record.ids, scores, strict=False)
    rows = [{"id": str(doc)} | ({} if score is None else {"score": float(score)}) for doc, score in pairs]
    return json.dumps(rows)
