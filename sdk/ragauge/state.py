"""The one client of this process, if ``init`` was called."""

import logging
import os
from typing import Final

from ragauge.client import Client, Options
from ragauge.transport import Transport, transport_for

_log: Final = logging.getLogger("ragauge")


class _State:
    client: Client | None = None


state: Final = _State()


def init(
    url: str | None = None,
    *,
    namespace: str | None = None,
    api_key: str | None = None,
    capture_query: str = "text",
    max_queue: int = 10_000,
    flush_interval: float = 1.0,
    shutdown_timeout: float = 2.0,
    transport: Transport | None = None,
) -> None:
    """Begin to log retrievals to a service (``http://...``) or its store (``redis://...``).

    Never blocks and never raises over what is unreachable: connections are made by a thread of its own.
    ``url``, ``namespace`` and ``api_key`` default to RAGAUGE_URL, RAGAUGE_NAMESPACE and RAGAUGE_API_KEY.

    Raises:
        ConfigurationError: the url cannot be used.
    """
    if os.environ.get("RAGAUGE_ENABLED", "1").lower() in {"0", "false", "no", "off"}:
        return
    address = url or os.environ.get("RAGAUGE_URL")
    if transport is None and address is None:
        _log.warning("ragauge: init without a url: give one, or set RAGAUGE_URL; nothing is logged")
        return
    shutdown()
    chosen = transport or transport_for(
        address or "",
        namespace=namespace or os.environ.get("RAGAUGE_NAMESPACE", "default"),
        api_key=api_key or os.environ.get("RAGAUGE_API_KEY"),
    )
    options = Options(
        capture_query=capture_query,
        max_queue=max_queue,
        flush_interval=flush_interval,
        shutdown_timeout=shutdown_timeout,
    )
    state.client = Client(chosen, options)


def shutdown() -> None:
    """Ship what is queued, for at most ``shutdown_timeout`` seconds, and stop logging."""
    client, state.client = state.client, None
    if client is not None:
        client.close()


def flush(timeout: float = 2.0) -> bool:
    """Wait until everything logged so far is acknowledged; False when time ran out."""
    return state.client is None or state.client.flush(timeout)


def stats() -> dict[str, int]:
    """Return what was shipped, dropped by reason, and is queued; empty before ``init``."""
    return {} if state.client is None else state.client.stats()
