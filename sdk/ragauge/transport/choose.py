"""Which transport an address means."""

from ragauge.errors import ConfigurationError
from ragauge.transport.base import Transport


def transport_for(url: str, *, namespace: str, api_key: str | None = None) -> Transport:
    """Return the transport of an address; nothing is connected yet.

    Raises:
        ConfigurationError: an unknown scheme.
    """
    scheme = url.partition("://")[0]
    if scheme in {"http", "https"}:
        from ragauge.transport.http import HttpTransport  # noqa: PLC0415 - loaded only when used

        return HttpTransport(url, api_key=api_key)
    if scheme in {"redis", "rediss", "unix", "redis+cluster", "rediss+cluster"}:
        from ragauge.transport.redis import RedisTransport  # noqa: PLC0415 - loaded only when used

        return RedisTransport(url, namespace=namespace)
    raise ConfigurationError(
        f"url {scheme!r}://...: http, https, redis, rediss, unix or redis+cluster wanted"
    )
