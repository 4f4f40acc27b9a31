"""One connection to a server or a cluster, on which nothing is ever retried behind our back."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Self
from urllib.parse import unquote, urlsplit

from redis import Redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import NoScriptError, RedisClusterException, RedisError
from redis.retry import Retry

from ragauge.errors import ConfigurationError, EnvironmentFault
from ragauge_service.store.errors import StoreUnavailable, translated
from ragauge_service.store.script import Script

SCHEMES: Final = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")
CONNECT_TIMEOUT_S: Final = 2.0
ANSWER_TIMEOUT_S: Final = 10.0
MAX_BLOCK_MS: Final = 2_000
"""How long a read may wait for entries: well under the time after which an answer is given up."""

Argument = str | bytes | int | float


class Client:
    """A typed face of redis-py's clients: one command, one script, or several reads at once.

    A failed write is never sent again by the client library: it may have been done, and only our scripts
    can tell. All calls raise ``StoreUnavailable`` or ``StoreFull`` in place of the library's errors.
    """

    def __init__(self, inner: Any, url: str, *, cluster: bool) -> None:
        self._inner = inner
        self.url = url
        self.cluster = cluster

    def call(self, *words: Argument) -> Any:
        """Return the answer to one command; replies are bytes."""
        with translated():
            return self._inner.execute_command(*words)

    def run(self, script: Script, keys: Sequence[str], arguments: Iterable[Argument] = ()) -> Any:
        """Return what a script answers; its text travels only when the server does not know it yet."""
        rest = (len(keys), *keys, *arguments)
        with translated():
            try:
                return self._inner.execute_command("EVALSHA", script.sha, *rest)
            except NoScriptError:  # nothing ran
                return self._inner.execute_command("EVAL", script.text, *rest)

    def many(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Return the answers to several reads whose keys lie on one shard, in one round trip."""
        if not commands:
            return []
        with translated(), self._inner.pipeline(transaction=False) as pipe:
            for words in commands:
                pipe.execute_command(*words)
            return pipe.execute()

    def nodes(self) -> list["Client"]:
        """Return a client for every master: the server itself, or each of a cluster's."""
        if not self.cluster:
            return [self]
        with translated():
            found = self._inner.get_primaries()
            pairs = [(node, self._inner.get_redis_connection(node)) for node in found]
        return [Client(inner, f"redis://{node.name}", cluster=False) for node, inner in pairs]

    def close(self) -> None:
        """Close every connection."""
        self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(url: str) -> Client:
    """Return a client of the store at ``url``, which has answered.

    ``url`` is ``redis://``, ``rediss://``, ``unix://`` or ``redis+cluster://host:port,host:port``.

    Raises:
        ConfigurationError: the address cannot be read.
        EnvironmentFault: the store cannot be reached.
    """
    scheme = urlsplit(url).scheme
    if scheme not in SCHEMES:
        raise ConfigurationError(f"store address {_shown(url)!r}: one of {', '.join(SCHEMES)} wanted")
    client = _client(url, cluster=scheme.endswith("+cluster"))
    try:
        client.call("PING")
    except StoreUnavailable as error:
        client.close()
        raise EnvironmentFault(f"store at {_shown(url)}: {error}") from None
    return client


def _client(url: str, *, cluster: bool) -> Client:
    try:
        inner = _cluster(url) if cluster else Redis.from_url(url, retry=_never(), **_options())
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"store address {_shown(url)!r}: {error}") from None
    except (RedisError, RedisClusterException) as error:  # a cluster's client looks for its nodes at once
        raise EnvironmentFault(f"store at {_shown(url)}: {error}") from None
    return Client(inner, url, cluster=cluster)


def _cluster(url: str) -> RedisCluster:
    scheme, _, rest = url.partition("+cluster://")
    login, _, places = rest.rstrip("/").rpartition("@")
    nodes = [ClusterNode(*_place(place)) for place in places.split(",")]
    user, _, password = (unquote(part) for part in login.partition(":"))
    return RedisCluster(
        startup_nodes=nodes,
        retry=_never(),
        require_full_coverage=False,
        reinitialize_steps=1,
        username=user or None,
        password=password or None,
        ssl=scheme == "rediss",
        **_options(),
    )


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"{text!r} is not host:port")
    return host.strip("[]"), int(port)


def _never() -> Retry:
    return Retry(NoBackoff(), 0)


def _options() -> dict[str, Any]:
    return {
        "protocol": 2,
        "socket_timeout": ANSWER_TIMEOUT_S,
        "socket_connect_timeout": CONNECT_TIMEOUT_S,
    }


def _shown(url: str) -> str:
    """Return an address without its password."""
    head, separator, rest = url.partition("://")
    return f"{head}{separator}{rest.rpartition('@')[2]}"
