"""The one script by which a worker writes, and how a commit becomes its arguments.

First it checks that the worker still holds the shard, that nobody else committed in between, and that what
it read is still in the stream; then it does what it was given. Everything happens, or nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ragauge_service.core.changes import Changes, SlotKey
from ragauge_service.store.connection import Argument
from ragauge_service.store.keys import KEPT_S, LEVELS, ShardKeys, slot_member
from ragauge_service.store.script import ALLOWED_WHEN_FULL, NOW, Script

CommitAnswer = Literal["OK", "FENCED", "OFFSET", "LOST"]

VERSIONS_KEPT: Final = 1_024
DEAD_KEPT: Final = 10_000

# A version is at least the clock, so that one whose commit was lost in a failover is never used again.
COMMIT: Final = Script(
    ALLOWED_WHEN_FULL
    + NOW
    + """
local epoch, previous, offset, trim = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('HGET', KEYS[1], 'epoch') ~= epoch then return {'FENCED', ''} end
local state = redis.call('HMGET', KEYS[2], 'offset', 'version', 'epoch')
local at = state[1] or '0-0'
if at ~= previous then
    if at == offset and state[3] == epoch then return {'OK', state[2]} end
    return {'OFFSET', at}
end
local word = 6
for _ = 1, tonumber(ARGV[5]) do
    if #redis.call('XRANGE', KEYS[3], ARGV[word], ARGV[word]) == 0 then return {'LOST', ARGV[word]} end
    word = word + 1
end
local version = string.format('%.0f', math.max((tonumber(state[2]) or 0) + 1, now))
while word <= #ARGV do
    local command, key, count = ARGV[word], KEYS[tonumber(ARGV[word + 1])], tonumber(ARGV[word + 2])
    word = word + 3
    for from = word, word + count - 1, 2000 do
        local to = math.min(from + 1999, word + count - 1)
        if command == 'CHANGED' then
            local scored = {}
            for member = from, to do
                table.insert(scored, version)
                table.insert(scored, ARGV[member])
            end
            redis.call('ZADD', key, unpack(scored))
        elseif command == 'FORGET' then
            redis.call('ZREMRANGEBYSCORE', key, '-inf', now - ARGV[from])
        else
            redis.call(command, key, unpack(ARGV, from, to))
        end
    end
    word = word + count
end
redis.call('HSET', KEYS[2], 'offset', offset, 'version', version, 'epoch', epoch)
redis.call('ZADD', KEYS[4], version, version)
redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1025)
if trim ~= '' then redis.call('XTRIM', KEYS[3], 'MINID', trim) end
return {'OK', version}
"""
)
"""Commit.

KEYS: lease, state, events, versions, then whatever the commands name.
ARGV: epoch, previous offset, offset, trim before (or empty), how many ids must exist, these ids, then
commands: name, index of its key, count of words, words. CHANGED adds members at the new version; FORGET
drops members whose version is older than so many milliseconds.
Answer: {OK, version}, {FENCED, ""}, {OFFSET, committed offset} or {LOST, id}.

A commit sent twice under one epoch is done once: only its sender can have moved the offset there.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A stream entry, or one event of it, that could not be read: where it stood, why, and what it was."""

    entry: str
    reason: str
    fields: Mapping[bytes, bytes]


@dataclass(slots=True)
class Commands:
    """The commands of one commit, as the script wants them."""

    keys: list[str]
    words: list[Argument] = field(default_factory=list[Argument])

    def add(self, command: str, key: str, arguments: Sequence[Argument]) -> None:
        """Do ``command`` on ``key``; its arguments may be split into calls of 2,000."""
        if arguments:
            self.keys.append(key)
            self.words += [command, len(self.keys), len(arguments), *arguments]

    def add_hashes(self, hashes: Iterable[tuple[str, Mapping[str, bytes], int]]) -> None:
        """Set fields of hashes that live so many seconds after their last change."""
        for key, fields, kept_s in hashes:
            if fields:
                self.add("HSET", key, flat(fields))
                self.words += ["EXPIRE", len(self.keys), 1, kept_s]


def commands_of(keys: ShardKeys, changes: Changes, dead: Sequence[DeadLetter]) -> Commands:
    """Return what writes ``changes``; the first four keys are those that the script itself uses."""
    commands = Commands([keys.lease, keys.state, keys.events, keys.versions])
    commands.add_hashes((keys.slot(key), rows, KEPT_S[key.minutes]) for key, rows in changes.slots.items())
    commands.add_hashes(
        (keys.failures(key), rows, KEPT_S[key.minutes]) for key, rows in changes.failures.items()
    )
    _mark_changed(commands, keys, changes.slots)
    commands.add("HSET", keys.matured, flat(changes.matured))
    commands.add("CHANGED", keys.matured_changed, list(changes.matured))
    kept = {key: record for key, record in changes.judgments.items() if record is not None}
    commands.add("HSET", keys.judgments, flat(kept))
    commands.add("HDEL", keys.judgments, [key for key in changes.judgments if key not in kept])
    for letter in dead:
        commands.add("XADD", keys.dead, _dead_words(letter))
    return commands


def flat(fields: Mapping[str, bytes]) -> list[Argument]:
    """Return a mapping as field, value, field, value.

    >>> flat({"a": b"1"})
    ['a', b'1']
    """
    return [part for pair in fields.items() for part in pair]


def _mark_changed(commands: Commands, keys: ShardKeys, slots: Iterable[SlotKey]) -> None:
    by_level: dict[int, list[str]] = {}
    for key in slots:
        by_level.setdefault(key.minutes, []).append(slot_member(key))
    for minutes in LEVELS:
        if members := by_level.get(minutes):
            commands.add("CHANGED", keys.changed(minutes), members)
            commands.words += ["FORGET", len(commands.keys), 1, KEPT_S[minutes] * 1_000]


def _dead_words(letter: DeadLetter) -> list[Argument]:
    fields = [part for pair in letter.fields.items() for part in pair]
    return ["MAXLEN", "~", DEAD_KEPT, "*", *fields, "entry", letter.entry, "reason", letter.reason]
