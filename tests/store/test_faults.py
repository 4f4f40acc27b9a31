"""A full store refuses producers and lets workers go on; a cut connection leaves nothing half done."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from proxy import Proxy
from ragauge.errors import ConfigurationError, EnvironmentFault
from ragauge_service.core.changes import Changes, SlotKey
from ragauge_service.core.config import EngineConfig
from ragauge_service.store.commit import DeadLetter
from ragauge_service.store.connection import connect
from ragauge_service.store.errors import StoreFull, StoreUnavailable
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore
from servers import EXTRA, Server, program_of

pytestmark = pytest.mark.server

BODY = 100_000 * b"x"


@pytest.fixture(params=["valkey", "redis6", "redis7", *EXTRA])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Return a server of each kind, for this test alone."""
    program = program_of(request.param)
    if program is None:
        pytest.skip(f"{request.param} is not installed")
    with Server(tmp_path, program=program) as started:
        yield started


@pytest.fixture
def shard(server: Server) -> Iterator[ShardStore]:
    """Return a shard on it."""
    with connect(server.url) as client:
        namespace = Namespace(client, "default")
        namespace.configure(EngineConfig())
        yield namespace.shard(0)


def fill(server: Server, shard: ShardStore) -> int:
    """Append until the store is full, and return how many entries it acknowledged."""
    used = int(server.call("INFO", "memory")["used_memory"])
    server.call("CONFIG", "SET", "maxmemory", used + 5_000_000)
    for seq in range(1, 1_000):
        try:
            assert shard.append("p", seq, 0, BODY).status == "OK"
        except StoreFull:
            return seq - 1
    raise AssertionError("never full")


def insist(write: Callable[[], str]) -> str:
    """Return the answer of a write that is sent again until there is one."""
    while True:
        with suppress(StoreUnavailable):
            return write()


def send(producer: ShardStore, seq: int) -> str:
    return producer.append("p", seq, 0, b"%d" % seq).status


def test_a_full_store_refuses_producers_and_keeps_what_it_acknowledged(
    server: Server, shard: ShardStore
) -> None:
    taken = fill(server, shard)
    assert taken > 10
    assert len(shard.read("0-0", 1_000)) == taken
    with pytest.raises(StoreFull, match="maxmemory"):
        shard.append("q", 1, 0, BODY)


def test_a_full_store_lets_workers_go_on_and_so_makes_room(server: Server, shard: ShardStore) -> None:
    """Only commits trim the stream: were they refused too, it would stay full for ever."""
    taken = fill(server, shard)
    epoch = shard.lease.acquire("w", 60_000)
    assert epoch is not None
    assert shard.lease.renew(epoch)
    ticks = shard.tick(epoch)
    last = shard.read("0-0", 10_000)[-1].id
    assert ticks <= last
    changes = Changes(slots={SlotKey(1, 0): {"a": 1_000 * b"t"}}, judgments={"i:q": b"j"})
    done = shard.commit(epoch=epoch, previous="0-0", offset=last, changes=changes, trim_before=last)
    assert done == "OK"
    assert shard.append("p", taken + 1, 0, BODY).status == "OK"


def test_registries_and_heartbeats_go_on_too(server: Server, shard: ShardStore) -> None:
    fill(server, shard)
    with connect(server.url) as client:
        namespace = Namespace(client, "default")
        assert namespace.admit("category", ["new"]) == {"new": "new"}
        assert namespace.owners.beat("w", 1_000) == ("w",)
        lease = namespace.lease("monitor")
        epoch = lease.acquire("m", 1_000)
        assert epoch is not None
        assert namespace.monitor.save_monitor(epoch, {"state": b"state"})
        assert lease.release(epoch)


def test_a_server_that_is_gone_is_unavailable_and_a_wrong_address_a_fault(
    server: Server, shard: ShardStore
) -> None:
    server.kill()
    with pytest.raises(StoreUnavailable):
        shard.state()
    with pytest.raises(EnvironmentFault, match=r"127\.0\.0\.1"):
        connect(server.url)


@pytest.mark.parametrize("url", ["http://x", "127.0.0.1:6379", "redis+cluster://nowhere", "redis://h:port"])
def test_an_address_that_cannot_be_read_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(ConfigurationError, match="store address"):
        connect(url)


@pytest.mark.parametrize("url", ["redis://u:hidden@127.0.0.1:1", "redis+cluster://u:hidden@127.0.0.1:1"])
def test_an_error_does_not_show_the_password(url: str) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        connect(url)
    assert "hidden" not in str(caught.value)


def test_appends_over_a_bad_connection_arrive_once(server: Server, shard: ShardStore) -> None:
    """Our rule for every write: its fate unknown, send the same again."""
    total, answers = 60, {"OK": 0, "DUP": 0}
    with Proxy(server.port, seed=4) as proxy, connect(proxy.url) as client:
        producer = ShardStore(client, shard.keys)
        proxy.cut = 0.2
        for seq in range(1, total + 1):
            answers[insist(partial(send, producer, seq))] += 1
    assert [entry.fields[b"b"] for entry in shard.read("0-0", 1_000)] == [
        b"%d" % n for n in range(1, total + 1)
    ]
    assert min(proxy.cut_requests, proxy.cut_answers, answers["DUP"]) > 0


def test_commits_over_a_bad_connection_are_done_once(server: Server, shard: ShardStore) -> None:
    """Dead letters are appended: a commit done twice would leave two."""
    total = 60
    epoch = shard.lease.acquire("w", 60_000)
    assert epoch is not None
    for seq in range(1, total + 1):
        shard.append("p", seq, 0, b"")
    ids = [entry.id for entry in shard.read("0-0", 1_000)]
    with Proxy(server.port, seed=5) as proxy, connect(proxy.url) as client:
        worker = ShardStore(client, shard.keys)
        proxy.cut = 0.2
        for previous, offset in zip(["0-0", *ids], ids, strict=False):
            dead = [DeadLetter(entry=offset, reason="", fields={b"b": b""})]
            write = partial(
                worker.commit, epoch=epoch, previous=previous, offset=offset, changes=Changes(), dead=dead
            )
            assert insist(write) == "OK"
    assert [letter.entry for letter in shard.dead_letters.read(count=1_000)] == ids
    assert min(proxy.cut_requests, proxy.cut_answers) > 0
