"""Entries that could not be read: kept with the reason, and replayed when a release can read them."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ragauge_service.store.connection import Client
from ragauge_service.store.keys import ShardKeys
from ragauge_service.store.script import Script

# Without `t`: an entry that waited for an upgrade says nothing of its producer's clock.
_REPLAY: Final = Script("""
local row = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not row then return false end
local fields = {}
for at = 1, #row[2], 2 do
    local name = row[2][at]
    if name ~= 'entry' and name ~= 'reason' and name ~= 't' then
        table.insert(fields, name)
        table.insert(fields, row[2][at + 1])
    end
end
local id = redis.call('XADD', KEYS[2], '*', unpack(fields))
redis.call('XDEL', KEYS[1], ARGV[1])
return id
""")


class KeptLetter(NamedTuple):
    """A dead letter as it is kept: its id, the entry it came from, the reason, and the entry's fields."""

    id: str
    entry: str
    reason: str
    fields: Mapping[bytes, bytes]


class DeadLetters:
    """The dead letters of one shard."""

    def __init__(self, client: Client, keys: ShardKeys) -> None:
        self._client = client
        self._keys = keys

    def __len__(self) -> int:
        return int(self._client.call("XLEN", self._keys.dead))

    def read(self, after: str = "0-0", count: int = 100) -> list[KeptLetter]:
        """Return up to ``count`` letters after an id, oldest first."""
        rows = self._client.call("XRANGE", self._keys.dead, f"({after}", "+", "COUNT", count)
        return [_letter(entry_id, dict(fields)) for entry_id, fields in rows]

    def replay(self, letter_id: str) -> str | None:
        """Put a letter back into the stream, once, and return its new id; None if it is not there."""
        answer = self._client.run(_REPLAY, [self._keys.dead, self._keys.events], [letter_id])
        return None if answer is None else answer.decode()

    def discard(self, letter_id: str) -> bool:
        """Forget a letter; False if it is not there."""
        return bool(self._client.call("XDEL", self._keys.dead, letter_id))


def _letter(entry_id: bytes, fields: dict[bytes, bytes]) -> KeptLetter:
    entry, reason = fields.pop(b"entry", b""), fields.pop(b"reason", b"")
    return KeptLetter(entry_id.decode(), entry.decode(), reason.decode(), fields)
