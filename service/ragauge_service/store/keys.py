"""The names of all keys; those of producers stand in ``ragauge.protocol``."""

from dataclasses import dataclass
from typing import Final

from ragauge.protocol import shard_key, stream_key
from ragauge_service.core.changes import SlotKey

HOUR_S: Final = 3600
LEVELS: Final = (1, 15, 120)
"""The lengths of slots, in minutes."""

KEPT_S: Final = {1: 3 * HOUR_S, 15: 51 * HOUR_S, 120: 15 * 24 * HOUR_S}
"""How long after its last change a slot is kept: 2 h, 2 days and 14 days, and a margin for the next level."""


def namespace_key(namespace: str, name: str) -> str:
    """Return a key of a namespace; all of them live in one slot of a cluster.

    >>> namespace_key("default", "owners")
    'ragauge:{default}:owners'
    """
    return f"ragauge:{{{namespace}}}:{name}"


@dataclass(frozen=True, slots=True)
class ShardKeys:
    """The keys of one shard; ``layout`` counts the layouts that its tallies have had."""

    namespace: str
    shard: int
    layout: int = 1

    def _key(self, name: str) -> str:
        return shard_key(self.namespace, self.shard, name)

    def _tallies(self, name: str) -> str:
        return self._key(name if self.layout == 1 else f"{name}:v{self.layout}")

    @property
    def events(self) -> str:
        """Return the stream of entries."""
        return stream_key(self.namespace, self.shard)

    @property
    def dead(self) -> str:
        """Return the stream of entries that could not be read."""
        return self._key("dead")

    @property
    def lease(self) -> str:
        """Return the hash of who may commit."""
        return self._key("lease")

    @property
    def state(self) -> str:
        """Return the hash of how far the stream is committed."""
        return self._key("state")

    @property
    def judgments(self) -> str:
        """Return the hash of judgments by query key."""
        return self._key("judgments")

    @property
    def versions(self) -> str:
        """Return the sorted set of the latest versions: a version not in it was rolled back, or is old."""
        return self._key("versions")

    @property
    def matured(self) -> str:
        """Return the hash of cumulative histograms by series."""
        return self._tallies("matured")

    @property
    def matured_changed(self) -> str:
        """Return the sorted set of series by the version that last changed their histogram."""
        return self._tallies("matured:changed")

    def changed(self, minutes: int) -> str:
        """Return the sorted set of a level's slots by the version that last changed them."""
        return self._tallies(f"changed:{minutes}")

    def slot(self, key: SlotKey) -> str:
        """Return the hash of tallies by series of one slot."""
        return self._tallies(f"slot:{key.minutes}:{key.start}")

    def failures(self, key: SlotKey) -> str:
        """Return the hash of the worst retrievals by series of one slot."""
        return self._tallies(f"failures:{key.minutes}:{key.start}")


def slot_member(key: SlotKey) -> str:
    """Return a slot as a member of the sorted set of its level.

    >>> slot_member(SlotKey(15, 900000))
    '15:900000'
    """
    return f"{key.minutes}:{key.start}"


def slot_of_member(member: bytes) -> SlotKey:
    """Return the slot that ``slot_member`` named.

    >>> slot_of_member(b"15:900000")
    SlotKey(minutes=15, start=900000)
    """
    minutes, _, start = member.decode().partition(":")
    return SlotKey(int(minutes), int(start))
