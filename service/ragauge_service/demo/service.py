"""The service beside the demo: started as a user would start it, with a short join horizon, ended with it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ragauge.errors import EnvironmentFault, RagaugeError
from ragauge_service.demo.quality import WINDOW
from ragauge_service.demo.queries import Query

HOST: Final = "127.0.0.1"
SETTINGS: Final = {"RAGAUGE_SERVICE_JOIN_HORIZON": "15s", "RAGAUGE_SERVICE_WINDOWS": f"{WINDOW},1h"}
"""What differs from a service in production: all is shorter, because the whole demo is."""

READY_WITHIN: Final = 30.0


def environment() -> dict[str, str]:
    """Return the environment of the demo's service: nothing of another ragauge that this shell knows."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGAUGE_")}
    return kept | SETTINGS


def check_port(port: int) -> None:
    """Do nothing when a loopback port is free: asked before the documents are read, which takes seconds.

    Raises:
        EnvironmentFault: another program listens on it.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise EnvironmentFault(f"port {port} is in use: a free one wanted, by --port") from None


class ServiceEnded(RagaugeError):  # noqa: N818 - said of another program, not of this one
    """The service ended by itself; ``exit_code`` is its own."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Service:
    """``ragauge serve`` on loopback, in a process of its own; what it says is in the data directory's log."""

    def __init__(self, *, port: int, data_dir: Path) -> None:
        self.url = f"http://{HOST}:{port}"
        self._log = data_dir / "service.log"
        command = [sys.executable, "-m", "ragauge_service.demo.child", "serve"]
        command += ["--host", HOST, "--port", str(port), "--data-dir", str(data_dir)]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment(),
                start_new_session=True,  # Ctrl-C reaches the demo, which still has questions to the service
            )

    def wait_until_ready(self, stop: threading.Event) -> None:
        """Wait for ``/readyz``, or until ``stop`` is set.

        Raises:
            ServiceEnded: it ended instead; the message is its last line.
            EnvironmentFault: it was not ready in time.
        """
        deadline = time.monotonic() + READY_WITHIN
        while time.monotonic() < deadline and not stop.wait(0.05):
            self.check()
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/readyz", timeout=2):  # noqa: S310
                return
        if stop.is_set():
            return
        raise EnvironmentFault(f"{self.url}: not ready in {READY_WITHIN:.0f} s; see {self._log}")

    def check(self) -> None:
        """Do nothing while the service runs.

        Raises:
            ServiceEnded: it does not run any more.
        """
        code = self._process.poll()
        if code is not None:
            lines = self._log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
            raise ServiceEnded(lines[-1].removeprefix("ragauge: error: "), code if code > 0 else 4)

    def judge(self, queries: Iterable[Query]) -> None:
        """Load the ground truth through the API.

        Raises:
            OSError: the service did not take it.
        """
        body = "".join(json.dumps(query.judgment()) + "\n" for query in queries).encode()
        call = urllib.request.Request(f"{self.url}/v1/judgments", body, method="POST")  # noqa: S310 - loopback
        call.add_header("Content-Type", "application/x-ndjson")
        with urllib.request.urlopen(call, timeout=30):  # noqa: S310
            pass

    def stop(self) -> None:
        """End it, its store with it: by request, then by closing its input, then by force."""
        self._process.terminate()
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None  # noqa: S101 - it was asked for above
            self._process.stdin.close()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
