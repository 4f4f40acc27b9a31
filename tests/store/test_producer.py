"""The append script: an entry counts once however often it is sent, and a hole is seen."""

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragauge.protocol import PRODUCER_TTL_MS, producer_key
from ragauge_service.store.connection import Client
from ragauge_service.store.shard import ShardStore

pytestmark = pytest.mark.server


def bodies(shard: ShardStore) -> list[bytes]:
    return [entry.fields[b"b"] for entry in shard.read("0-0", 10_000)]


def test_the_answers_are_ok_dup_gap_and_unknown(shard: ShardStore) -> None:
    assert shard.append("a", 2, 0, b"").status == "UNKNOWN"
    assert shard.append("a", 1, 0, b"one").status == "OK"
    assert shard.append("a", 1, 0, b"one again") == ("DUP", "1")
    assert shard.append("a", 3, 0, b"three") == ("GAP", "2")
    assert shard.append("a", 2, 0, b"two").status == "OK"
    assert bodies(shard) == [b"one", b"two"]


def test_producers_are_numbered_apart(shard: ShardStore) -> None:
    assert {shard.append(name, 1, 0, b"").status for name in ("a", "b", "c")} == {"OK"}


def test_the_mark_of_a_silent_producer_expires(shard: ShardStore, client: Client) -> None:
    shard.append("a", 1, 0, b"")
    left = client.call("PTTL", producer_key(shard.keys.namespace, shard.keys.shard, "a"))
    assert PRODUCER_TTL_MS - 60_000 < left <= PRODUCER_TTL_MS


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sends=st.lists(st.integers(1, 6), max_size=40))
def test_whatever_is_sent_in_whatever_order_the_stream_holds_a_prefix_once(
    shard: ShardStore, client: Client, sends: list[int]
) -> None:
    """The oracle is a counter: an entry is taken exactly when it is the next one."""
    client.call("DEL", shard.keys.events)
    reached, name = 0, str(uuid.uuid4())
    for seq in sends:
        answer = shard.append(name, seq, 0, b"%d" % seq)
        if seq == reached + 1:
            assert answer.status == "OK"
            reached = seq
        elif seq <= reached:
            assert answer == ("DUP", str(reached))
        else:
            assert answer == (("GAP", str(reached + 1)) if reached else ("UNKNOWN", "1"))
    assert bodies(shard) == [b"%d" % seq for seq in range(1, reached + 1)]
