"""One real process under test: its output in a file, ended with its children whatever happens."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def free_port() -> int:
    """Return a loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(
    condition: Callable[[], T | None], what: str, *, timeout: float = 60.0, every: float = 0.05
) -> T:
    """Return what ``condition`` returns as soon as it is truthy; connection errors count as not yet.

    Raises:
        AssertionError: it never was, in ``timeout`` seconds.
    """
    deadline = time.monotonic() + timeout
    last: object = None
    while time.monotonic() < deadline:
        try:
            value = condition()
        except OSError as error:
            value, last = None, error
        if value:
            return value
        time.sleep(every)
    raise AssertionError(f"waited {timeout:.0f} s for {what}; last error: {last!r}")


class Process:
    """A started program in a process group of its own."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.log = log
        self.command = list(command)
        with log.open("ab") as out:
            self.popen = subprocess.Popen(
                self.command,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **(env or {})},
                cwd=cwd,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        """Return what it has printed so far."""
        return self.log.read_text(errors="replace")

    def wait_for(self, condition: Callable[[], T | None], what: str, *, timeout: float = 60.0) -> T:
        """Wait for a condition, and fail at once, with the output, when the process ends first."""

        def checked() -> T | None:
            if self.popen.poll() is not None:
                raise AssertionError(f"{self.command} ended with {self.popen.returncode}:\n{self.output}")
            return condition()

        try:
            return wait_for(checked, what, timeout=timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.output[-4000:]}") from None

    def stop(self, timeout: float = 20.0) -> int:
        """End it by SIGTERM, else SIGKILL, and its process group after it; return its exit code."""
        if self.popen.poll() is None:
            self.popen.terminate()
        try:
            code = self.popen.wait(timeout)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        return code
