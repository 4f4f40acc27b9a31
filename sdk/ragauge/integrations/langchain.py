"""LangChain: a callback handler that sees every retriever, once for the outermost.

``watch()`` registers it for all runs of the process; or pass ``RetrieverLog()`` in ``callbacks=``.
"""

import time
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook

from ragauge.integrations.logging import answered, failed


class RetrieverLog(BaseCallbackHandler):
    """Logs retriever runs; those inside another retriever are its candidates and are not logged."""

    run_inline = True

    def __init__(self, category: str | None = None, *, inner: bool = False) -> None:
        self._category = category
        self._inner = inner
        self._open: dict[UUID, tuple[str, str, float]] = {}
        self._parents: dict[UUID, UUID | None] = {}

    def on_retriever_start(
        self,
        serialized: dict[str, Any] | None,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note the beginning."""
        name = kwargs.get("name") or (serialized or {}).get("name") or "retriever"
        self._parents[run_id] = parent_run_id
        if self._inner or not self._within(parent_run_id):
            self._open[run_id] = (str(name), query, time.time())

    def on_retriever_end(self, documents: Sequence[Any], *, run_id: UUID, **kwargs: Any) -> None:
        """Log what was found."""
        del kwargs
        self._parents.pop(run_id, None)
        opened = self._open.pop(run_id, None)
        if opened is not None:
            name, query, began = opened
            answered(list(documents), began=began, query=query, retriever=name, category=self._category)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Log that it failed."""
        del kwargs
        self._parents.pop(run_id, None)
        opened = self._open.pop(run_id, None)
        if opened is not None:
            name, query, began = opened
            failed(error, began=began, query=query, retriever=name, category=self._category)

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Remember whose child a chain is: an ensemble may run its retrievers inside one."""
        del serialized, inputs, kwargs
        if self._open:
            self._parents[run_id] = parent_run_id

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Forget a chain."""
        del outputs, kwargs
        self._parents.pop(run_id, None)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Forget a chain."""
        del error, kwargs
        self._parents.pop(run_id, None)

    def _within(self, run: UUID | None) -> bool:
        """Return whether a run is, or lies inside of, a retriever's."""
        while run is not None:
            if run in self._open:
                return True
            run = self._parents.get(run)
        return False


_registered: Final[list[RetrieverLog]] = []


def watch(category: str | None = None) -> RetrieverLog:
    """Log every retriever of this process from now on; called again, it changes nothing."""
    if not _registered:
        handler = RetrieverLog(category)
        variable: ContextVar[RetrieverLog | None] = ContextVar("ragauge_langchain_all", default=handler)
        register_configure_hook(variable, inheritable=True)
        _registered.append(handler)
    return _registered[0]
