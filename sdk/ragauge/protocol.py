"""How a producer appends: keys, the one script, and what it answers. Pure: texts and names only.

A producer numbers its entries 1, 2, 3, ... per shard. The script adds an entry and moves the producer's
high-water mark together, so a retry is a duplicate that is seen, and a loss is a hole that is seen. Client
libraries retry writes on their own and so duplicate them: appends go through this script only.
"""

from typing import Final

DEFAULT_NAMESPACE: Final = "default"
DEFAULT_SHARDS: Final = 16
PRODUCER_TTL_MS: Final = 24 * 3600 * 1000
"""How long the high-water mark of a silent producer is remembered."""

OK: Final = "OK"
DUP: Final = "DUP"
GAP: Final = "GAP"
UNKNOWN: Final = "UNKNOWN"

APPEND: Final = """
local mark = redis.call('GET', KEYS[2])
local seq = tonumber(ARGV[2])
if mark then
    mark = tonumber(mark)
    if seq <= mark then return {'DUP', tostring(mark)} end
    if seq > mark + 1 then return {'GAP', tostring(mark + 1)} end
elseif seq > 1 then
    return {'UNKNOWN', '1'}
end
local id = redis.call('XADD', KEYS[1], '*',
    'p', ARGV[1], 's', ARGV[2], 'v', ARGV[3], 't', ARGV[4], 'b', ARGV[5])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[6])
return {'OK', id}
"""
"""Append one entry.

KEYS: the shard's stream; the producer's high-water mark.
ARGV: producer, sequence, version, sent_at in Unix milliseconds, body, PRODUCER_TTL_MS.
Answer: {OK, entry id}, {DUP, mark}, {GAP, expected sequence} or {UNKNOWN, 1}: then take a new id.
"""


def config_key(namespace: str) -> str:
    """Return the hash that keeps what is chosen once per namespace; field ``shards`` is P.

    >>> config_key("default")
    'ragauge:{default}:config'
    """
    return f"ragauge:{{{namespace}}}:config"


def shard_key(namespace: str, shard: int, name: str) -> str:
    """Return a key of one shard; all keys of a shard live in one slot of a cluster.

    >>> shard_key("default", 3, "events")
    'ragauge:{default:3}:events'
    """
    return f"ragauge:{{{namespace}:{shard}}}:{name}"


def stream_key(namespace: str, shard: int) -> str:
    """Return the stream of a shard's entries."""
    return shard_key(namespace, shard, "events")


def producer_key(namespace: str, shard: int, producer: str) -> str:
    """Return the high-water mark of one producer on one shard."""
    return shard_key(namespace, shard, f"producer:{producer}")
