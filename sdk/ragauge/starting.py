"""Making the client, with all that only logging needs; ``import ragauge`` does without."""

import logging
from typing import Any, Final

from ragauge.client import Client
from ragauge.lifecycle import lifecycle
from ragauge.settings import Settings
from ragauge.tracing import tracing
from ragauge.transport import Transport, transport_for

_log: Final = logging.getLogger("ragauge")


def start(settings: Settings, transport: Transport | None) -> Client | None:
    """Return a client that begins to log, or None when it is switched off or has no address.

    Raises:
        ConfigurationError: the address cannot be used.
    """
    if settings.debug:
        _debug()
    if not settings.enabled:
        return None
    if transport is None and settings.url is None:
        _log.warning("ragauge: init without a url: give one, or set RAGAUGE_URL; nothing is logged")
        return None
    chosen = transport or transport_for(
        settings.url or "", namespace=settings.namespace, api_key=settings.api_key
    )
    client = Client(chosen, settings, _spans(settings))
    tracing.look()
    lifecycle.watch(client)
    return client


def _debug() -> None:
    """Write the SDK's log to standard error."""
    _log.setLevel(logging.DEBUG)
    if not _log.handlers:
        _log.addHandler(logging.StreamHandler())


def _spans(settings: Settings) -> Any:
    """Return what makes OpenTelemetry spans, if it is wanted; else nothing is imported."""
    if settings.otel == "off":
        return None
    from ragauge.spans import spans_for  # noqa: PLC0415 - loaded only when used

    return spans_for(settings)
