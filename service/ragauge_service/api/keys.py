"""API keys: only their hashes are kept, and they are compared in constant time."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path
from typing import Final, Literal, cast

from ragauge.errors import ConfigurationError

Scope = Literal["ingest", "signal", "read", "admin"]

SCOPES: Final[tuple[Scope, ...]] = ("ingest", "signal", "read", "admin")
"""``admin`` may do everything, ``ingest`` may signal too."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key's name, what it may do, and the SHA-256 of its text: long and random, so one hash is enough."""

    name: str
    scopes: frozenset[Scope]
    digest: str

    def line(self) -> str:
        """Return the key as a line of the keys file."""
        return f"{self.name} {','.join(sorted(self.scopes))} {self.digest}"


@dataclass(frozen=True, slots=True)
class Keys:
    """All keys; without any, whoever reaches the loopback may do everything."""

    keys: Sequence[Key] = ()

    @classmethod
    def read(cls, path: Path) -> "Keys":
        """Return the keys of a file: ``name scope,scope sha256`` a line, ``#`` begins a comment.

        Raises:
            ConfigurationError: names file, line, and what was wanted.
        """
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"keys file {path}: {error}") from None
        rows = enumerate((line.partition("#")[0].split() for line in lines), start=1)
        return cls(tuple(_key(path, number, words) for number, words in rows if words))

    def allows(self, text: str | None, scope: Scope) -> bool | None:
        """Tell whether a key may do something; None when there is no such key."""
        if not self.keys:
            return True
        digest = digest_of(text or "")
        found = [key for key in self.keys if compare_digest(key.digest, digest)]
        return _may(found[0].scopes, scope) if found else None


def new_key(name: str, scopes: Sequence[Scope]) -> tuple[str, Key]:
    """Return a fresh key's text, shown once, and what is kept of it.

    >>> text, key = new_key("ci", ["read"])
    >>> Keys([key]).allows(text, "read"), Keys([key]).allows(text, "admin"), Keys([key]).allows("x", "read")
    (True, False, None)
    """
    text = "rg_" + secrets.token_urlsafe(32)
    return text, Key(name, frozenset(scopes), digest_of(text))


def digest_of(text: str) -> str:
    """Return the hash under which a key is kept."""
    return hashlib.sha256(text.encode()).hexdigest()


def _may(scopes: frozenset[Scope], scope: Scope) -> bool:
    return scope in scopes or "admin" in scopes or (scope == "signal" and "ingest" in scopes)


def _key(path: Path, number: int, words: list[str]) -> Key:
    wanted = f"keys file {path}, line {number}: 'name scope,scope sha256' wanted"
    if len(words) != 3 or len(words[2]) != 64:
        raise ConfigurationError(f"{wanted}, as `ragauge keys` prints it")
    scopes = words[1].split(",")
    if unknown := set(scopes) - set(SCOPES):
        raise ConfigurationError(f"{wanted}: no scope {', '.join(sorted(unknown))}; of {', '.join(SCOPES)}")
    return Key(words[0], frozenset(cast("list[Scope]", scopes)), words[2].lower())
