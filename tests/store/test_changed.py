"""The monitor reads only what changed, and notices when a failover took something back."""

import pytest

from ragauge_service.core.changes import Changes, SlotKey
from ragauge_service.store.connection import Client
from ragauge_service.store.shard import ShardStore

pytestmark = pytest.mark.server


class Writer:
    """A worker that commits one entry at a time."""

    def __init__(self, shard: ShardStore) -> None:
        self.shard = shard
        epoch = shard.lease.acquire("worker", 60_000)
        assert epoch is not None
        self.epoch, self.offset, self.seq = epoch, shard.state().offset, 0

    def commit(self, changes: Changes) -> None:
        self.seq += 1
        self.shard.append("p", self.seq, 0, b"")
        previous, self.offset = self.offset, self.shard.read(self.offset, 10)[-1].id
        done = self.shard.commit(epoch=self.epoch, previous=previous, offset=self.offset, changes=changes)
        assert done == "OK"


def slot(minute: int, **rows: bytes) -> dict[SlotKey, dict[str, bytes]]:
    return {SlotKey(1, minute * 60_000): rows}


def test_the_first_look_is_complete_and_the_next_ones_are_differences(shard: ShardStore) -> None:
    writer = Writer(shard)
    writer.commit(Changes(slots=slot(1, a=b"1"), matured={"a": b"1", "b": b"1"}))
    first = shard.changed_since(0)
    assert first.complete
    assert first.slots == slot(1, a=b"1")
    writer.commit(Changes(slots=slot(2, a=b"2"), matured={"b": b"2"}))
    second = shard.changed_since(first.version)
    assert (second.complete, second.slots, second.matured) == (False, slot(2, a=b"2"), {"b": b"2"})
    third = shard.changed_since(second.version)
    assert (third.version, third.slots, third.matured) == (second.version, {}, {})


def test_an_empty_shard_has_changed_nothing(shard: ShardStore) -> None:
    nothing = shard.changed_since(0)
    assert (nothing.version, nothing.slots, nothing.matured) == (0, {}, {})


def test_a_version_that_a_failover_took_back_leads_to_a_complete_look(
    shard: ShardStore, client: Client
) -> None:
    """What the monitor saw of the lost commit must go, although nothing changed since."""
    writer = Writer(shard)
    writer.commit(Changes(slots=slot(1, a=b"1")))
    kept = shard.changed_since(0).version
    writer.commit(Changes(slots=slot(2, a=b"2")))
    seen = shard.changed_since(kept).version
    client.call("HSET", shard.keys.state, "version", kept)
    client.call("ZREM", shard.keys.versions, seen)
    client.call("DEL", shard.keys.slot(SlotKey(1, 120_000)))
    again = shard.changed_since(seen)
    assert (again.version, again.complete, again.slots) == (kept, True, slot(1, a=b"1"))


def test_a_version_too_old_to_be_remembered_leads_to_a_complete_look(shard: ShardStore) -> None:
    writer = Writer(shard)
    writer.commit(Changes(slots=slot(1, a=b"1")))
    assert shard.changed_since(17).complete


def test_versions_are_never_used_twice(shard: ShardStore, client: Client) -> None:
    """A commit after a rollback must not take the number of a lost one."""
    writer = Writer(shard)
    writer.commit(Changes())
    lost = shard.state().version
    client.call("HSET", shard.keys.state, "version", 1)
    shard.read(writer.offset, 10)
    writer.commit(Changes())
    assert shard.state().version > lost
