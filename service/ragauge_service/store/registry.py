"""The names that are told apart: categories, retrievers, variants, each up to its limit."""

from collections.abc import Iterable
from typing import Final, Literal

from ragauge_service.core.series import OTHER
from ragauge_service.store.connection import Client
from ragauge_service.store.script import ALLOWED_WHEN_FULL, Script

Kind = Literal["category", "retriever", "variant"]

# Answers the whole registry when it is full: from then on nobody needs to ask again.
_ADMIT: Final = Script(
    ALLOWED_WHEN_FULL
    + """
local limit = tonumber(ARGV[1])
local size = redis.call('HLEN', KEYS[1])
for at = 2, #ARGV do
    if size < limit and redis.call('HSETNX', KEYS[1], ARGV[at], size + 1) == 1 then size = size + 1 end
end
if size >= limit then return {1, redis.call('HKEYS', KEYS[1])} end
local known = {}
for at = 2, #ARGV do
    if redis.call('HEXISTS', KEYS[1], ARGV[at]) == 1 then table.insert(known, ARGV[at]) end
end
return {0, known}
"""
)


class Registry:
    """Who was admitted under one kind of name; the same for every worker of the namespace."""

    def __init__(self, client: Client, key: str, limit: int) -> None:
        self._client = client
        self._key = key
        self._limit = limit
        self._known: dict[str, str] = {"": "", OTHER: OTHER}
        self._full = False

    def admit(self, names: Iterable[str]) -> dict[str, str]:
        """Return what each name is counted under: itself, or ``__other__`` beyond the limit.

        The empty name (no variant) needs no place.
        """
        wanted = set(names)
        unknown = wanted - self._known.keys()
        if unknown and not self._full:
            self._ask(sorted(unknown))
        return {name: self._known.get(name, OTHER) for name in wanted}

    def names(self) -> list[str]:
        """Return the admitted names in the order in which they came."""
        flat = self._client.call("HGETALL", self._key)
        return [name.decode() for name, _ in sorted(flat.items(), key=lambda item: int(item[1]))]

    def _ask(self, names: list[str]) -> None:
        full, known = self._client.run(_ADMIT, [self._key], [self._limit, *names])
        self._full = bool(full)
        self._known.update({name.decode(): name.decode() for name in known})
