"""The real service, as a user starts it: ``ragauge serve`` on a free port with the embedded store."""

import json
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.http import get_json, request
from harness.process import Process, free_port


class Service:
    """A running service."""

    def __init__(self, directory: Path, *options: str, env: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.options = options
        self.env = dict(env or {})
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = self._start()

    def _start(self) -> Process:
        command = [sys.executable, "-m", "ragauge_service", "serve", "--host", "127.0.0.1"]
        command += ["--port", str(self.port), "--data-dir", str(self.directory / "data"), *self.options]
        process = Process(command, self.directory / "service.log", env=self.env)
        try:
            process.wait_for(
                lambda: request("GET", f"{self.url}/readyz")[0] == 200, "the service to be ready"
            )
        except BaseException:
            process.stop()
            raise
        return process

    def restart(self) -> None:
        """Start it again on the same data."""
        self.process.stop()
        self.process = self._start()

    def judge(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Load judgments over HTTP."""
        body = "".join(json.dumps(record) + "\n" for record in records).encode()
        headers = {"Content-Type": "application/x-ndjson"}
        status, text = request("POST", f"{self.url}/v1/judgments", body, headers=headers)
        assert status in {200, 202}, text

    def send(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Send events without a producer: at least once, any shard."""
        status, text = request("POST", f"{self.url}/v1/events", {"events": list(events)})
        assert status == 202, text

    def quality(self, **query: str) -> list[dict[str, Any]]:
        """Return the series of ``GET /v1/quality``."""
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return get_json(f"{self.url}/v1/quality?{text}")["series"]

    def metrics(self) -> str:
        """Return the text of ``GET /metrics``."""
        return request("GET", f"{self.url}/metrics")[1]


@contextmanager
def running_service(
    directory: Path, *options: str, env: Mapping[str, str] | None = None
) -> Generator[Service]:
    """Run the service for the length of a block."""
    service = Service(directory, *options, env=env)
    try:
        yield service
    finally:
        service.process.stop()
