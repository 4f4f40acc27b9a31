"""A Lua script and the name under which a server remembers it."""

import hashlib
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Script:
    """One script: all of it happens, or nothing."""

    text: str
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        object.__setattr__(self, "sha", digest)


NOW: Final = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
"""
"""Lua: ``now`` is the server's clock in Unix milliseconds."""

ALLOWED_WHEN_FULL: Final = """
redis.call('HDEL', KEYS[1], '')
"""
"""Lua: let this script write although memory is full. KEYS[1] must be a hash.

A full server refuses only the first write of a script that could grow it, and HDEL cannot. Leases, ticks
and commits must go on then, since only they let the stream be trimmed; what producers append is refused.
"""
