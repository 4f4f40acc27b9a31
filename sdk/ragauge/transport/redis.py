"""Redis, standalone or a cluster: by the append script only, since client libraries repeat writes."""

from collections.abc import Sequence
from typing import Any, Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import RedisError
from redis.retry import Retry

from ragauge.events import Event
from ragauge.protocol import (
    APPEND,
    DUP,
    GAP,
    PRODUCER_TTL_MS,
    config_key,
    producer_key,
    stream_key,
)
from ragauge.transport.base import Answer, TransportError
from ragauge.wire import VERSION, pack

TIMEOUT_S: Final = 10.0


class RedisTransport:
    """Appends entries to the shards' streams."""

    def __init__(self, url: str, *, namespace: str, timeout: float = TIMEOUT_S) -> None:
        self._url = url
        self._namespace = namespace
        self._timeout = timeout
        self._client: Any = None

    def shards(self) -> int:
        """Read P; the service writes it when it first starts."""
        value = self._call(lambda client: client.hget(config_key(self._namespace), "shards"))
        if value is None:
            raise TransportError("the service has not been started in this namespace yet")
        return int(value)

    def append(self, shard: int, producer: str, seq: int, sent_at: int, events: Sequence[Event]) -> Answer:
        """Run the append script."""
        keys = (stream_key(self._namespace, shard), producer_key(self._namespace, shard, producer))
        arguments = (producer, seq, VERSION, sent_at, pack(events), PRODUCER_TTL_MS)
        status, value = self._call(lambda client: client.eval(APPEND, 2, *keys, *arguments))
        answer = status.decode()
        return Answer(answer, int(value) if answer in {GAP, DUP} else 0)

    def close(self) -> None:
        """Close connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _call(self, act: Any) -> Any:
        try:
            if self._client is None:
                self._client = self._connect()
            return act(self._client)
        except (RedisError, OSError) as error:
            self.close()
            raise TransportError(f"{type(error).__name__}: {error}") from None

    def _connect(self) -> Any:
        options: dict[str, Any] = {
            "retry": Retry(NoBackoff(), 0),
            "socket_timeout": self._timeout,
            "socket_connect_timeout": self._timeout,
        }
        if "+cluster" in self._url:
            return RedisCluster.from_url(self._url.replace("+cluster", "", 1), **options)
        return Redis.from_url(self._url, **options)
