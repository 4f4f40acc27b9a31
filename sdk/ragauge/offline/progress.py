"""A progress bar for long work, on a terminal only."""

import sys
from collections.abc import Iterable, Sequence
from typing import Final

from ragauge.offline.data import Question

LONG: Final = 20_000


def on_terminal(questions: Sequence[Question], *, least: int = LONG) -> Iterable[Question]:
    """Yield the questions, with a bar on standard error if it is a terminal and they are many."""
    if len(questions) < least or not sys.stderr.isatty():
        return questions
    from rich.console import Console  # noqa: PLC0415 - loaded only where a person looks
    from rich.progress import track  # noqa: PLC0415

    return track(questions, "scoring", console=Console(stderr=True), transient=True)
