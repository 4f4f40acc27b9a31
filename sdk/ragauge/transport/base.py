"""The seam: what every transport does."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ragauge.errors import RagaugeError
from ragauge.events import Event


class TransportError(RagaugeError):
    """It did not get through, or nobody knows whether it did: send the same sequence again.

    ``retry_after`` is seconds, when the other side said how long to wait.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Answer(NamedTuple):
    """OK, DUP, GAP or UNKNOWN (see ``ragauge.protocol``), and the sequence that is expected after a gap."""

    status: str
    expected: int = 0


class Transport(Protocol):
    """Used by one thread only; connects when first used."""

    def shards(self) -> int:
        """Return P.

        Raises:
            TransportError: not reachable, or the service has not been set up yet.
        """
        ...

    def append(self, shard: int, producer: str, seq: int, sent_at: int, events: Sequence[Event]) -> Answer:
        """Append one entry.

        Raises:
            TransportError: its outcome is unknown.
        """
        ...

    def close(self) -> None:
        """Close connections; the next use opens them again."""
        ...
