"""A real Valkey, and workers that are real processes."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.engine import Cluster
from servers import Server

_names = (f"engine{number}" for number in itertools.count())


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run one server for all tests of this process."""
    server = Server(tmp_path_factory.mktemp("valkey")).start()
    yield server
    server.close()


@pytest.fixture
def engine(server: Server, tmp_path: Path) -> Iterator[Callable[..., Cluster]]:
    """Return what sets up a namespace of its own, whose workers end with the test."""
    made: list[Cluster] = []

    def make(**settings: object) -> Cluster:
        made.append(Cluster(server.url, next(_names), tmp_path, settings))
        return made[-1]

    yield make
    for cluster in made:
        cluster.close()
