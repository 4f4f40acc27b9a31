"""One namespace on one server: its configuration, names, workers, and the way to its shards."""

from collections.abc import Iterable
from typing import Final

from ragauge.errors import ConfigurationError
from ragauge.protocol import config_key
from ragauge_service.core.config import EngineConfig
from ragauge_service.store.connection import Client
from ragauge_service.store.keys import ShardKeys, namespace_key
from ragauge_service.store.lease import Lease, Owners
from ragauge_service.store.monitor import MonitorStore
from ragauge_service.store.registry import Kind, Registry
from ragauge_service.store.script import NOW, Script
from ragauge_service.store.shard import ShardStore

_TIME: Final = Script(NOW + "return string.format('%.0f', now)")

# `shards` stands in a field of its own, since producers read nothing else.
_FIRST_WINS: Final = Script("""
if redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('HSET', KEYS[1], 'engine', ARGV[1], 'shards', ARGV[2], 'version', 1, 'layout', 1)
end
return redis.call('HMGET', KEYS[1], 'engine', 'shards', 'layout')
""")

_REPLACE: Final = Script("""
if redis.call('HGET', KEYS[1], 'engine') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'engine', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HINCRBY', KEYS[1], 'layout', ARGV[3])
return 1
""")

_NEW_TALLIES: Final = frozenset({"depth", "cutoffs", "relevance_level"})


class Namespace:
    """Everything of one namespace (``default``, ``staging``, ...) on one server or cluster."""

    def __init__(self, client: Client, name: str = "default") -> None:
        if not name or any(letter in name for letter in "{}: \n"):
            raise ConfigurationError(f"namespace {name!r}: a name without braces, colons or spaces wanted")
        self.client = client
        self.name = name
        self.owners = Owners(client, namespace_key(name, "owners"))
        self._config: EngineConfig | None = None
        self._layout = 1
        self._registries: dict[str, Registry] = {}

    @property
    def config(self) -> EngineConfig:
        """Return the configuration in the store.

        Raises:
            ConfigurationError: no worker has started in this namespace yet.
        """
        if self._config is None:
            stored = self.client.call("HMGET", config_key(self.name), "engine", "shards", "layout")
            if stored[0] is None:
                raise ConfigurationError(f"namespace {self.name!r}: no worker has started in it yet")
            self._accept(stored)
        assert self._config is not None  # noqa: S101 - for the type checker
        return self._config

    def configure(self, wanted: EngineConfig) -> EngineConfig:
        """Agree on what shapes the state: the first worker chooses, every later one must want the same.

        Raises:
            ConfigurationError: the store holds another configuration; says which settings, and what to do.
        """
        arguments = [wanted.to_json(), wanted.shards]
        stored = self._accept(self.client.run(_FIRST_WINS, [config_key(self.name)], arguments))
        if different := stored.differences(wanted):
            said = "; ".join(
                f"{name} is {getattr(stored, name)}, not {getattr(wanted, name)}" for name in different
            )
            raise ConfigurationError(
                f"namespace {self.name!r} was set up otherwise: {said}. Set these back, or choose another "
                "namespace (RAGAUGE_NAMESPACE), or stop all workers and run `ragauge reconfigure`"
            )
        return stored

    def reconfigure(self, wanted: EngineConfig) -> EngineConfig:
        """Change what shapes the state; another depth, cutoff or relevance level starts new tallies.

        Raises:
            ConfigurationError: the number of shards differs (it is chosen once), or workers are alive.
        """
        stored = self.config
        if wanted.shards != stored.shards:
            raise ConfigurationError(f"shards is {stored.shards} for good: use another namespace")
        if alive := self.owners.alive():
            raise ConfigurationError(f"stop the workers first: {', '.join(alive)}")
        fresh = bool(_NEW_TALLIES.intersection(stored.differences(wanted)))
        raw = self.client.call("HGET", config_key(self.name), "engine")
        self.client.run(_REPLACE, [config_key(self.name)], [raw, wanted.to_json(), int(fresh)])
        self._config = None
        return self.config

    def shard(self, index: int) -> ShardStore:
        """Return one shard, 0 to P - 1."""
        if not 0 <= index < self.config.shards:
            raise ConfigurationError(f"shard {index}: 0 to {self.config.shards - 1} wanted")
        return ShardStore(self.client, ShardKeys(self.name, index, self._layout))

    def lease(self, name: str) -> Lease:
        """Return a lease of the whole namespace, such as the monitor's."""
        return Lease(self.client, namespace_key(self.name, f"lease:{name}"))

    @property
    def monitor(self) -> MonitorStore:
        """Return what the monitor keeps and publishes."""
        return MonitorStore(self.client, self.name)

    def admit(self, kind: Kind, names: Iterable[str]) -> dict[str, str]:
        """Return what each name is counted under: itself, or ``__other__`` beyond the kind's limit."""
        return self.registry(kind).admit(names)

    def registry(self, kind: Kind) -> Registry:
        """Return the names of one kind."""
        if kind not in self._registries:
            limits = {
                "category": self.config.categories,
                "retriever": self.config.retrievers,
                "variant": self.config.variants,
            }
            key = namespace_key(self.name, f"names:{kind}")
            self._registries[kind] = Registry(self.client, key, limits[kind])
        return self._registries[kind]

    def now_ms(self) -> int:
        """Return the server's clock in Unix milliseconds."""
        return int(self.client.run(_TIME, [config_key(self.name)]))

    def _accept(self, stored: list[bytes]) -> EngineConfig:
        self._config = EngineConfig.from_json(stored[0])
        self._layout = int(stored[2] or 1)
        return self._config
