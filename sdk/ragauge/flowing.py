"""What flows out of generators: noted as it passes, logged once when it ends."""

from collections.abc import Generator
from types import TracebackType
from typing import Any

from ragauge.calling import Begun, end, fail
from ragauge.events import MAX_IDS


class Flow:
    """The items that a generator has given."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def see(self, item: Any) -> None:
        """Keep an item; those behind the first 100 are not logged by name."""
        if len(self.items) < MAX_IDS:
            self.items.append(item)

    def done(self, begun: Begun | None) -> None:
        """Log what there was."""
        if begun is not None:
            end(begun, self.items)

    def stopped(self, begun: Begun | None, error: BaseException) -> None:
        """Log a caller who had enough as a call that was answered, and an error as an error."""
        if begun is None:
            return
        if isinstance(error, GeneratorExit):
            end(begun, self.items)
        else:
            fail(begun, error)


class Tap(Generator[Any, Any, Any]):
    """A generator as it is, whose items are seen: ``yield from`` relays send, throw and close to it."""

    def __init__(self, source: Generator[Any, Any, Any]) -> None:
        self.flow = Flow()
        self._source = source

    def __next__(self) -> Any:
        item = next(self._source)
        self.flow.see(item)
        return item

    def send(self, value: Any, /) -> Any:
        """Relay a value."""
        item = self._source.send(value)
        self.flow.see(item)
        return item

    def throw(self, typ: Any, val: BaseException | object = None, tb: TracebackType | None = None, /) -> Any:
        """Relay an exception."""
        del val, tb  # only the old form with three arguments has them
        item = self._source.throw(typ)
        self.flow.see(item)
        return item

    def close(self) -> None:
        """Relay the end."""
        self._source.close()
