"""How an application learns the ids of the retrievals that a block of its code made."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from ragauge.call import Call


class Captured:
    """The retrievals of one ``capture()`` block, oldest first."""

    def __init__(self) -> None:
        self.all: list[Call] = []

    @property
    def last(self) -> Call | None:
        """Return the latest retrieval, or None."""
        return self.all[-1] if self.all else None


_current: Final[ContextVar[Captured | None]] = ContextVar("ragauge_captured", default=None)


@contextmanager
def capture() -> Generator[Captured]:
    """Collect the handles of the retrievals made inside, in this thread or task and those it starts."""
    captured = Captured()
    token = _current.set(captured)
    try:
        yield captured
    finally:
        _current.reset(token)


def note(call: Call) -> None:
    """Add a call to the innermost block, if there is one."""
    captured = _current.get()
    if captured is not None:
        captured.all.append(call)
