"""Every test of the store runs on a single Valkey, on Debian's Redis, and on a cluster."""

import itertools
from collections.abc import Iterator
from typing import cast

import pytest

from ragauge_service.core.config import EngineConfig
from ragauge_service.store.connection import Client, connect
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore
from servers import Cluster, Server, redis_program

_names = (f"test{number}" for number in itertools.count())


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a Valkey from the wheel."""
    with Server(tmp_path_factory.mktemp("valkey")) as server:
        yield server.url


@pytest.fixture(scope="session")
def redis7(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of Debian's Redis."""
    program = redis_program()
    if program is None:
        pytest.skip("redis-server is not installed")
    with Server(tmp_path_factory.mktemp("redis"), program=program) as server:
        yield server.url


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a cluster of three masters and three replicas."""
    with Cluster(tmp_path_factory.mktemp("cluster")) as servers:
        yield servers.url


@pytest.fixture(params=["valkey", "redis7", "cluster"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    """Return a client of each kind of server in turn."""
    with connect(cast("str", request.getfixturevalue(request.param))) as connected:
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
