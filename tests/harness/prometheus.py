"""A real Prometheus with the rules that we ship, scraping the service under test."""

import urllib.parse
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.http import get_json, request
from harness.process import Process, free_port

CONFIG = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: ragauge
    static_configs: [{{targets: ["{target}"]}}]
{more}
"""


class Prometheus:
    """A running Prometheus."""

    def __init__(self, directory: Path, target: str, rules: Sequence[Path], more: str = "") -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        names = ", ".join(f'"{rule}"' for rule in rules)
        config = directory / "prometheus.yml"
        config.write_text(CONFIG.format(rules=names, target=target, more=more))
        command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={directory / 'tsdb'}"]
        command += [f"--web.listen-address=127.0.0.1:{self.port}", "--enable-feature=exemplar-storage"]
        self.process = Process(command, directory / "prometheus.log")
        self.process.wait_for(lambda: request("GET", f"{self.url}/-/ready")[0] == 200, "Prometheus")

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the vector that an instant query answers."""
        text = urllib.parse.quote(expression)
        return get_json(f"{self.url}/api/v1/query?query={text}")["data"]["result"]

    def alerts(self, state: str = "firing") -> list[dict[str, str]]:
        """Return the labels of the alerts in a state."""
        found = get_json(f"{self.url}/api/v1/alerts")["data"]["alerts"]
        return [alert["labels"] for alert in found if alert["state"] == state]


@contextmanager
def running_prometheus(
    directory: Path, target: str, rules: Sequence[Path], more: str = ""
) -> Generator[Prometheus]:
    """Run Prometheus for the length of a block."""
    prometheus = Prometheus(directory, target, rules, more)
    try:
        yield prometheus
    finally:
        prometheus.process.stop()
