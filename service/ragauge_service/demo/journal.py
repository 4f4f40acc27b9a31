"""The demo's own record of what its retriever answered: what a test compares the service's numbers with."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from ragauge_service.demo.queries import Query


class Journal:
    """Writes retrievals as JSONL ``{"query_id", "category", "ids", "at"}``; without a path it only counts."""

    def __init__(self, path: Path | None = None) -> None:
        self._file = path.open("w", encoding="utf-8") if path else None
        self._lock = threading.Lock()
        self.count = 0

    def write(self, query: Query, ids: Sequence[str], *, at: int) -> None:
        """Record one answer; ``at`` is Unix milliseconds. Called from any thread."""
        row = {"query_id": query.id, "category": query.category, "ids": list(ids), "at": at}
        with self._lock:
            self.count += 1
            if self._file:
                self._file.write(json.dumps(row) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()
