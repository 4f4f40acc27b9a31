"""A lock on a file that ends with the processes that hold it, however they end."""

import fcntl
import os
from pathlib import Path


class FileLock:
    """An advisory lock; a child process that inherits ``fileno()`` holds it too, until it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take the lock if it is free; False if another process holds it."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def fileno(self) -> int:
        """Return the descriptor that holds the lock.

        Raises:
            ValueError: the lock is not held here.
        """
        if self._descriptor is None:
            raise ValueError(f"{self.path} is not locked here")
        return self._descriptor

    def write_pid(self) -> None:
        """Write into the file who holds the lock, for people."""
        os.ftruncate(self.fileno(), 0)
        os.pwrite(self.fileno(), f"{os.getpid()}\n".encode(), 0)

    def pid(self) -> str:
        """Return who wrote itself into the file last, or an empty text."""
        try:
            return self.path.read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return ""

    def release(self) -> None:
        """Close the descriptor here; the lock ends when the last process that inherited it does."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
