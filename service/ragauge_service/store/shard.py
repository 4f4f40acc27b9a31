"""One shard: its stream, its tallies, its judgments, and the commits that move them together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from ragauge.protocol import APPEND, PRODUCER_TTL_MS, producer_key
from ragauge.wire import VERSION
from ragauge_service.core.changes import Changes, SeriesKey, SlotKey
from ragauge_service.store.commit import COMMIT, CommitAnswer, DeadLetter, commands_of
from ragauge_service.store.connection import MAX_BLOCK_MS, Client
from ragauge_service.store.deadletters import DeadLetters
from ragauge_service.store.keys import LEVELS, ShardKeys, slot_of_member
from ragauge_service.store.lease import Lease
from ragauge_service.store.script import ALLOWED_WHEN_FULL, NOW, Script

START: Final = "0-0"
"""The offset before the first entry."""

TICK_MS: Final = 1_000

_APPEND: Final = Script(APPEND)

_TICK: Final = Script(
    ALLOWED_WHEN_FULL
    + NOW
    + """
local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local id = newest and newest[1] or '0-0'
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return id end
if now - tonumber(string.match(id, '%d+')) <= tonumber(ARGV[2]) then return id end
return redis.call('XADD', KEYS[2], '*', 'p', '')
"""
)

_CHANGED: Final = Script("""
local version = redis.call('HGET', KEYS[1], 'version') or '0'
local since, complete = '(' .. ARGV[1], 0
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then since, complete = '-inf', 1 end
local changed = {}
for at = 5, #KEYS do
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[at], since, '+inf')) do
        table.insert(changed, member)
    end
end
local matured = {}
for _, series in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], since, '+inf')) do
    table.insert(matured, series)
    table.insert(matured, redis.call('HGET', KEYS[3], series))
end
return {version, complete, changed, matured}
""")


class Entry(NamedTuple):
    """A stream entry; its id is the shard's time when it came: ``milliseconds-sequence``."""

    id: str
    fields: Mapping[bytes, bytes]


class ShardState(NamedTuple):
    """How far the stream is committed, the version of the tallies, and the epoch of the lease."""

    offset: str
    version: int
    epoch: int


class AppendAnswer(NamedTuple):
    """What the append script said: OK, DUP, GAP or UNKNOWN, and the id, mark or expected sequence."""

    status: str
    value: str


class Retained(NamedTuple):
    """What the stream still holds."""

    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ChangedSlots:
    """What changed after a version; ``complete`` says that it is all there is, whatever was known before.

    It is complete at first, when the version asked for is too old, and when a failover rolled it back.
    """

    version: int
    slots: Mapping[SlotKey, Mapping[SeriesKey, bytes]]
    matured: Mapping[SeriesKey, bytes]
    complete: bool = False


class ShardStore:
    """One shard of a namespace.

    What was read since the last commit is remembered, so that a commit can prove that the stream still
    holds it: a failover may have lost what was acknowledged, and producers then send it again.
    """

    def __init__(self, client: Client, keys: ShardKeys) -> None:
        self._client = client
        self.keys = keys
        self.lease = Lease(client, keys.lease)
        self.dead_letters = DeadLetters(client, keys)
        self._tails: list[str] = []

    def state(self) -> ShardState:
        """Return how far the shard is committed, and forget what was read: a holder starts from here."""
        self._tails.clear()
        offset, version = self._client.call("HMGET", self.keys.state, "offset", "version")
        return ShardState((offset or START.encode()).decode(), int(version or 0), self.lease.epoch())

    def read(self, after: str, count: int, block_ms: int = 0) -> list[Entry]:
        """Return up to ``count`` entries after an id, oldest first, waiting for one up to ``block_ms``."""
        rows = self._client.call("XRANGE", self.keys.events, f"({after}", "+", "COUNT", count)
        if not rows and block_ms > 0:
            rows = self._wait(after, count, min(block_ms, MAX_BLOCK_MS))
        entries = [Entry(entry_id.decode(), fields) for entry_id, fields in rows]
        if entries:
            self._tails.append(entries[-1].id)
        return entries

    def tick(self, epoch: int) -> str:
        """Return the newest entry's id, after adding an empty entry if the newest is older than a second.

        Under an epoch that has passed nothing is added.
        """
        answer = self._client.run(_TICK, [self.keys.lease, self.keys.events], [epoch, TICK_MS])
        return answer.decode()

    def append(self, producer: str, seq: int, sent_at: int, body: bytes) -> AppendAnswer:
        """Append an entry for a producer, once however often it is sent.

        Raises:
            StoreFull: nothing was written; the producer must slow down.
            StoreUnavailable: it may have been written; send the same sequence again.
        """
        keys = [self.keys.events, producer_key(self.keys.namespace, self.keys.shard, producer)]
        arguments = [producer, seq, VERSION, sent_at, body, PRODUCER_TTL_MS]
        status, value = self._client.run(_APPEND, keys, arguments)
        return AppendAnswer(status.decode(), value.decode())

    def commit(
        self,
        *,
        epoch: int,
        previous: str,
        offset: str,
        changes: Changes,
        dead: Sequence[DeadLetter] = (),
        trim_before: str | None = None,
    ) -> CommitAnswer:
        """Write what the entries after ``previous`` up to ``offset`` changed, all of it or nothing.

        FENCED: the lease has passed on. OFFSET: somebody committed in between. LOST: the stream no longer
        holds what was read. After each of these, load again from ``state()``. A commit may be sent twice.
        """
        tails = [tail for tail in self._tails if _order(tail) < _order(offset)]
        there = tails if offset == previous else [*tails, offset]
        commands = commands_of(self.keys, changes, dead)
        head = [epoch, previous, offset, trim_before or "", len(there), *there]
        answer = self._client.run(COMMIT, commands.keys, [*head, *commands.words])[0].decode()
        if answer == "OK":
            self._tails = [tail for tail in self._tails if _order(tail) > _order(offset)]
        return cast("CommitAnswer", answer)

    def load_slot(self, key: SlotKey) -> dict[SeriesKey, bytes]:
        """Return the tallies of one slot by series."""
        return self.load_slots([key])[key]

    def load_slots(self, keys: Iterable[SlotKey]) -> dict[SlotKey, dict[SeriesKey, bytes]]:
        """Return the tallies of slots by series; a slot without any is empty."""
        return self._hashes({key: self.keys.slot(key) for key in keys})

    def load_failures(self, keys: Iterable[SlotKey]) -> dict[SlotKey, dict[SeriesKey, bytes]]:
        """Return the worst retrievals of slots by series."""
        return self._hashes({key: self.keys.failures(key) for key in keys})

    def load_matured(self) -> dict[SeriesKey, bytes]:
        """Return the cumulative histograms by series."""
        return _texts(self._client.call("HGETALL", self.keys.matured))

    def load_judgments(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the records of those query keys that are judged."""
        if not keys:
            return {}
        records = self._client.call("HMGET", self.keys.judgments, *keys)
        return {key: record for key, record in zip(keys, records, strict=True) if record is not None}

    def iter_judgments(self, count: int = 1_000) -> Iterator[tuple[str, bytes]]:
        """Yield every query key with its record; one that changes meanwhile may come twice."""
        cursor = 0
        while True:
            cursor, rows = self._client.call("HSCAN", self.keys.judgments, cursor, "COUNT", count)
            yield from _texts(rows).items()
            if int(cursor) == 0:
                return

    def count_judgments(self) -> int:
        """Return how many query keys are judged."""
        return int(self._client.call("HLEN", self.keys.judgments))

    def changed_since(self, version: int) -> ChangedSlots:
        """Return what changed after ``version``; 0 asks for everything."""
        keys = [self.keys.state, self.keys.versions, self.keys.matured, self.keys.matured_changed]
        keys += [self.keys.changed(minutes) for minutes in LEVELS]
        now, complete, members, matured = self._client.run(_CHANGED, keys, [version])
        slots = self.load_slots(slot_of_member(member) for member in members)
        pairs = zip(matured[::2], matured[1::2], strict=True)
        kept = {key: rows for key, rows in slots.items() if rows}
        return ChangedSlots(
            int(now), kept, {key.decode(): row for key, row in pairs}, complete=bool(complete)
        )

    def retained(self) -> Retained:
        """Return how many entries the stream holds, and about how many bytes of memory they take."""
        entries = int(self._client.call("XLEN", self.keys.events))
        size = self._client.call("MEMORY USAGE", self.keys.events) if entries else 0
        return Retained(entries, int(size or 0))

    def _wait(self, after: str, count: int, block_ms: int) -> list[tuple[bytes, dict[bytes, bytes]]]:
        words = ("XREAD", "COUNT", count, "BLOCK", block_ms, "STREAMS", self.keys.events, after)
        streams = self._client.call(*words)
        return streams[0][1] if streams else []

    def _hashes(self, names: Mapping[SlotKey, str]) -> dict[SlotKey, dict[SeriesKey, bytes]]:
        answers = self._client.many([("HGETALL", name) for name in names.values()])
        return {key: _texts(answer) for key, answer in zip(names, answers, strict=True)}


def _order(entry_id: str) -> tuple[int, int]:
    milliseconds, _, sequence = entry_id.partition("-")
    return int(milliseconds), int(sequence or 0)


def _texts(fields: Mapping[bytes, Any]) -> dict[str, bytes]:
    return {name.decode(): value for name, value in fields.items()}
