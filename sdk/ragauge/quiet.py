"""Keeping other tools' instrumentation away from our own traffic."""

import sys


def without_instrumentation() -> None:
    """Tell OpenTelemetry's instrumentations, if any are loaded, to leave this thread's requests alone."""
    context = sys.modules.get("opentelemetry.context")
    if context is None:
        return
    try:
        key = getattr(context, "_SUPPRESS_INSTRUMENTATION_KEY", "suppress_instrumentation")
        context.attach(context.set_value(key, True))  # noqa: FBT003 - a foreign interface
        context.attach(context.set_value("suppress_instrumentation", True))  # noqa: FBT003
    except Exception:  # noqa: BLE001 - a foreign module that may change
        return
