"""Recorded events through the same join, tallies and detectors as live ones, on the log's own time."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ragauge_service.core.config import EngineConfig
from ragauge_service.core.entries import Entry
from ragauge_service.core.joining import Joiner
from ragauge_service.core.merging import Merge
from ragauge_service.core.snapshot import DropState, DropStatus
from ragauge_service.core.watch_state import WatchSettings

Row = list[Any]


class Turn(NamedTuple):
    """A detector that changed its state at ``at`` (Unix milliseconds), and what it had said before."""

    at: int
    status: DropStatus
    before: DropState | None


class Replay:
    """One shard that holds everything, and a monitor, driven by the times that the log gives."""

    def __init__(self, config: EngineConfig, settings: WatchSettings) -> None:
        self._joiner = Joiner(config)
        self._merge = Merge(config, settings, {})
        self._states: dict[tuple[str | None, ...], DropState] = {}
        self._sequence = 0
        self.statuses: tuple[DropStatus, ...] = ()

    def advance(self, rows: Sequence[Row], at: int) -> Iterator[Turn]:
        """Take in the events up to ``at``, as one entry of the stream; yield what changes."""
        self._sequence += 1
        self._join(Entry((at, self._sequence), 0, list(rows)))
        missing = self._joiner.missing()
        self._joiner.fill({slot: {} for slot in missing})
        changes, _ = self._joiner.changes()
        self._merge.accept(0, changes.slots, changes.matured)
        self.statuses = self._merge.detect(at)
        for status in self.statuses:
            key = (status.category, status.retriever, status.evidence, status.measure)
            before = self._states.get(key)
            if status.state != before:
                self._states[key] = status.state
                yield Turn(at, status, before)

    @property
    def rejected(self) -> list[str]:
        """Return why events could not be used."""
        return [event.reason for event in self._joiner.rejected]

    def _join(self, entry: Entry) -> None:
        done = self._joiner.accept(entry)
        while done < len(entry.rows):
            unknown = self._joiner.unknown([entry])
            self._joiner.admit({kind: {name: name for name in names} for kind, names in unknown.items()})
            done = self._joiner.accept(entry, done)
