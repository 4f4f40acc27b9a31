"""Draw the dashboards with Grafana's own components from live data: ``make preview``.

Runs ``ragauge demo`` and a Prometheus on it, waits until the demo's drop has been seen, lets a headless
Chromium draw each dashboard, and writes the pictures to docs/images. Ends with 1 if a panel is in error,
or empty where the demo has data.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent
sys.path.insert(0, str(ROOT / "tests"))

from harness.process import Process, free_port, wait_for  # noqa: E402
from harness.prometheus import Prometheus, running_prometheus  # noqa: E402

IMAGES: Final = ROOT / "docs" / "images"
BUNDLE: Final = [
    "src/main.jsx",
    "--bundle",
    "--minify",
    "--outfile=app.js",
    "--format=iife",
    "--log-level=error",
    "--alias:react-router-dom=./src/shim-router.js",
    "--alias:react-custom-scrollbars-2=./src/shim-scrollbars.js",
    "--loader:.svg=dataurl",
    "--loader:.woff2=dataurl",
    "--loader:.ttf=dataurl",
    '--define:process.env.NODE_ENV="production"',
    "--define:global=window",
]
EMPTY_IN_THE_DEMO: Final = {
    "Click models disagree by": "the service does not export the click estimators yet",
    "Newest judgment": "read once a minute",
}
"""Panels that have nothing to show in the demo, and why."""
WIDTH: Final = 1600
AFTER_THE_DROP_S: Final = 45


class Page(SimpleHTTPRequestHandler):
    """Serves the page and the dashboards, and hears the panels' states."""

    reports: "dict[str, list[dict[str, Any]]]"

    def do_POST(self) -> None:
        """Take the states that the page reports."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        board = urllib.parse.urlparse(self.headers["Referer"]).query
        self.reports[urllib.parse.parse_qs(board)["dashboard"][0]] = json.loads(body)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


def main() -> int:
    """Build, run, draw, judge."""
    _build()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        port = free_port()
        demo = Process(
            [sys.executable, "-m", "ragauge_service", "demo", "--seconds", "600", "--port", str(port)],
            directory / "demo.log",
        )
        try:
            demo.wait_for(lambda: _ready(port), "the demo")
            with running_prometheus(directory, f"127.0.0.1:{port}", []) as prometheus:
                _wait_for_the_drop(prometheus)
                return _draw_all(prometheus, directory)
        finally:
            demo.stop()


def _build() -> None:
    if not (HERE / "node_modules").exists():
        subprocess.run(["npm", "ci", "--no-progress"], cwd=HERE, check=True)  # noqa: S607
    subprocess.run([HERE / "node_modules" / ".bin" / "esbuild", *BUNDLE], cwd=HERE, check=True)  # noqa: S603


def _ready(port: int) -> bool:
    from harness.http import request  # noqa: PLC0415 - tests' own

    return request("GET", f"http://127.0.0.1:{port}/readyz")[0] == 200


def _wait_for_the_drop(prometheus: Prometheus) -> None:
    """Wait until the demo's alarm stands, and some time longer, so that there is a story to see."""
    print("waiting for the demo's drop (about two minutes)", flush=True)
    wait_for(lambda: prometheus.query("ragauge_drop_alarm == 1"), "the drop", timeout=400, every=1)
    time.sleep(AFTER_THE_DROP_S)


def _draw_all(prometheus: Prometheus, directory: Path) -> int:
    reports: dict[str, list[dict[str, Any]]] = {}
    handler = type("Handler", (Page,), {"reports": reports})
    began = float(prometheus.query("min_over_time(timestamp(ragauge_build_info)[1h:1s])")[0]["value"][1])
    end = time.time()
    IMAGES.mkdir(exist_ok=True)
    site = directory / "site"
    shutil.copytree(ROOT / "grafana" / "dashboards", site)
    for file in HERE.iterdir():
        if file.suffix in {".html", ".js", ".css"}:
            shutil.copy(file, site)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        bad = 0
        for path in sorted((ROOT / "grafana" / "dashboards").glob("*.json")):
            arguments = {
                "dashboard": path.name,
                "prometheus": prometheus.url,
                "seconds": str(int(end - began)),
                "end": str(int(end)),
            }
            url = (
                f"http://127.0.0.1:{server.server_address[1]}/index.html?{urllib.parse.urlencode(arguments)}"
            )
            _draw(path, url, directory)
            bad += _judge(path.stem, reports.get(path.name))
        server.shutdown()
    return int(bad > 0)


def _draw(path: Path, url: str, directory: Path) -> None:
    board = json.loads(path.read_text())
    rows = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in board["panels"])
    chromium = [
        "chromium",
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={directory / 'browser'}",
        f"--window-size={WIDTH},{rows * 38 + 70}",
        "--virtual-time-budget=25000",
        f"--screenshot={IMAGES / path.stem}.png",
        url,
    ]
    subprocess.run(chromium, check=True, timeout=180, capture_output=True)  # noqa: S603


def _judge(board: str, states: list[dict[str, Any]] | None) -> int:
    """Say what is wrong with a dashboard's panels, and return how many are."""
    if states is None:
        print(f"{board}: the page never came to its end")
        return 1
    wrong = [
        state
        for state in states
        if state.get("error") or (state.get("empty") and state["title"] not in EMPTY_IN_THE_DEMO)
    ]
    print(f"{board}: {len(states)} panels, {len(wrong)} empty or in error, docs/images/{board}.png")
    for state in wrong:
        print(f"  {state['title']}: {state.get('error') or 'no data'}")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
