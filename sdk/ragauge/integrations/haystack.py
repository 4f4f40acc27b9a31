"""Haystack: a tracer that sees every component of a pipeline, and logs the retrievers.

``watch()`` enables it; a tracer that was enabled before keeps seeing everything.
"""

import contextlib
import time
from collections.abc import Generator, Mapping
from typing import Any, Final

from haystack.tracing.tracer import Span, Tracer, enable_tracing, tracer

from ragauge.integrations.logging import answered, failed

_NAME: Final = "haystack.component.name"
_TYPE: Final = "haystack.component.type"
_INPUT: Final = "haystack.component.input"
_OUTPUT: Final = "haystack.component.output"


class RetrieverSpan(Span):
    """A span that keeps a component's input and output, and passes all on to another tracer's span."""

    def __init__(self, tags: Mapping[str, Any], other: Span | None) -> None:
        self.tags = dict(tags)
        self.seen: dict[str, Any] = {}
        self._other = other

    def set_tag(self, key: str, value: Any) -> None:
        """Pass a tag on."""
        if self._other is not None:
            self._other.set_tag(key, value)

    def set_content_tag(self, key: str, value: Any) -> None:
        """Keep what goes into and comes out of a component."""
        if key in {_INPUT, _OUTPUT}:
            self.seen[key] = value
        if self._other is not None:
            self._other.set_content_tag(key, value)

    def raw_span(self) -> Any:
        """Return the other tracer's span."""
        return self if self._other is None else self._other.raw_span()

    def get_correlation_data_for_logs(self) -> dict[str, Any]:
        """Return the other tracer's data."""
        return {} if self._other is None else self._other.get_correlation_data_for_logs()


class RetrieverLog(Tracer):
    """Logs the components whose type ends with ``Retriever``, or those that are named."""

    def __init__(
        self,
        other: Tracer | None = None,
        *,
        category: str | None = None,
        components: frozenset[str] = frozenset(),
    ) -> None:
        self._other = other
        self._category = category
        self._components = components

    @contextlib.contextmanager
    def trace(
        self, operation_name: str, tags: dict[str, Any] | None = None, parent_span: Any = None
    ) -> Generator[Span]:
        """Trace a component; its retrieval is logged when it ends."""
        with contextlib.ExitStack() as stack:
            other = None
            if self._other is not None:
                outer = getattr(parent_span, "_other", parent_span)
                other = stack.enter_context(self._other.trace(operation_name, tags, outer))
            span, began = RetrieverSpan(tags or {}, other), time.time()
            try:
                yield span
            except BaseException as error:
                self._log(span, began, error)
                raise
            self._log(span, began, None)

    def current_span(self) -> Span | None:
        """Return the other tracer's current span."""
        return None if self._other is None else self._other.current_span()

    def _log(self, span: RetrieverSpan, began: float, error: BaseException | None) -> None:
        name = str(span.tags.get(_NAME, ""))
        if not str(span.tags.get(_TYPE, "")).endswith("Retriever") and name not in self._components:
            return
        query = _query(span.seen.get(_INPUT))
        if error is not None:
            failed(error, began=began, query=query, retriever=name, category=self._category)
        elif isinstance(output := span.seen.get(_OUTPUT), Mapping):
            answered(dict(output), began=began, query=query, retriever=name, category=self._category)


def _query(given: Any) -> str | None:
    if not isinstance(given, Mapping):
        return None
    text = given.get("query") or given.get("query_text")
    return text if isinstance(text, str) else None


def watch(*, category: str | None = None, components: frozenset[str] = frozenset()) -> RetrieverLog:
    """Log every retriever of every pipeline from now on."""
    actual = tracer.actual_tracer
    if isinstance(actual, RetrieverLog):
        return actual
    other = None if type(actual).__name__ == "NullTracer" else actual
    log = RetrieverLog(other, category=category, components=components)
    enable_tracing(log)
    tracer.is_content_tracing_enabled = True
    return log
