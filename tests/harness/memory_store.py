"""A shard in memory: a stream, and what commits wrote, as a store would hold it."""

from ragauge.events import Event
from ragauge.wire import pack
from ragauge_service.core.changes import Changes, SlotKey
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.counting import Row
from ragauge_service.core.entries import Entry, read_entry
from ragauge_service.core.joining import Joiner
from ragauge_service.core.judged import EntryId


class MemoryShard:
    """One shard whose holder reads, commits and dies as a test wants it."""

    def __init__(self, config: EngineConfig) -> None:
        self.config = config
        self.stream: list[Entry] = []
        self.offset: EntryId = (0, 0)
        self.slots: dict[SlotKey, dict[str, bytes]] = {}
        self.matured: dict[str, bytes] = {}
        self.judgments: dict[str, bytes] = {}
        self.counted: list[Row] = []
        self._begin()

    def _begin(self) -> None:
        first = self.stream[0].id if self.stream else None
        self._joiner = Joiner(
            self.config, offset=self.offset, matured=self.matured, judgments=self.judgments, first=first
        )
        self._joiner.state.opened.size = 3  # so that segments begin and go
        self._position = (0, 0)
        self._read_until(self.offset)
        self._joiner.replayed()

    def append(self, id_: EntryId, sent_at: int, events: list[Event]) -> None:
        """Append an entry."""
        body = pack(events)
        fields = {b"p": b"tests", b"s": b"1", b"v": b"1", b"t": str(sent_at).encode(), b"b": body}
        self.stream.append(read_entry(id_, fields if events else {b"p": b""}))

    def read(self) -> None:
        """Give the core what it has not seen yet."""
        self._read_until(self.stream[-1].id if self.stream else (0, 0))

    def commit(self) -> None:
        """Write what has changed, absolute values as they are, and trim the stream."""
        if self._position == self.offset:
            return
        self._joiner.fill({key: dict(self.slots.get(key, {})) for key in self._joiner.missing()})
        changes, counted = self._joiner.changes()
        self.counted += counted
        self._write(changes)
        self.offset = self._position
        self.stream = [entry for entry in self.stream if entry.id[0] >= self._joiner.needed_from]

    def crash(self) -> None:
        """Lose everything that was not committed; another holder takes over."""
        self._begin()

    def _read_until(self, last: EntryId) -> None:
        for entry in self.stream:
            if self._position < entry.id <= last:
                done = self._joiner.accept(entry)
                while done < len(entry.rows):
                    names = self._joiner.unknown([entry])
                    self._joiner.admit({kind: {name: name for name in some} for kind, some in names.items()})
                    done = self._joiner.accept(entry, done)
                self._position = entry.id

    def _write(self, changes: Changes) -> None:
        for key, rows in changes.slots.items():
            self.slots.setdefault(key, {}).update(rows)
        self.matured.update(changes.matured)
        for key, record in changes.judgments.items():
            if record is None:
                self.judgments.pop(key, None)
            else:
                self.judgments[key] = record
