"""The core of one shard: stream entries in, changes out. A native core would stand in for this class.

What it does is a function of the entries alone, in their order: batches, restarts and the wall clock
change nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ragauge.errors import MalformedEventError
from ragauge.events import JudgmentsEvent
from ragauge.wire import RETRIEVAL, SIGNAL, parse
from ragauge_service.core.changes import Changes, SeriesKey, SlotKey
from ragauge_service.core.clicking import mature, signal
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.counting import Row
from ragauge_service.core.entries import Entry
from ragauge_service.core.judged import EntryId
from ragauge_service.core.judging import judge
from ragauge_service.core.naming import Admitted, Kind
from ragauge_service.core.reporting import report
from ragauge_service.core.retrieving import retrieve
from ragauge_service.core.rows import Shapes, retrieval_fits
from ragauge_service.core.slots import minute_of
from ragauge_service.core.state import fresh, kept_ms, retained_ms


class Rejected(NamedTuple):
    """An event that could not be read, and why."""

    entry: EntryId
    reason: str
    row: Any


class Joiner:
    """One shard's join of retrievals, judgments and signals.

    It begins with what the store holds: the committed ``offset``, the ``matured`` histograms, the
    ``judgments``; and with the retained entries, whose ``first`` is given: replay them up to the offset
    before anything else.
    """

    def __init__(
        self,
        config: EngineConfig,
        *,
        offset: EntryId = (0, 0),
        matured: Mapping[SeriesKey, bytes] | None = None,
        judgments: Mapping[str, bytes] | None = None,
        first: EntryId | None = None,
    ) -> None:
        self.state = fresh(config, offset=offset, matured=matured, judgments=judgments, first=first)
        self.rejected: list[Rejected] = []
        self._shapes = Shapes()

    @property
    def time(self) -> int:
        """Return the shard's time: the newest entry's, in Unix milliseconds."""
        return self.state.time

    def accept(self, entry: Entry, start: int = 0) -> int:
        """Take in an entry's events from ``start`` on, and return how many of the entry are done.

        Fewer than it has means that names have to be admitted (``unknown``, ``admit``) before going on.
        """
        if start == 0:
            self._advance(entry)
        state, known, skew = self.state, self._shapes.known, entry.skew
        for at, row in enumerate(entry.rows[start:] if start else entry.rows, start):
            try:
                if row[0] == RETRIEVAL:
                    if tuple(map(type, row)) in known and retrieval_fits(row):
                        done = retrieve(state, row, skew)
                    else:
                        done = retrieve(state, self._shapes.retrieval(row), skew)
                else:
                    done = self._take(row)
            except MalformedEventError as error:
                self._reject(entry.id, str(error), entry.rows[at])
                continue
            if not done:
                return at
        return len(entry.rows)

    def unknown(self, entries: Iterable[Entry]) -> dict[Kind, set[str]]:
        """Return the names in entries that have not been admitted yet."""
        rows = (row for entry in entries for row in entry.rows)
        return self.state.naming.unknown(rows, self.state.book)

    def admit(self, names: Admitted) -> None:
        """Learn under what names are counted."""
        self.state.naming.admit(names)

    def replayed(self) -> None:
        """Discard what the entries up to the offset came to: it stands in the store already."""
        state = self.state
        report(state)
        state.counting.take()
        state.board.forget()
        state.book.take_changes()
        state.failures.settle(state.time)
        self.rejected = []

    def refuse(self) -> None:
        """Count an entry that could not be read at all."""
        self.state.counting.add("ragauge_malformed_events_total")

    def missing(self) -> list[SlotKey]:
        """Return the slots whose stored tallies ``changes`` needs first."""
        return self.state.board.missing(self.time)

    def fill(self, slots: Mapping[SlotKey, Mapping[SeriesKey, bytes]]) -> None:
        """Take in the stored tallies of slots."""
        self.state.board.fill(slots)

    def changes(self) -> tuple[Changes, list[Row]]:
        """Return what changed since this was last called, and what was counted."""
        state = self.state
        report(state)
        slots, matured = state.board.changes(state.time)
        changes = Changes(
            slots=slots,
            matured=matured,
            judgments=state.book.take_changes(),
            failures=state.failures.take(state.time),
        )
        return changes, state.counting.take()

    @property
    def needed_from(self) -> int:
        """Return the time from which on the stream must be retained, in Unix milliseconds."""
        return max(0, self.time - retained_ms(self.state.config))

    def _advance(self, entry: Entry) -> None:
        state, config = self.state, self.state.config
        state.time, state.entry = max(state.time, entry.id[0]), entry.id
        state.oldest = minute_of(0, state.time)
        mature(state)
        if lost := state.waiting.expire(state.time):
            state.counting.add("ragauge_unmatched_signals_total", (), lost)
        settled = state.time - config.join_horizon_ms
        state.opened.drop(state.time - kept_ms(config), settled, state.most_open)
        state.close_pages()
        if entry.skew:
            state.counting.add("ragauge_clock_corrections_total")
        if entry.rows:
            state.opened.enter(state.time)

    def _take(self, row: Sequence[Any]) -> bool:
        if row[0] == SIGNAL:
            signal(self.state, self._shapes.signal(row))
            return True
        event = parse(row)
        return not isinstance(event, JudgmentsEvent) or judge(self.state, event)

    def _reject(self, entry: EntryId, reason: str, row: Any) -> None:
        self.rejected.append(Rejected(entry, reason, row))
        self.state.counting.add("ragauge_malformed_events_total")
