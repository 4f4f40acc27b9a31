"""``ragauge demo``: the main job on real input, in one command."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click
from rich.console import Console

from ragauge_service.demo.runner import Plan, run
from ragauge_service.demo.screen import screen


@click.command()
@click.option("--seconds", type=click.FloatRange(min=0), default=0, help="End after this long; 0 at Ctrl-C.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8321, show_default=True, help="Port of the service."
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Fixes the queries, their order, the clicks."
)
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Keep the store here.")
@click.option(
    "--log", type=click.Path(path_type=Path, dir_okay=False), help="Write each retrieval here, as JSONL."
)
def command(seconds: float, port: int, seed: int, data_dir: Path | None, log: Path | None) -> None:
    """See it work: a real retriever, a real drop, its alarm.

    BM25 over the docstrings of Python's standard library answers queries of five categories; after 50 s half
    of the documents of one category fall out of the index. All runs on loopback and ends with this command.
    """
    console = Console()
    plan = Plan(seconds=seconds, port=port, seed=seed, data_dir=data_dir, log=log)
    console.print("Reading the docstrings of Python's standard library ...", highlight=False)
    with _until_interrupted() as stop, screen(console) as shown:
        story = run(plan, shown, stop)
    for sentence in story.summary():
        console.print(sentence, markup=False, highlight=False, soft_wrap=not console.is_terminal)


@contextmanager
def _until_interrupted() -> Generator[threading.Event]:
    """Return an event that Ctrl-C and SIGTERM set: the demo then ends as it does when its time is over."""
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
