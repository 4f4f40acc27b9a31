"""One shard in the hands of the worker that holds its lease."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ragauge.errors import MalformedEventError
from ragauge.wire import JUDGMENTS, RETRIEVAL, SIGNAL, VERSION, pack_rows
from ragauge_service.core.changes import Changes
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.counting import Counting, Row
from ragauge_service.core.entries import Entry, entry_id, read_entry
from ragauge_service.core.joining import Joiner, Rejected
from ragauge_service.core.naming import Admitted, Kind
from ragauge_service.store.commit import DeadLetter
from ragauge_service.store.shard import Entry as Stored
from ragauge_service.store.shard import ShardStore

Admit = Callable[[Kind, Iterable[str]], dict[str, str]]

READ_ENTRIES: Final = 100
"""How much one step may take on: leases are renewed between steps, also on a machine that is busy."""

COMMIT_EVENTS: Final = 20_000
COMMIT_EVERY_S: Final = 1.0
START: Final = "0-0"
KINDS: Final = {RETRIEVAL: "retrieval", SIGNAL: "signal", JUDGMENTS: "judgments"}


class Dropped(Exception):  # noqa: N818 - not an error: the shard has passed on
    """The shard must be given up and loaded again; ``answer`` is what the store said."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit, kept until the store has answered it."""

    previous: str
    offset: str
    changes: Changes
    dead: tuple[DeadLetter, ...]
    rows: list[Row]


class Progress(NamedTuple):
    """How a shard stands: its lease's epoch, its committed offset, the open retrievals."""

    shard: int
    epoch: int
    offset: str
    open: int


class ShardWorker:
    """Reads, joins and commits one shard under one epoch of its lease."""

    def __init__(self, index: int, store: ShardStore, config: EngineConfig, epoch: int, admit: Admit) -> None:
        self.index = index
        self.epoch = epoch
        self._store = store
        self._admit = admit
        self._dead: list[DeadLetter] = []
        self._pending: Commit | None = None
        self._events = 0
        self._kinds = Counter[int]()
        self._due = time.monotonic() + COMMIT_EVERY_S
        self.offset = store.state().offset
        self._position = START
        self._replaying = True
        self._joiner = self._begin(config)

    @property
    def progress(self) -> Progress:
        """Return how this shard stands."""
        return Progress(self.index, self.epoch, self.offset, len(self._joiner.state.opened))

    def step(self) -> tuple[int, list[Row]]:
        """Read and join what there is, commit if it is time, and return the events read and what was counted.

        Raises:
            Dropped: the shard has passed to another worker, or what was read is not there any more.
            StoreUnavailable: nothing is lost; call again.
        """
        if self._replaying:
            return self._replay(), []
        if self._pending is not None:
            return 0, self.commit()
        stored = self._store.read(self._position, READ_ENTRIES)
        events = self._join(stored)
        self._events += events
        late = time.monotonic() >= self._due
        if self._events >= COMMIT_EVENTS or (late and self._position != self.offset):
            return events, self.commit()
        if late:
            self._store.tick(self.epoch)
            self._due = time.monotonic() + COMMIT_EVERY_S
        return events, []

    def commit(self) -> list[Row]:
        """Write what has changed since the last commit, and return what was counted.

        Raises:
            Dropped: the store refused it.
            StoreUnavailable: whether it was written is unknown; call again.
        """
        if self._replaying:
            return []
        if self._pending is None:
            self._pending = self._prepared()
        pending, began = self._pending, time.monotonic()
        answer = self._store.commit(
            epoch=self.epoch,
            previous=pending.previous,
            offset=pending.offset,
            changes=pending.changes,
            dead=pending.dead,
            trim_before=f"{self._joiner.needed_from}-0",
        )
        if answer != "OK":
            raise Dropped(answer)
        self._pending, self.offset = None, pending.offset
        self._events, self._due = 0, time.monotonic() + COMMIT_EVERY_S
        return [*pending.rows, *self._counted(time.monotonic() - began, len(pending.dead))]

    def _counted(self, took: float, dead: int) -> list[Row]:
        """Return what this worker counts itself: the commit, and the events that it covers."""
        counting, kinds = Counting(), self._kinds
        counting.add("ragauge_commits_total", (str(self.index),))
        counting.observe("ragauge_commit_duration_seconds", (), took)
        counting.add("ragauge_dead_letters_total", (), dead)
        for kind, name in KINDS.items():
            counting.add("ragauge_events_total", (name,), kinds[kind])
        self._kinds = Counter()
        return counting.take()

    def _prepared(self) -> Commit:
        if missing := self._joiner.missing():
            self._joiner.fill(self._store.load_slots(missing))
        changes, rows = self._joiner.changes()
        dead, self._dead = tuple(self._dead), []
        return Commit(previous=self.offset, offset=self._position, changes=changes, dead=dead, rows=rows)

    def _begin(self, config: EngineConfig) -> Joiner:
        """Return the core as it stood before the first entry that is still there."""
        first = self._store.read(START, 1)
        return Joiner(
            config,
            offset=entry_id(self.offset),
            matured=self._store.load_matured(),
            judgments=dict(self._store.iter_judgments()),
            first=entry_id(first[0].id) if first else None,
        )

    def _replay(self) -> int:
        """Go on towards the committed offset; there, discard what came out, since it is written already."""
        offset = entry_id(self.offset)
        stored = self._store.read(self._position, READ_ENTRIES)
        known = [row for row in stored if entry_id(row.id) <= offset]
        self._join(known)
        if known and len(known) == len(stored):
            return len(known)
        self._joiner.replayed()
        self._dead, self._position, self._replaying = [], self.offset, False
        if self._store.state().offset != self.offset:
            raise Dropped("OFFSET")
        return 1

    def _join(self, stored: Sequence[Stored]) -> int:
        """Give entries to the core, and return how many events they held."""
        entries = [entry for row in stored if (entry := self._read(row)) is not None]
        for at, entry in enumerate(entries):
            done = self._joiner.accept(entry)
            while done < len(entry.rows):
                self._introduce(entries[at:])
                done = self._joiner.accept(entry, done)
        if self._joiner.rejected:
            self._bury()
        if stored:
            self._position = stored[-1].id
        if not self._replaying:
            self._kinds.update(row[0] for entry in entries for row in entry.rows if isinstance(row[0], int))
        return sum(len(entry.rows) for entry in entries)

    def _read(self, row: Stored) -> Entry | None:
        try:
            return read_entry(entry_id(row.id), row.fields)
        except MalformedEventError as error:
            self._joiner.refuse()
            self._dead.append(DeadLetter(entry=row.id, reason=str(error), fields=row.fields))
            return Entry(entry_id(row.id), 0, [])

    def _introduce(self, entries: Sequence[Entry]) -> None:
        """Have the names in entries admitted."""
        unknown = self._joiner.unknown(entries)
        admitted: Admitted = {kind: self._admit(kind, names) for kind, names in unknown.items() if names}
        self._joiner.admit(admitted)

    def _bury(self) -> None:
        rejected, self._joiner.rejected = self._joiner.rejected, []
        self._dead += [_letter(event) for event in rejected]


def _letter(event: Rejected) -> DeadLetter:
    milliseconds, sequence = event.entry
    fields = {b"v": str(VERSION).encode(), b"b": pack_rows([event.row])}
    return DeadLetter(entry=f"{milliseconds}-{sequence}", reason=event.reason, fields=fields)
