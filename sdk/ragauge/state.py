"""The one client of this process, if ``init`` was called."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ragauge.events import Event
from ragauge.settings import CaptureQuery, Otel, settings_from

if TYPE_CHECKING:
    from ragauge.client import Client
    from ragauge.transport import Transport


class _State:
    client: "Client | None" = None


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
    transport: "Transport | None" = None,
) -> None:
    """Begin to log retrievals to a service (``http://...``) or its store (``redis://...``).

    What is not given is read from the environment (``RAGAUGE_URL``, ``RAGAUGE_SAMPLE_RATE``, ...: see
    docs/sdk.md). Never blocks and never raises over what is unreachable: connections are made by a thread
    of its own. Called again, it delivers what was queued and begins anew.

    Raises:
        ConfigurationError: an argument or variable cannot be used.
    """
    given = {name: value for name, value in locals().items() if name != "transport"}
    from ragauge import starting  # noqa: PLC0415 - the worker and what it needs: for those who log

    settings = settings_from(given)
    shutdown()
    state.client = starting.start(settings, transport)


def shutdown() -> None:
    """Deliver what is queued, for at most ``shutdown_timeout`` seconds, and stop logging."""
    client, state.client = state.client, None
    if client is not None:
        client.close()


def flush(timeout: float = 2.0) -> bool:
    """Wait until everything logged so far is acknowledged; False when time ran out."""
    return state.client is None or state.client.flush(timeout)


def stats() -> dict[str, int]:
    """Return what was shipped, dropped by reason, and is queued; empty before ``init``."""
    return {} if state.client is None else state.client.stats()
