"""Every test of the store runs on Valkey, on Redis 6.2 and 7, and on a cluster."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragauge_service.core.config import EngineConfig
from ragauge_service.store.connection import Client, connect
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore
from servers import EXTRA, Cluster, Server, program_of

_names = (f"test{number}" for number in itertools.count())


KINDS = ["valkey", "redis6", "redis7", "cluster", *EXTRA]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Return what gives the address of a server of one kind, started when it is first wanted."""
    started: dict[str, Server | Cluster] = {}

    def address(kind: str) -> str:
        if kind not in started:
            directory = tmp_path_factory.mktemp(kind)
            started[kind] = start(kind, directory)
        return started[kind].url

    yield address
    for server in started.values():
        server.close()


def start(kind: str, directory: Path) -> Server | Cluster:
    """Start a server of one kind, or skip where it is not installed."""
    if kind == "cluster":
        return Cluster(directory).start()
    program = program_of(kind)
    if program is None:
        pytest.skip(f"{kind} is not installed")
    return Server(directory, program=program).start()


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, servers: Callable[[str], str]) -> Iterator[Client]:
    """Return a client of each kind of server in turn."""
    with connect(servers(request.param)) as connected:
        yield connected


@pytest.fixture
def namespace(client: Client) -> Namespace:
    """Return a namespace that nobody else uses, set up with the defaults."""
    fresh = Namespace(client, next(_names))
    fresh.configure(EngineConfig())
    return fresh


@pytest.fixture
def shard(namespace: Namespace) -> ShardStore:
    """Return one of its shards."""
    return namespace.shard(3)
