"""The one client of this process, if ``init`` was called."""

import logging
from collections.abc import Callable
from typing import Any, Final

from ragauge.client import Client
from ragauge.events import Event
from ragauge.lifecycle import lifecycle
from ragauge.settings import CaptureQuery, Otel, Settings, settings_from
from ragauge.tracing import tracing
from ragauge.transport import Transport, transport_for

_log: Final = logging.getLogger("ragauge")


class _State:
    client: Client | None = None


state: Final = _State()


def init(
    url: str | None = None,
    *,
    namespace: str | None = None,
    category: str | None = None,
    sample_rate: float | None = None,
    capture_query: CaptureQuery | None = None,
    max_queue: int | None = None,
    flush_interval: float | None = None,
    shutdown_timeout: float | None = None,
    before_send: Callable[[Event], Event | None] | None = None,
    otel: Otel | None = None,
    otel_convention: str | None = None,
    otel_content: bool | None = None,
    api_key: str | None = None,
    enabled: bool | None = None,
    debug: bool | None = None,
    transport: Transport | None = None,
) -> None:
    """Begin to log retrievals to a service (``http://...``) or its store (``redis://...``).

    What is not given is read from the environment (``RAGAUGE_URL``, ``RAGAUGE_SAMPLE_RATE``, ...: see
    docs/sdk.md). Never blocks and never raises over what is unreachable: connections are made by a thread
    of its own. Called again, it delivers what was queued and begins anew.

    Raises:
        ConfigurationError: an argument or variable cannot be used.
    """
    given = {name: value for name, value in locals().items() if name != "transport"}
    settings = settings_from(given)
    if settings.debug:
        _debug()
    shutdown()
    if not settings.enabled:
        return
    if transport is None and settings.url is None:
        _log.warning("ragauge: init without a url: give one, or set RAGAUGE_URL; nothing is logged")
        return
    chosen = transport or transport_for(
        settings.url or "", namespace=settings.namespace, api_key=settings.api_key
    )
    state.client = Client(chosen, settings, _spans(settings))
    tracing.look()
    lifecycle.watch(state.client)


def shutdown() -> None:
    """Deliver what is queued, for at most ``shutdown_timeout`` seconds, and stop logging."""
    client, state.client = state.client, None
    lifecycle.client = None
    if client is not None:
        client.close()


def flush(timeout: float = 2.0) -> bool:
    """Wait until everything logged so far is acknowledged; False when time ran out."""
    return state.client is None or state.client.flush(timeout)


def stats() -> dict[str, int]:
    """Return what was shipped, dropped by reason, and is queued; empty before ``init``."""
    return {} if state.client is None else state.client.stats()


def _debug() -> None:
    """Write the SDK's log to standard error."""
    logger = logging.getLogger("ragauge")
    logger.setLevel(logging.DEBUG)
    if not logger.handlers:
        logger.addHandler(logging.StreamHandler())


def _spans(settings: Settings) -> Any:
    """Return what makes OpenTelemetry spans, if it is wanted; else nothing is imported."""
    if settings.otel == "off":
        return None
    from ragauge.spans import spans_for  # noqa: PLC0415 - loaded only when used

    return spans_for(settings)
