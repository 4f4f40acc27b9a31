"""One script writes a commit: all of it, once, and only by who holds the shard."""

import itertools

import pytest

from ragauge_service.core.changes import Changes, SlotKey
from ragauge_service.store.commit import DeadLetter
from ragauge_service.store.connection import Client
from ragauge_service.store.shard import ShardState, ShardStore
from servers import wait_until

pytestmark = pytest.mark.server

MINUTE = SlotKey(1, 60_000)
QUARTER = SlotKey(15, 0)
CHANGES = Changes(
    slots={MINUTE: {"a": b"1", "b": b"2"}, QUARTER: {"a": b"1"}},
    matured={"a": b"m"},
    judgments={"i:q1": b"j"},
    failures={MINUTE: {"a": b"f"}},
)


def filled(shard: ShardStore, entries: int = 1) -> tuple[int, str]:
    """Return the epoch of a fresh lease and the id of the last of some entries, all of them read."""
    epoch = shard.lease.acquire("worker", 60_000)
    assert epoch is not None
    for seq in range(1, entries + 1):
        assert shard.append("p", seq, 0, b"body").status == "OK"
    return epoch, shard.read("0-0", 1_000)[-1].id


def test_a_commit_writes_everything_that_changed(shard: ShardStore) -> None:
    epoch, last = filled(shard)
    assert shard.commit(epoch=epoch, previous="0-0", offset=last, changes=CHANGES) == "OK"
    assert shard.load_slot(MINUTE) == {"a": b"1", "b": b"2"}
    assert shard.load_matured() == {"a": b"m"}
    assert shard.load_judgments(["i:q1", "i:unknown"]) == {"i:q1": b"j"}
    assert shard.load_failures([MINUTE]) == {MINUTE: {"a": b"f"}}
    assert shard.state().offset == last


def test_a_commit_of_nothing_moves_the_offset_only(shard: ShardStore) -> None:
    epoch, last = filled(shard)
    before = shard.state()
    shard.read(before.offset, 10)
    assert shard.commit(epoch=epoch, previous="0-0", offset=last, changes=Changes()) == "OK"
    after = shard.state()
    assert before == ShardState("0-0", 0, epoch)
    assert (after.offset, after.version > 0) == (last, True)


def test_a_worker_whose_lease_has_passed_changes_nothing(shard: ShardStore) -> None:
    """The other one may be anywhere: reading, committing, or done."""
    epoch, last = filled(shard)
    shard.lease.release(epoch)
    assert shard.lease.acquire("other", 60_000)
    assert shard.commit(epoch=epoch, previous="0-0", offset=last, changes=CHANGES) == "FENCED"
    assert shard.state().offset == "0-0"
    assert shard.load_slot(MINUTE) == {}


def test_a_commit_from_another_offset_changes_nothing(shard: ShardStore) -> None:
    epoch, last = filled(shard)
    assert shard.commit(epoch=epoch, previous="0-1", offset=last, changes=CHANGES) == "OFFSET"
    assert shard.load_slot(MINUTE) == {}


def test_the_same_commit_sent_again_is_done_once(shard: ShardStore) -> None:
    """Its answer may have been lost; dead letters are appended, so doing it twice would show."""
    epoch, last = filled(shard)
    dead = [DeadLetter(entry=last, reason="why", fields={b"b": b"body"})]
    for _ in range(2):
        assert shard.commit(epoch=epoch, previous="0-0", offset=last, changes=CHANGES, dead=dead) == "OK"
    assert len(shard.dead_letters) == 1


def test_the_same_offset_reached_under_another_epoch_is_not_mistaken_for_ours(shard: ShardStore) -> None:
    epoch, last = filled(shard)
    assert shard.commit(epoch=epoch, previous="0-0", offset=last, changes=CHANGES) == "OK"
    shard.lease.release(epoch)
    other = shard.lease.acquire("other", 60_000)
    assert other is not None
    assert shard.commit(epoch=other, previous="0-0", offset=last, changes=CHANGES) == "OFFSET"


@pytest.mark.parametrize("gone", range(3))
def test_what_was_read_and_is_no_longer_there_is_lost(shard: ShardStore, client: Client, gone: int) -> None:
    """A failover loses the end of the stream, also below entries that came after it: every read is proven."""
    epoch = filled(shard, 1)[0]
    shard.state()
    ids = [shard.read("0-0", 1)[0].id]
    for seq in (2, 3):
        shard.append("p", seq, 0, b"body")
        ids += [entry.id for entry in shard.read(ids[-1], 10)]
    client.call("XDEL", shard.keys.events, ids[gone])
    assert shard.commit(epoch=epoch, previous="0-0", offset=ids[-1], changes=CHANGES) == "LOST"
    assert shard.load_slot(MINUTE) == {}
    shard.state()
    again = shard.read("0-0", 10)
    assert shard.commit(epoch=epoch, previous="0-0", offset=again[-1].id, changes=CHANGES) == "OK"


def test_a_commit_may_end_inside_what_was_read(shard: ShardStore) -> None:
    epoch, _ = filled(shard, 4)
    ids = [entry.id for entry in shard.read("0-0", 10)]
    for previous, offset in itertools.pairwise(["0-0", *ids]):
        assert shard.commit(epoch=epoch, previous=previous, offset=offset, changes=Changes()) == "OK"


def test_a_commit_trims_what_is_behind(shard: ShardStore) -> None:
    epoch, last = filled(shard, 5)
    assert shard.retained().entries == 5
    before = shard.retained().bytes
    done = shard.commit(epoch=epoch, previous="0-0", offset=last, changes=Changes(), trim_before=last)
    assert (done, shard.retained().entries) == ("OK", 1)
    assert 0 < shard.retained().bytes <= before


def test_judgments_are_deleted_by_none(shard: ShardStore) -> None:
    epoch, last = filled(shard)
    for record in (b"j", None):
        changes = Changes(judgments={"i:q1": record, "i:q2": b"kept"})
        shard.commit(epoch=epoch, previous="0-0" if record else last, offset=last, changes=changes)
    assert dict(shard.iter_judgments()) == {"i:q2": b"kept"}
    assert shard.count_judgments() == 1


def test_large_commits_are_written_whole(shard: ShardStore) -> None:
    """Lua passes at most some thousand arguments to one call; more travel in several."""
    epoch, last = filled(shard)
    rows = {f"series{number}": b"%d" % number for number in range(12_345)}
    changes = Changes(slots={MINUTE: rows}, matured=rows, judgments=dict(rows))
    assert shard.commit(epoch=epoch, previous="0-0", offset=last, changes=changes) == "OK"
    assert shard.load_slot(MINUTE) == rows
    assert shard.changed_since(0).matured == rows
    assert dict(shard.iter_judgments()) == rows


def test_slots_are_forgotten_by_level(shard: ShardStore, client: Client) -> None:
    epoch, last = filled(shard)
    shard.commit(epoch=epoch, previous="0-0", offset=last, changes=CHANGES)
    kept = [client.call("TTL", shard.keys.slot(key)) / 3_600 for key in (MINUTE, QUARTER)]
    assert kept == pytest.approx([3, 51], abs=0.1)


def test_a_read_waits_for_an_entry(shard: ShardStore) -> None:
    assert shard.read("0-0", 10, block_ms=1) == []
    answer = shard.append("p", 1, 7, b"body")
    entry = shard.read("0-0", 10, block_ms=1_000)[0]
    assert entry.id == answer.value
    assert entry.fields == {b"p": b"p", b"s": b"1", b"v": b"1", b"t": b"7", b"b": b"body"}


def test_an_idle_shard_ticks_and_a_busy_one_does_not(shard: ShardStore) -> None:
    """Time on a shard is its newest entry, so somebody must add one when nothing comes."""
    epoch = shard.lease.acquire("worker", 60_000)
    assert epoch is not None
    first = shard.tick(epoch)
    assert shard.tick(epoch) == first
    assert [entry.fields for entry in shard.read("0-0", 10)] == [{b"p": b""}]
    second = wait_until(lambda: (now := shard.tick(epoch)) != first and now, "a second tick")
    assert int(second.partition("-")[0]) - int(first.partition("-")[0]) > 1_000


def test_only_the_holder_of_the_lease_ticks(shard: ShardStore) -> None:
    assert shard.tick(1) == "0-0"
    assert shard.read("0-0", 10) == []


def test_dead_letters_are_kept_with_their_reason_and_replayed_once(shard: ShardStore) -> None:
    epoch, last = filled(shard)
    entry = shard.read("0-0", 1)[0]
    dead = [DeadLetter(entry=entry.id, reason="version 9", fields=entry.fields)]
    shard.commit(epoch=epoch, previous="0-0", offset=last, changes=Changes(), dead=dead)
    (letter,) = shard.dead_letters.read()
    assert (letter.entry, letter.reason, letter.fields) == (entry.id, "version 9", entry.fields)
    assert shard.dead_letters.replay(letter.id) is not None
    assert shard.dead_letters.replay(letter.id) is None
    (again,) = shard.read(last, 10)
    assert again.fields == {name: value for name, value in entry.fields.items() if name != b"t"}
    assert not shard.dead_letters.discard(letter.id)
