"""The seam: what every transport does."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

from ragauge.errors import RagaugeError

TIMEOUT_S: Final = 10.0


class TransportError(RagaugeError):
    """It did not get through, or nobody knows whether it did: send the same sequence again.

    ``retry_after`` is seconds, when the other side said how long to wait.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Refused(RagaugeError):  # noqa: N818 - an answer, not a fault
    """The other side has read this entry and will never take it."""


class Answer(NamedTuple):
    """OK, DUP, GAP or UNKNOWN (see ``ragauge.protocol``).

    ``expected`` is the sequence that is wanted after a gap; ``rejected`` counts the entry's events that were
    not accepted.
    """

    status: str
    expected: int = 0
    rejected: int = 0


class Transport(Protocol):
    """Used by one thread at a time; connects when first used."""

    timeout: float
    """Seconds that one request may take; the client shortens it when the process ends."""

    def shards(self) -> int:
        """Return P.

        Raises:
            TransportError: not reachable, or the service has not been set up yet.
        """
        ...

    def encode(self, rows: Sequence[Sequence[Any]]) -> bytes:
        """Return the bytes of one entry's events, from rows as ``ragauge.wire`` makes them."""
        ...

    def append(self, shard: int, producer: str, seq: int, sent_at: int, body: bytes) -> Answer:
        """Append one entry.

        Raises:
            TransportError: its outcome is unknown.
            Refused: it can never be appended.
        """
        ...

    def close(self) -> None:
        """Close connections; the next use opens them again."""
        ...

    def forget(self) -> None:
        """Forget connections without a word to the other side: they belong to the parent process."""
        ...
