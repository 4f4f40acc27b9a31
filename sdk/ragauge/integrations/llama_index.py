"""LlamaIndex: an event handler that sees every retriever, once for the outermost.

``watch()`` adds it to the root dispatcher.
"""

import time
from typing import Any, Final

from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events import BaseEvent
from llama_index.core.instrumentation.events.exception import ExceptionEvent
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent, RetrievalStartEvent
from llama_index_instrumentation import get_dispatcher
from pydantic import PrivateAttr

from ragauge.integrations.logging import answered, failed

MOST_OPEN: Final = 10_000
"""Runs that never end are forgotten, oldest first."""


class RetrieverLog(BaseEventHandler):
    """Logs retrievals; ``name`` is what the retriever is called in the metrics."""

    name: str = "llama_index"
    category: str | None = None
    _open: dict[str, tuple[str | None, float]] = PrivateAttr(default_factory=dict)

    @classmethod
    def class_name(cls) -> str:
        """Return the handler's name."""
        return "RagaugeRetrieverLog"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        """Log a retrieval when it ends."""
        del kwargs
        span = event.span_id or ""
        if isinstance(event, RetrievalStartEvent):
            while len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open)), None)
            self._open[span] = (_text(event.str_or_query_bundle), time.time())
        elif isinstance(event, RetrievalEndEvent):
            query, began = self._open.pop(span, (_text(event.str_or_query_bundle), time.time()))
            self._answered(query, began, event.nodes)
        elif isinstance(event, ExceptionEvent) and span in self._open:
            query, began = self._open.pop(span)
            failed(event.exception, began=began, query=query, retriever=self.name, category=self.category)

    def _answered(self, query: str | None, began: float, nodes: Any) -> None:
        answered(list(nodes), began=began, query=query, retriever=self.name, category=self.category)


def _text(query: Any) -> str | None:
    text = query if isinstance(query, str) else getattr(query, "query_str", None)
    return text if isinstance(text, str) else None


_added: Final[list[RetrieverLog]] = []


def watch(name: str = "llama_index", category: str | None = None) -> RetrieverLog:
    """Log every retriever of this process from now on; called again, it changes nothing."""
    if not _added:
        _added.append(RetrieverLog(name=name, category=category))
        get_dispatcher().add_event_handler(_added[0])
    return _added[0]
