"""What the store answers when it cannot do what it was asked."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from redis import exceptions

from ragauge.errors import EnvironmentFault


class StoreUnavailable(EnvironmentFault):
    """The store did not answer, or is loading, failing over or read-only: try again.

    Whether a write that ended so was done is unknown; every write of ours may be sent again.
    """


class StoreFull(StoreUnavailable):
    """The store's memory or disk is full: nothing was written, and producers must slow down."""


_PASSING: Final = (
    "LOADING",
    "READONLY",
    "CLUSTERDOWN",
    "MASTERDOWN",
    "TRYAGAIN",
    "NOREPLICAS",
    "BUSY",
    "UNBLOCKED",
)
_FULL: Final = ("OOM", "MISCONF")
_DENIED: Final = ("NOPERM", "NOAUTH", "WRONGPASS", "ACL failure", "The user executing")


@contextmanager
def translated() -> Generator[None]:
    """Turn the client library's errors into ours.

    Raises:
        StoreFull: out of memory, or the disk is full.
        StoreUnavailable: not reachable, loading, failing over.
        EnvironmentFault: not permitted.
    """
    try:
        yield
    except (exceptions.RedisError, exceptions.RedisClusterException) as error:
        raise _ours(error) from error


def _ours(error: Exception) -> Exception:
    text = str(error)
    if isinstance(error, exceptions.OutOfMemoryError) or _names(text, _FULL):
        return StoreFull(f"the store is full: {text}; raise its maxmemory or free its disk")
    if isinstance(error, exceptions.NoPermissionError | exceptions.AuthenticationError) or _names(
        text, _DENIED
    ):
        return EnvironmentFault(f"the store refuses this user: {text}; see deploy/redis/users.acl")
    if _passes(error) or _names(text, _PASSING):
        return StoreUnavailable(f"the store does not answer: {type(error).__name__}: {text}")
    return error


def _passes(error: Exception) -> bool:
    kinds = (
        exceptions.ConnectionError,
        exceptions.TimeoutError,
        exceptions.ReadOnlyError,
        exceptions.ClusterDownError,
        exceptions.ClusterError,
        exceptions.RedisClusterException,
    )
    return isinstance(error, kinds)


def _names(text: str, words: tuple[str, ...]) -> bool:
    return text.startswith(words) or any(f"{word} " in text[:120] for word in words)
