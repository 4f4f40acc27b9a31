"""The users of deploy/redis/users.acl may do their work, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragauge.errors import EnvironmentFault
from ragauge_service.core.changes import Changes
from ragauge_service.core.config import EngineConfig
from ragauge_service.store.connection import Client, connect
from ragauge_service.store.doctor import examine
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore
from servers import HOST, Server, program_of

pytestmark = pytest.mark.server

FILE = Path(__file__).parents[2] / "deploy" / "redis" / "users.acl"


@pytest.fixture(scope="module", params=["valkey", "redis7"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server that knows the users of the file, each with a password."""
    program = program_of(request.param)
    if program is None:
        pytest.skip(f"{request.param} is not installed")
    directory = tmp_path_factory.mktemp(request.param)
    acl = directory / "users.acl"
    acl.write_text(FILE.read_text().replace("resetpass", ">secret"))
    started = Server(directory, program=program, options=["--aclfile", str(acl)], user="ragauge-admin:secret")
    with started:
        yield started


def login(server: Server, user: str) -> Client:
    return connect(f"redis://{user}:secret@{HOST}:{server.port}")


@pytest.fixture
def service(server: Server) -> Iterator[Namespace]:
    """Return a namespace as a worker sees it."""
    with login(server, "ragauge-service") as client:
        namespace = Namespace(client, "default")
        namespace.configure(EngineConfig())
        yield namespace


@pytest.fixture
def sdk(server: Server) -> Iterator[Client]:
    """Return a client as an application has it."""
    with login(server, "ragauge-sdk") as client:
        yield client


def test_an_application_appends_and_reads_the_number_of_shards(service: Namespace, sdk: Client) -> None:
    shard = ShardStore(sdk, service.shard(1).keys)
    assert shard.append("app", 1, 0, b"body").status in {"OK", "DUP"}
    assert sdk.call("HGET", "ragauge:{default}:config", "shards") == b"16"


@pytest.mark.parametrize(
    "words",
    [
        ("XRANGE", "ragauge:{default:1}:events", "-", "+"),
        ("XREAD", "STREAMS", "ragauge:{default:1}:events", "0"),
        ("DEL", "ragauge:{default:1}:events"),
        ("XTRIM", "ragauge:{default:1}:events", "MAXLEN", "0"),
        ("HSET", "ragauge:{default}:config", "shards", "1"),
        ("HGET", "ragauge:{default:1}:judgments", "i:q1"),
        ("SET", "other", "1"),
        ("GET", "ragauge:{default}:monitor"),
        ("EVAL", "return redis.call('HSET', KEYS[1], 'offset', '0-0')", 1, "ragauge:{default:1}:state"),
        ("EVAL", "return redis.call('XRANGE', KEYS[1], '-', '+')", 1, "ragauge:{default:1}:events"),
        ("KEYS", "*"),
        ("FLUSHALL",),
        ("CONFIG", "GET", "*"),
        ("SCRIPT", "FLUSH"),
        ("SHUTDOWN",),
        ("ACL", "LIST"),
    ],
)
def test_an_application_may_do_nothing_else(
    service: Namespace, sdk: Client, words: tuple[str | int, ...]
) -> None:
    with pytest.raises(EnvironmentFault, match="refuses this user"):
        sdk.call(*words)


def test_a_worker_may_do_its_work(service: Namespace) -> None:
    shard = service.shard(2)
    epoch = shard.lease.acquire("w", 60_000)
    assert epoch is not None
    shard.tick(epoch)
    previous, last = shard.state().offset, shard.read("0-0", 1_000)[-1].id
    assert shard.commit(epoch=epoch, previous=previous, offset=last, changes=Changes()) == "OK"
    assert service.admit("category", ["a"]) == {"a": "a"}
    assert shard.changed_since(0).complete
    assert shard.retained().bytes > 0
    assert service.owners.beat("w", 1_000) == ("w",)
    assert {found.level for found in examine(service.client) if found.subject != "persistence"} <= {
        "ok",
        "warning",
    }


@pytest.mark.parametrize(
    "words", [("FLUSHALL",), ("SET", "other", "1"), ("CONFIG", "SET", "save", ""), ("KEYS", "*")]
)
def test_a_worker_may_not_touch_the_rest_of_the_server(service: Namespace, words: tuple[str, ...]) -> None:
    with pytest.raises(EnvironmentFault, match="refuses this user"):
        service.client.call(*words)


def test_nobody_comes_in_without_a_password(server: Server) -> None:
    """The file's own users have none, so they cannot log in until one is set."""
    with pytest.raises(EnvironmentFault):
        connect(server.url)
    assert FILE.read_text().count("resetpass") == 3
