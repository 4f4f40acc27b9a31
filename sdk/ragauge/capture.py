"""How an application learns the ids of the retrievals that a block of its code made."""

from collections.abc import Generator
from contextlib import contextmanager, suppress

from ragauge.record import NOTHING, Handle
from ragauge.scope import OFF, Scope, current


class Captured:
    """The retrievals of one ``capture()`` block, oldest first."""

    def __init__(self) -> None:
        self.all: list[Handle] = []

    @property
    def last(self) -> Handle:
        """Return the latest retrieval; a handle with an empty id when there was none."""
        return self.all[-1] if self.all else NOTHING


@contextmanager
def capture() -> Generator[Captured]:
    """Collect the handles of the retrievals made inside.

    Tasks, ``asyncio.gather`` and ``asyncio.to_thread`` keep the block; a bare ``threading.Thread`` and
    ``loop.run_in_executor`` lose it, as they lose every context variable: run them in
    ``contextvars.copy_context().run``.

    >>> with capture() as captured:
    ...     pass
    >>> captured.last.id, captured.all
    ('', [])
    """
    captured = Captured()
    outer = current.get()
    if outer is OFF:
        yield captured
        return
    with _entered(Scope(outer, captured.all)):
        yield captured


@contextmanager
def disabled() -> Generator[None]:
    """Log nothing inside, in this thread or task.

    >>> with disabled():
    ...     pass
    """
    with _entered(OFF):
        yield


@contextmanager
def _entered(scope: Scope) -> Generator[None]:
    token = current.set(scope)
    try:
        yield
    finally:
        with suppress(ValueError):  # left in another context than it was entered in: nothing to put back
            current.reset(token)
