"""Forks, pools, exits and signals: events arrive, and the process ends in time."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from ragauge import protocol
from ragauge.wire import unpack
from servers import Server

PYTHONS = [
    sys.executable,
    *(
        str(path)
        for version in ("3.12", "3.13")
        for path in sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))[:1]
    ),
]
HEAD = """
import atexit, gc, multiprocessing, os, signal, sys, threading, time
import ragauge

@ragauge.retriever
def search(query):
    return ["a"]

def init():
    ragauge.init(os.environ["URL"], flush_interval=0.5, shutdown_timeout=2.0)
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A store whose service has been started."""
    with Server(tmp_path_factory.mktemp("store")) as server:
        yield server


def run(store: Server, body: str, python: str = sys.executable, url: str | None = None) -> float:
    """Run a program against an emptied store, and return the seconds it took."""
    store.call("FLUSHALL")
    store.call("HSET", protocol.config_key("default"), "shards", 4)
    paths = [path for path in sys.path if path]
    code = HEAD + textwrap.dedent(body)
    began = time.monotonic()
    done = subprocess.run(
        [python, "-c", code],
        env={**os.environ, "URL": url or store.url, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in {0, 3}, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return time.monotonic() - began


def queries(store: Server) -> list[str]:
    """Return the queries that arrived."""
    with Redis.from_url(store.url) as client:
        streams: list[Any] = [client.xrange(protocol.stream_key("default", shard)) for shard in range(4)]
    entries = [fields for stream in streams for _, fields in stream]
    return sorted(row[18] for fields in entries for row in unpack(fields[b"b"]))


@pytest.mark.server
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("init(); search('q')", ["q"]),
        ("init(); search('q'); sys.exit(3)", ["q"]),
        (
            "init(); threading.Thread(target=lambda: (time.sleep(0.3), search('late'))).start()",
            ["late"],
        ),
        ("init(); atexit.register(search, 'in atexit')", ["in atexit"]),
        ("atexit.register(search, 'after ours'); init(); search('q')", ["after ours", "q"]),
        (
            """
            init(); search("q"); signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)
            """,
            ["q"],
        ),
        (
            """
            init(); search("parent")
            if os.fork() == 0:
                search("child"); sys.exit(0)
            os.wait()
            """,
            ["child", "parent"],
        ),
        (
            """
            init(); search("parent"); ragauge.flush()
            lock = threading.Lock()
            lock.acquire()
            for n in range(3):
                if os.fork() == 0:
                    search(f"child {n}"); ragauge.flush(); os._exit(0)
            for _ in range(3): os.wait()
            """,
            ["child 0", "child 1", "child 2", "parent"],
        ),
        (
            """
            init()
            context = multiprocessing.get_context("fork")
            process = context.Process(target=search, args=("process",)); process.start(); process.join()
            pool = context.Pool(2); pool.map(search, ["one", "two"]); pool.close(); pool.join()
            """,
            ["one", "process", "two"],
        ),
        (
            """
            class Node:
                def __del__(self): search("from a destructor")
            init()
            node = Node(); node.self = node; del node
            gc.collect(); search("q")
            """,
            ["from a destructor", "q"],
        ),
    ],
    ids=[
        "normal", "sys.exit", "late thread", "in atexit", "after our exit handler", "SIGTERM with a handler",
        "fork", "fork with a lock held", "multiprocessing", "garbage collection",
    ],
)  # fmt: skip
@pytest.mark.parametrize("python", PYTHONS[:1], ids=["this"])
def test_events_arrive(store: Server, body: str, expected: list[str], python: str) -> None:
    run(store, body, python)
    assert queries(store) == expected


@pytest.mark.server
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_events_arrive_from_children_that_start_afresh(store: Server, method: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    main = """
    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        process = context.Process(target=search, args=("child",)); process.start(); process.join()
    """
    program.write_text(HEAD + "\ninit()\n" + textwrap.dedent(main))
    run(
        store,
        f"""
        import runpy
        sys.argv = ["program", {method!r}]
        runpy.run_path({str(program)!r}, run_name="__main__")
        """,
    )
    assert queries(store) == ["child"]


def hanging() -> str:
    """Return the URL of a server that accepts and never answers."""
    import socket  # noqa: PLC0415

    listener = socket.create_server(("127.0.0.1", 0))
    _KEPT.append(listener)
    return f"redis://127.0.0.1:{listener.getsockname()[1]}"


_KEPT: list[object] = []


@pytest.mark.server
@pytest.mark.parametrize("address", ["refused", "hung", "hung http"])
def test_an_unreachable_server_does_not_keep_the_process(store: Server, address: str) -> None:
    """Within shutdown_timeout (2 s), plus what an interpreter needs to start."""
    url = {
        "refused": "redis://127.0.0.1:9",
        "hung": hanging(),
        "hung http": hanging().replace("redis", "http"),
    }
    nothing = run(store, "init()", url=url[address])
    assert run(store, "init(); search('q')", url=url[address]) < nothing + 2.0 + 5.0
    for listener in _KEPT:
        listener.close()  # type: ignore[attr-defined]
    _KEPT.clear()


def test_a_signal_handler_that_logs_does_not_wait_for_itself(store: Server) -> None:
    run(
        store,
        """
        init()
        signal.signal(signal.SIGALRM, lambda *_: (search("in the handler"), ragauge.flush(0.2)))
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        for _ in range(20): search("q"); ragauge.flush(0.2)
        signal.setitimer(signal.ITIMER_REAL, 0)
        """,
    )
    assert queries(store).count("q") == 20
