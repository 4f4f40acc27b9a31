"""OpenTelemetry: a span processor that turns the retrieval spans of other instrumentations into retrievals.

It reads OpenInference's ``RETRIEVER`` spans and OpenTelemetry's ``gen_ai.operation.name=retrieval``. Spans
that ragauge made itself are left alone. The other way, from retrievals to spans, is ``init(otel=...)``.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import StatusCode

from ragauge.events import MAX_IDS
from ragauge.integrations.logging import OUTCOME_OF
from ragauge.manual import log

_OWN: Final = "ragauge.retrieval.id"
_PREFIX: Final = "retrieval.documents"


class RetrievalProcessor(SpanProcessor):
    """Logs a retrieval for each retrieval span that ends: ``provider.add_span_processor(...)``."""

    def __init__(self, category: str | None = None) -> None:
        self._category = category

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Do nothing: what was found is known at the end."""

    def on_end(self, span: ReadableSpan) -> None:
        """Log the retrieval; never raises."""
        attributes = span.attributes or {}
        if _OWN in attributes:
            return
        if attributes.get("openinference.span.kind") == "RETRIEVER":
            ids, scores = _openinference(attributes)
            query = attributes.get("input.value")
        elif attributes.get("gen_ai.operation.name") == "retrieval":
            ids, scores = _gen_ai(attributes)
            query = attributes.get("gen_ai.retrieval.query.text")
        else:
            return
        name = str(attributes.get("gen_ai.data_source.id") or span.name)
        self._log(span, attributes, name, _query_of(query), ids, scores)

    def shutdown(self) -> None:
        """Do nothing: ``ragauge.flush`` delivers."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Do nothing: ``ragauge.flush`` delivers."""
        del timeout_millis
        return True

    def _log(
        self,
        span: ReadableSpan,
        attributes: Mapping[str, Any],
        name: str,
        query: str | None,
        ids: list[str],
        scores: list[float] | None,
    ) -> None:
        began, ended = span.start_time or 0, span.end_time or span.start_time or 0
        error = _error(span, attributes)
        k = attributes.get("gen_ai.retrieval.top_k")
        context = span.get_span_context()
        log(
            query=query,
            ids=ids,
            scores=scores,
            retriever=name,
            category=self._category,
            params={"k": k} if isinstance(k, int) else None,
            at=began / 1e9,
            latency_ms=(ended - began) / 1e6,
            outcome="ok" if error is None else OUTCOME_OF.get(error.rpartition(".")[2], "error"),
            error_type=error,
            trace_id=format(context.trace_id, "032x") if context else None,
            span_id=format(context.span_id, "016x") if context else None,
        )


def _openinference(attributes: Mapping[str, Any]) -> tuple[list[str], list[float] | None]:
    """Return ids and scores from ``retrieval.documents.{i}.document.{id,score}``."""
    ids: list[str] = []
    scores: list[Any] = []
    for place in range(MAX_IDS):
        doc = attributes.get(f"{_PREFIX}.{place}.document.id")
        if doc is None:
            break
        ids.append(str(doc))
        scores.append(attributes.get(f"{_PREFIX}.{place}.document.score"))
    return ids, None if None in scores or not scores else scores


def _gen_ai(attributes: Mapping[str, Any]) -> tuple[list[str], list[float] | None]:
    """Return ids and scores from ``gen_ai.retrieval.documents``, which is JSON where it is a text."""
    given = attributes.get("gen_ai.retrieval.documents")
    try:
        rows = json.loads(given) if isinstance(given, str) else list(given or ())
    except (TypeError, ValueError):
        return [], None
    known = [row for row in rows if isinstance(row, Mapping) and row.get("id") is not None]
    scores: list[Any] = [row.get("score") for row in known]
    return [str(row["id"]) for row in known], None if None in scores or not scores else scores


def _query_of(value: Any) -> str | None:
    """Return the text of a query; some instrumentations write a JSON object with one field."""
    if not isinstance(value, str):
        return None
    if value.startswith("{"):
        try:
            fields = json.loads(value)
        except ValueError:
            return value
        texts = [text for name, text in fields.items() if name in {"query", "input", "query_str"}]
        return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else value
    return value


def _error(span: ReadableSpan, attributes: Mapping[str, Any]) -> str | None:
    """Return the name of the error that ended a span, or None."""
    if attributes.get("error.type"):
        return str(attributes["error.type"])
    if span.status.status_code is not StatusCode.ERROR:
        return None
    for event in span.events:
        if (kind := (event.attributes or {}).get("exception.type")) is not None:
            return str(kind)
    return "_OTHER"
