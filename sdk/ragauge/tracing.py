"""The trace that the running code belongs to, when the application has OpenTelemetry loaded; else nothing."""

import sys
from typing import Any, Final


class _Tracing:
    """``span`` returns OpenTelemetry's current span; None while the application has not loaded it."""

    span: Any = None

    def look(self) -> None:
        """Look again whether it is loaded by now."""
        if self.span is None:
            module = sys.modules.get("opentelemetry.trace")
            self.span = getattr(module, "get_current_span", None)


tracing: Final = _Tracing()


def current_trace() -> tuple[str, str] | None:
    """Return trace id and span id in hexadecimal, or None outside of a recorded trace."""
    if tracing.span is None:
        return None
    context = tracing.span().get_span_context()
    return trace_of(context) if context.is_valid else None


def trace_of(context: Any) -> tuple[str, str]:
    """Return a span context's trace id and span id in hexadecimal."""
    return format(context.trace_id, "032x"), format(context.span_id, "016x")
