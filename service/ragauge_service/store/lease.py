"""Who may act: leases with fencing epochs, and the table of workers that are alive. All by server time."""

from typing import Final

from ragauge_service.store.connection import Client
from ragauge_service.store.script import ALLOWED_WHEN_FULL, NOW, Script

# A lease that ends later than its own length from now was written before the clock was set back: it is over.
# The epoch is at least the clock, so that one whose grant was lost in a failover is not granted again.
_ACQUIRE: Final = Script(
    ALLOWED_WHEN_FULL
    + NOW
    + """
local lease = redis.call('HMGET', KEYS[1], 'owner', 'until', 'ttl', 'epoch')
local left = (tonumber(lease[2]) or 0) - now
local held = left > 0 and left <= (tonumber(lease[3]) or 0)
if held and lease[1] ~= '' and lease[1] ~= ARGV[1] then return false end
local epoch = string.format('%.0f', math.max((tonumber(lease[4]) or 0) + 1, now))
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', now + ARGV[2], 'ttl', ARGV[2], 'epoch', epoch)
return epoch
"""
)
_RENEW: Final = Script(
    ALLOWED_WHEN_FULL
    + NOW
    + """
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'owner') == '' then return 0 end
redis.call('HSET', KEYS[1], 'until', now + redis.call('HGET', KEYS[1], 'ttl'))
return 1
"""
)
_RELEASE: Final = Script(
    ALLOWED_WHEN_FULL
    + """
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'owner', '', 'until', '0')
return 1
"""
)
_BEAT: Final = Script(
    NOW
    + """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + 2 * ARGV[2], '+inf')
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return redis.call('ZRANGE', KEYS[1], 0, -1)
"""
)


class Lease:
    """The right to act alone on something, for a time, under an epoch that only grows.

    A holder that was stopped past its lease still believes in it; what it then writes carries an epoch
    that is no longer the lease's, and is refused.
    """

    def __init__(self, client: Client, key: str) -> None:
        self._client = client
        self.key = key

    def acquire(self, owner: str, ttl_ms: int) -> int | None:
        """Return a new epoch, or None while another owner holds the lease."""
        answer = self._client.run(_ACQUIRE, [self.key], [owner, ttl_ms])
        return None if answer is None else int(answer)

    def renew(self, epoch: int) -> bool:
        """Hold on for another length; False when the lease has passed to someone else."""
        return bool(self._client.run(_RENEW, [self.key], [epoch]))

    def release(self, epoch: int) -> bool:
        """Give the lease back, so that the next owner need not wait; False when it had passed on."""
        return bool(self._client.run(_RELEASE, [self.key], [epoch]))

    def owner(self) -> str:
        """Return who acquired it last and has not released it, or an empty text."""
        return (self._client.call("HGET", self.key, "owner") or b"").decode()

    def epoch(self) -> int:
        """Return the latest epoch, 0 before the first."""
        return int(self._client.call("HGET", self.key, "epoch") or 0)


class Owners:
    """The workers that are alive: each beats, and sees how many share the work."""

    def __init__(self, client: Client, key: str) -> None:
        self._client = client
        self._key = key

    def beat(self, owner: str, ttl_ms: int) -> tuple[str, ...]:
        """Say that ``owner`` lives for another ``ttl_ms``, and return all who do, sorted by name."""
        return _names(self._client.run(_BEAT, [self._key], [owner, ttl_ms]))

    def leave(self, owner: str) -> None:
        """Forget ``owner`` at once: it has shut down."""
        self._client.call("ZREM", self._key, owner)

    def alive(self) -> tuple[str, ...]:
        """Return who beat lately, sorted by name; one that died may still stand there for its length."""
        return _names(self._client.call("ZRANGE", self._key, 0, -1))


def fair_share(shards: int, alive: int) -> int:
    """Return how many shards one of ``alive`` workers may hold: ceil(P / alive).

    >>> fair_share(16, 3), fair_share(16, 0)
    (6, 16)
    """
    return -(-shards // max(1, alive))


def _names(members: list[bytes]) -> tuple[str, ...]:
    return tuple(sorted(member.decode() for member in members))
