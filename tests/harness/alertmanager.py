"""A real Alertmanager with the routes that we ship, and a webhook that hears what it sends."""

import json
import shutil
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from harness.http import get_json, request
from harness.process import Process, free_port


class Webhook:
    """Receives notifications and keeps them in order."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        heard = self.heard

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                heard.append({**json.loads(body), "path": self.path})
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Hear no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def told(self, receiver: str, status: str) -> set[tuple[str, str]]:
        """Return the alerts (name and category) of all notifications to a receiver with a status."""
        return {
            (alert["labels"]["alertname"], alert["labels"].get("category", ""))
            for notification in list(self.heard)
            if notification["receiver"] == receiver
            for alert in notification["alerts"]
            if alert["status"] == status
        }


class Alertmanager:
    """A running Alertmanager whose receivers all send to the webhook."""

    def __init__(self, directory: Path, config: str) -> None:
        self.webhook = Webhook()
        for name in ("page", "ticket", "note"):
            hook = f"webhook_configs: [{{url: '{self.webhook.url}/{name}', send_resolved: true}}]"
            config = config.replace(f"- name: {name}\n", f"- name: {name}\n    {hook}\n")
        path = directory / "alertmanager.yml"
        path.write_text(config)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        program = shutil.which("prometheus-alertmanager") or "alertmanager"
        command = [program, f"--config.file={path}", f"--storage.path={directory / 'alertmanager'}"]
        command += [f"--web.listen-address=127.0.0.1:{self.port}", "--cluster.listen-address="]
        self.process = Process(command, directory / "alertmanager.log")
        self.process.wait_for(lambda: request("GET", f"{self.url}/-/ready")[0] == 200, "Alertmanager")

    def send(self, *alerts: dict[str, Any]) -> None:
        """Post alerts as Prometheus does."""
        status, text = request("POST", f"{self.url}/api/v2/alerts", list(alerts))
        assert status == 200, text

    def active(self) -> set[tuple[str, str]]:
        """Return the alerts that are neither inhibited nor silenced, as name and category."""
        found = get_json(f"{self.url}/api/v2/alerts?inhibited=false&silenced=false&active=true")
        return {(alert["labels"]["alertname"], alert["labels"].get("category", "")) for alert in found}

    def stop(self) -> None:
        """End it and its webhook."""
        self.process.stop()
        self.webhook.stop()


@contextmanager
def running_alertmanager(directory: Path, config: str) -> Generator[Alertmanager]:
    """Run Alertmanager for the length of a block."""
    alertmanager = Alertmanager(directory, config)
    try:
        yield alertmanager
    finally:
        alertmanager.stop()
