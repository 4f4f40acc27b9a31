"""The demo as a newcomer meets it: it breaks one category, says so, and leaves nothing behind."""

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.http import request
from harness.process import Process, free_port, wait_for
from ragauge_service.demo.regression import BROKEN
from ragauge_service.demo.runner import Plan, run
from ragauge_service.demo.view import View

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(300)]


def living(directory: Path) -> list[int]:
    """Return the processes that have a directory in their command line."""
    found = list[int]()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(directory).encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


class Running:
    """The demo, started from the command line, its store in a directory that names it."""

    def __init__(self, directory: Path, port: int, *options: str) -> None:
        self.data = directory / "data"
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "ragauge_service", "demo", "--port", str(port)]
        self.process = Process([*command, "--data-dir", str(self.data), *options], directory / "demo.log")

    def wait_for_numbers(self) -> None:
        """Wait until the first report has been printed."""
        self.process.wait_for(lambda: "MRR@10 0." in self.process.output, "the first numbers", timeout=90)

    def ended(self) -> int:
        """Return its exit code, once it and all it had started are gone."""
        code = self.process.popen.wait(60)
        wait_for(lambda: not living(self.data), "every process to be gone", timeout=30)
        return code


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path, free_port())
    try:
        yield running
    finally:
        running.process.stop()


def test_ctrl_c_ends_the_demo_with_its_summary_and_without_orphans(demo: Running) -> None:
    demo.wait_for_numbers()
    assert "ragauge" in request("GET", f"{demo.url}/")[1]
    assert "ragauge_window_mrr" in request("GET", f"{demo.url}/metrics")[1]
    demo.process.popen.send_signal(signal.SIGINT)
    assert demo.ended() == 0
    assert "Nothing was broken yet" in demo.process.output
    assert "Traceback" not in demo.process.output


def test_a_demo_that_is_killed_takes_its_service_with_it(demo: Running) -> None:
    demo.wait_for_numbers()
    demo.process.popen.kill()
    assert demo.ended() == -signal.SIGKILL


def test_a_port_in_use_is_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        demo = Running(tmp_path, taken.getsockname()[1])
        assert demo.ended() == 4
    last = demo.process.output.strip().splitlines()[-1]
    assert last.startswith("ragauge: error: ")
    assert "Traceback" not in demo.process.output


class Watching:
    """A screen that looks for the alarm, and stops the demo a little after it."""

    def __init__(self, stop: threading.Event, *, after: float) -> None:
        self.views = list[View]()
        self._stop = stop
        self._after = after

    def show(self, view: View) -> None:
        self.views.append(view)
        alarms = [each for each in self.views if any(row.state == "alarm" for row in each.rows)]
        if alarms and view.elapsed > alarms[0].elapsed + self._after:
            self._stop.set()


def test_the_regression_raises_the_alarm_of_its_category_and_of_no_other(tmp_path: Path) -> None:
    """The promise of the whole product, in a minute, without any tuning."""
    stop = threading.Event()
    watching = Watching(stop, after=5.0)
    story = run(
        Plan(seconds=150, port=free_port(), data_dir=tmp_path / "data", regression_at=40.0), watching, stop
    )
    assert set(story.alarms) == {BROKEN}
    assert story.delay is not None
    assert story.delay > 0
    assert story.lost > 100
    then = next(row for row in story.healthy if row.category == BROKEN)
    now = next(row for row in story.latest if row.category == BROKEN)
    for before, after in ((then.mrr, now.mrr), (then.hit, now.hit), (then.ndcg, now.ndcg)):
        assert before is not None
        assert after is not None
        assert after < before
