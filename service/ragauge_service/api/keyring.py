"""API keys: who may do what. Only hashes are kept, and they are compared in constant time."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast, get_args

from ragauge.errors import ConfigurationError

Scope = Literal["ingest", "signal", "read", "admin"]

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
"""``admin`` may do everything, ``ingest`` may signal too."""

PREFIX: Final = "rg_"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its name, what it may do, and the SHA-256 of its secret (256 random bits: no salt needed)."""

    name: str
    scopes: frozenset[Scope]
    digest: str

    def may(self, scope: Scope) -> bool:
        """Tell whether the key is good for something."""
        return (
            scope in self.scopes or "admin" in self.scopes or (scope == "signal" and "ingest" in self.scopes)
        )

    def line(self) -> str:
        """Return the key as its line in a keys file."""
        return f"{self.name} {','.join(sorted(self.scopes))} {self.digest}"


class Keyring:
    """The keys that are known; without any, everything is allowed (and only loopback is served)."""

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        self.keys = tuple(keys)

    def __bool__(self) -> bool:
        return bool(self.keys)

    def find(self, secret: str) -> Key | None:
        """Return the key with this secret; every key is compared, so the time tells nothing."""
        digest, found = digest_of(secret), None
        for key in self.keys:
            if hmac.compare_digest(key.digest, digest):
                found = key
        return found

    @classmethod
    def read(cls, path: Path) -> "Keyring":
        """Return the keys of a file: a line each of name, scopes and digest; ``#`` begins a comment.

        Raises:
            ConfigurationError: the file cannot be read; says which line, and what was wanted.
        """
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"API keys file {path}: {error}") from None
        numbered = ((at, line.partition("#")[0].split()) for at, line in enumerate(lines, start=1))
        keys = [_key(f"{path}:{at}", words) for at, words in numbered if words]
        if not keys:
            raise ConfigurationError(f"API keys file {path}: no key in it; `ragauge keys add` makes one")
        return cls(keys)


def digest_of(secret: str) -> str:
    """Return what is kept of a secret.

    >>> len(digest_of("rg_x"))
    64
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def new_key(name: str, scopes: Iterable[str]) -> tuple[Key, str]:
    """Return a new key and its secret, which is nowhere else.

    Raises:
        ConfigurationError: the name or a scope cannot be used.
    """
    secret = PREFIX + secrets.token_urlsafe(32)
    return _key("key", [name, ",".join(scopes), digest_of(secret)]), secret


def _key(place: str, words: list[str]) -> Key:
    if len(words) != 3:
        raise ConfigurationError(f"{place}: 'name scopes digest' wanted")
    name, scopes, digest = words
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"{place}: a name of letters, digits, '.', '_' and '-' wanted")
    if unknown := set(scopes.split(",")) - set(SCOPES):
        raise ConfigurationError(f"{place}: scope {', '.join(sorted(unknown))!r}: {', '.join(SCOPES)} wanted")
    if not _DIGEST.fullmatch(digest):
        raise ConfigurationError(f"{place}: a SHA-256 in hexadecimal digits wanted, not the key itself")
    return Key(name, frozenset(cast("list[Scope]", scopes.split(","))), digest)
