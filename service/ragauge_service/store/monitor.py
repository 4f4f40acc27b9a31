"""What the one monitor keeps across restarts, what it publishes for others, and what people tell it."""

from dataclasses import dataclass
from typing import Final

from ragauge_service.store.connection import Client
from ragauge_service.store.keys import namespace_key
from ragauge_service.store.script import ALLOWED_WHEN_FULL, Script

MARKERS_KEPT: Final = 1_000

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

    def load_monitor(self) -> bytes | None:
        """Return the state saved last, or None before the first."""
        return self._client.call("GET", self._state)

    def save_monitor(self, epoch: int, state: bytes) -> bool:
        """Keep the detectors' state and the vectors it belongs to; False under an epoch that has passed."""
        return bool(self._client.run(_SAVE, [self._lease, self._state], [epoch, state]))

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
