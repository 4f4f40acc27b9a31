"""Where the running code stands: inside which retriever calls, and inside which ``capture()`` blocks."""

from contextvars import ContextVar
from typing import Any, Final


class Scope:
    """One retriever call or capture block around the running code; ``outer`` is the one around it."""

    __slots__ = ("captured", "last", "outer")

    def __init__(self, outer: "Scope | None", captured: "list[Any] | None" = None) -> None:
        self.outer = outer
        self.captured = captured
        self.last: Any = None
        """The identity of the latest retrieval inside: the candidates of a reranker."""


current: Final[ContextVar[Scope | None]] = ContextVar("ragauge_scope", default=None)

OFF: Final = Scope(None)
"""The scope of a ``disabled()`` block."""
