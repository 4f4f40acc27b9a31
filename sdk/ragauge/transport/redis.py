"""Redis, standalone or a cluster: by the append script only, since client libraries repeat writes."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import NoScriptError, RedisError
from redis.retry import Retry

from ragauge.errors import ConfigurationError
from ragauge.protocol import APPEND, DUP, GAP, PRODUCER_TTL_MS, config_key, producer_key, stream_key
from ragauge.transport.base import TIMEOUT_S, Answer, TransportError
from ragauge.wire import VERSION, pack_rows

_SHA: Final = hashlib.sha1(APPEND.encode(), usedforsecurity=False).hexdigest()
"""The name by which a server knows the script once it has seen it."""


class RedisTransport:
    """Appends entries to the shards' streams."""

    def __init__(self, url: str, *, namespace: str, timeout: float = TIMEOUT_S) -> None:
        self._url = url
        self._namespace = namespace
        self.timeout = timeout
        self._client: Any = None
        if "+cluster" in url:
            _nodes(url)
        else:
            _checked(url)

    def shards(self) -> int:
        """Read P; the service writes it when it first starts."""
        value = self._call(lambda client: client.hget(config_key(self._namespace), "shards"))
        if value is None:
            raise TransportError(f"no service has been started in namespace {self._namespace!r} yet")
        return int(value)

    def encode(self, rows: Sequence[Sequence[Any]]) -> bytes:
        """Return the ``b`` field of an entry."""
        return pack_rows(rows)

    def append(self, shard: int, producer: str, seq: int, sent_at: int, body: bytes) -> Answer:
        """Run the append script."""
        keys = (stream_key(self._namespace, shard), producer_key(self._namespace, shard, producer))
        rest = (2, *keys, producer, seq, VERSION, sent_at, body, PRODUCER_TTL_MS)
        status, value = self._call(lambda client: _run(client, rest))
        answer = status.decode()
        return Answer(answer, int(value) if answer in {GAP, DUP} else 0)

    def close(self) -> None:
        """Close connections."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def forget(self) -> None:
        """Leave the connections to the parent process."""
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
            "socket_timeout": self.timeout,
            "socket_connect_timeout": self.timeout,
            "protocol": 2,
        }
        if "+cluster" not in self._url:
            return Redis.from_url(self._url, **options)
        login, nodes = _nodes(self._url)
        if self._url.startswith("rediss"):
            login["ssl"] = True
        return RedisCluster(startup_nodes=nodes, require_full_coverage=False, **login, **options)


def _run(client: Any, rest: Sequence[Any]) -> Any:
    try:
        return client.execute_command("EVALSHA", _SHA, *rest)
    except NoScriptError:  # nothing ran
        return client.execute_command("EVAL", APPEND, *rest)


def _checked(url: str) -> None:
    try:
        Redis.from_url(url)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"url {_shown(url)!r}: {error}") from None


def _nodes(url: str) -> tuple[dict[str, Any], list[ClusterNode]]:
    """Return login and first nodes of ``redis+cluster://user:password@host:port,host:port``."""
    login, _, places = url.partition("://")[2].rstrip("/").rpartition("@")
    user, _, password = (unquote(part) for part in login.partition(":"))
    try:
        pairs = [place.rpartition(":") for place in places.split(",")]
        nodes = [ClusterNode(host or port, int(port) if host else 6379) for host, _, port in pairs]
    except ValueError:
        raise ConfigurationError(f"url {_shown(url)!r}: redis+cluster://host:port,host:port wanted") from None
    return {"username": user or None, "password": password or None}, nodes


def _shown(url: str) -> str:
    """Return an address without its login."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
