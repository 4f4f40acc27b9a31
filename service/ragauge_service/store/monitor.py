"""What the one monitor keeps across restarts, what it publishes for others, and what people tell it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ragauge_service.store.connection import Client
from ragauge_service.store.keys import namespace_key
from ragauge_service.store.script import ALLOWED_WHEN_FULL, Script

MARKERS_KEPT: Final = 1_000

_KEEP: Final = Script(
    ALLOWED_WHEN_FULL
    + """
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
local sets = tonumber(ARGV[2])
for at = 3, 2 + 2 * sets, 2 do redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
for at = 3 + 2 * sets, #ARGV do redis.call('HDEL', KEYS[2], ARGV[at]) end
return 1
"""
)

_SAVE: Final = Script(
    ALLOWED_WHEN_FULL
    + """
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
return 1
"""
)


@dataclass(frozen=True, slots=True)
class Marker:
    """Something that people say happened: a deploy, an acknowledgement. ``at`` is Unix milliseconds."""

    id: str
    kind: str
    text: str
    at: int


class MonitorStore:
    """The state of the detectors, the latest snapshot, and the markers of one namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._lease = namespace_key(namespace, "lease:monitor")
        self._state = namespace_key(namespace, "monitor")
        self._snapshot = namespace_key(namespace, "snapshot")
        self._markers = namespace_key(namespace, "markers")

    def load_monitor(self) -> dict[str, bytes]:
        """Return the pieces of the state that were saved last; none before the first."""
        fields = self._client.call("HGETALL", self._state)
        return {name.decode(): piece for name, piece in fields.items()}

    def save_monitor(self, epoch: int, pieces: Mapping[str, bytes | None]) -> bool:
        """Keep the pieces that changed, None to delete, all or none; False under an epoch that has passed.

        The detectors' state and the vectors it belongs to are pieces of one call.
        """
        sets = {name: piece for name, piece in pieces.items() if piece is not None}
        words = [word for pair in sets.items() for word in pair]
        gone = [name for name in pieces if name not in sets]
        return bool(self._client.run(_KEEP, [self._lease, self._state], [epoch, len(sets), *words, *gone]))

    def publish_snapshot(self, epoch: int, snapshot: bytes) -> bool:
        """Show a snapshot to every replica of the HTTP surface; False under an epoch that has passed."""
        return bool(self._client.run(_SAVE, [self._lease, self._snapshot], [epoch, snapshot]))

    def read_snapshot(self) -> bytes | None:
        """Return the snapshot published last, or None."""
        return self._client.call("GET", self._snapshot)

    def mark(self, kind: str, text: str, at: int) -> str:
        """Add a marker and return its id; the latest ``MARKERS_KEPT`` are kept."""
        trim = ("MAXLEN", "~", MARKERS_KEPT)
        words = ("XADD", self._markers, *trim, "*", "kind", kind, "text", text, "at", at)
        return self._client.call(*words).decode()

    def markers(self, after: str = "0-0") -> list[Marker]:
        """Return the markers that came after the one with this id, oldest first."""
        rows = self._client.call("XRANGE", self._markers, f"({after}", "+")
        return [_marker(entry_id, fields) for entry_id, fields in rows]


def _marker(entry_id: bytes, fields: dict[bytes, bytes]) -> Marker:
    return Marker(entry_id.decode(), fields[b"kind"].decode(), fields[b"text"].decode(), int(fields[b"at"]))
