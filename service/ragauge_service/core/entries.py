"""Stream entries as the core takes them: an id, a correction of the clock, and arrays."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ragauge.errors import MalformedEventError
from ragauge.wire import check_version, unpack
from ragauge_service.core.judged import EntryId

SKEW_MS: Final = 2_000
"""A producer's clock that is off by more is corrected."""


class Entry(NamedTuple):
    """One stream entry; ``skew`` is added to its producer's times, in milliseconds."""

    id: EntryId
    skew: int
    rows: list[list[Any]]


def entry_id(text: str) -> EntryId:
    """Return a stream id as numbers, which sort as the stream does.

    >>> entry_id("1700000000000-3")
    (1700000000000, 3)
    """
    milliseconds, _, sequence = text.partition("-")
    return int(milliseconds), int(sequence or 0)


def read_entry(id_: EntryId, fields: Mapping[bytes, bytes]) -> Entry:
    """Return a stream entry; one without a body is a tick, which only moves the time.

    Raises:
        UnknownVersionError: written by a newer release.
        MalformedEventError: the entry as a whole cannot be read.
    """
    body = fields.get(b"b")
    if body is None and not fields.get(b"p"):
        return Entry(id_, 0, [])
    check_version(fields.get(b"v"))
    if body is None:
        raise MalformedEventError("entry has no field 'b'")
    return Entry(id_, _skew(id_[0], fields.get(b"t", b"")), unpack(body))


def _skew(time: int, sent_at: bytes) -> int:
    if not sent_at.isdigit() or len(sent_at) > 16:
        raise MalformedEventError(f"field 't': Unix milliseconds wanted, not {sent_at!r:.40}")
    off = time - int(sent_at)
    return off if abs(off) > SKEW_MS else 0
