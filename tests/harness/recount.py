"""The oracle: what a shard's tallies must be, counted anew from the whole log, one retrieval at a time.

Nothing here is incremental but the few rules about who may be scored by clicks. A retrieval is scored by the
judgments that were in force last before its rescore horizon ended, wherever in the log they came.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ragauge.events import Event, JudgmentsEvent, Retrieval, Signal
from ragauge.measures import Judgments, RankScores, Scorer, close_ranks
from ragauge_service.core.changes import SlotKey
from ragauge_service.core.click_hygiene import good_documents, set_aside
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.series import Series
from ragauge_service.core.slots import closed, minute_of, slot_at
from ragauge_service.core.tally import UNIT


@dataclass
class Logged:
    """One entry of the log: shard time, what its producer's clock is off by, and its events."""

    time: int
    skew: int
    events: Sequence[Event]


@dataclass
class Record:
    """One retrieval that was counted."""

    event: Retrieval
    time: int
    minute: int
    order: int
    signals: list[Signal] = field(default_factory=list[Signal])
    parent: bool = False


@dataclass(frozen=True)
class Known:
    """The judgments of a query at some time; None grades when it is unjudged."""

    event: JudgmentsEvent | None


Cells = dict[str, int]
Found = dict[Series, list[tuple[int, Cells]]]
"""What each retrieval of a series adds, beside its minute."""


class Recount:
    """Counts a log from its beginning to its end."""

    def __init__(self, config: EngineConfig, log: Iterable[Logged]) -> None:
        self.config = config
        self.log = list(log)
        self.scorer = Scorer.streaming(config.depth, config.cutoffs)
        self.time = self.log[-1].time if self.log else 0
        self.kept = max(config.join_horizon_ms, config.rescore_horizon_ms)
        self.records: list[Record] = []
        self.started: dict[tuple[str, str], tuple[int, int]] = {}
        """From which retrieval on clicks are scored, and by which event that began."""
        self.pages: dict[str, str] = {}
        self._history: dict[str, list[tuple[int, int, JudgmentsEvent | None]]] = {}
        self._sequence = 0
        self._walk()

    def _walk(self) -> None:
        latest: dict[str, tuple[int, Record | None]] = {}
        waiting: list[tuple[int, str, Event]] = []
        for entry in self.log:
            horizon = entry.time - self.config.join_horizon_ms
            waiting = [item for item in waiting if item[0] > horizon]
            for event in entry.events:
                self._sequence += 1
                if isinstance(event, JudgmentsEvent):
                    self._judge(entry.time, event)
                elif isinstance(event, Signal):
                    if not self._signal(entry.time, event, latest):
                        waiting.append((entry.time, event.retrieval_id, event))
                else:
                    self._retrieval(entry, event, latest, waiting)

    def _judge(self, time: int, event: JudgmentsEvent) -> None:
        history = self._history.setdefault(event.key, [])
        old = history[-1][2] if history else None
        history.append((time, self._sequence, merged(old, event)))

    def _signal(self, time: int, event: Signal, latest: dict[str, tuple[int, Record | None]]) -> bool:
        """Let a signal meet its retrieval; False when there is none to meet."""
        at, record = latest.get(event.retrieval_id, (0, None))
        if event.retrieval_id not in latest or time >= at + self.kept:
            return False
        if event.retrieval_id in self.pages:
            on_time = time < at + self.config.join_horizon_ms
            at, record = latest.get(self.pages[event.retrieval_id], (0, None))
            record = record if on_time and time < at + self.kept else None
        if record is not None and time < record.time + self.config.join_horizon_ms:
            self._meet(record, event)
        return True

    def _meet(self, record: Record, event: Signal) -> None:
        record.signals.append(event)
        if self._clickable(record):
            group = (self._category(record, self._sequence), record.event.retriever)
            self.started.setdefault(group, (record.order, self._sequence))

    def _retrieval(
        self,
        entry: Logged,
        event: Retrieval,
        latest: dict[str, tuple[int, Record | None]],
        waiting: list[tuple[int, str, Event]],
    ) -> None:
        if event.id in latest and entry.time < latest[event.id][0] + self.kept:
            return
        record = None
        if event.outcome == "ok" and event.offset == 0:
            minute = minute_of(event.at + entry.skew, entry.time)
            record = Record(event, entry.time, minute, self._sequence)
            self.records.append(record)
        latest[event.id] = (entry.time, record)
        self.pages.pop(event.id, None)
        if event.outcome == "ok" and event.offset and event.parent not in {None, event.id}:
            self.pages[event.id] = event.parent or ""
        if record is not None and event.parent is not None:
            self._child(entry.time, event, latest, waiting)
        mine = [item for item in waiting if item[1] == event.id]
        waiting[:] = [item for item in waiting if item[1] != event.id]
        if record is not None:
            record.parent |= any(isinstance(item[2], Retrieval) for item in mine)
        for _, _, early in mine:
            if isinstance(early, Signal):
                self._signal(entry.time, early, latest)

    def _child(
        self,
        time: int,
        event: Retrieval,
        latest: dict[str, tuple[int, Record | None]],
        waiting: list[tuple[int, str, Event]],
    ) -> None:
        assert event.parent is not None
        at, parent = latest.get(event.parent, (0, None))
        if event.parent not in latest or time >= at + self.kept:
            waiting.append((time, event.parent, event))
        elif parent is not None and time < parent.time + self.config.join_horizon_ms:
            parent.parent = True

    def _clickable(self, record: Record) -> bool:
        return not (record.parent or record.event.probe or record.event.batch)

    def _in_force(self, record: Record, until: int | None = None) -> list[JudgmentsEvent | None]:
        """Return the judgments that a retrieval has known: those it met, then each change in its time."""
        end = record.time + self.config.rescore_horizon_ms
        before: JudgmentsEvent | None = None
        after: list[JudgmentsEvent | None] = []
        for time, sequence, event in self._history.get(record.event.key, []):
            if sequence < record.order:
                before = event
            elif time < end and (until is None or sequence < until):
                after.append(event)
        return [before, *after]

    def _category(self, record: Record, until: int | None = None) -> str:
        named = record.event.category
        judged = next((event for event in self._in_force(record, until) if event is not None), None)
        return named or (judged.category if judged else None) or "default"

    def by_judgments(self) -> Found:
        """Return what every retrieval adds on the evidence of judgments (or of a probe)."""
        found: Found = {}
        for record in self.records:
            evidence = "probe" if record.event.probe else "judgments"
            series = self._series(record, self._category(record), evidence)
            head, duplicates = close_ranks(record.event.ids, self.config.depth)
            cells = self._cells(self._in_force(record)[-1], head)
            if duplicates:
                cells["duplicates"] = duplicates
                if record.event.category is None:  # duplicates stay where the retrieval came in
                    del cells["duplicates"]
                    first = self._in_force(record)[0]
                    there = self._series(record, (first.category if first else None) or "default", evidence)
                    found.setdefault(there, []).append((record.minute, {"duplicates": duplicates}))
            found.setdefault(series, []).append((record.minute, cells))
        return found

    def _cells(self, judged: JudgmentsEvent | None, head: Sequence[str]) -> Cells:
        if judged is None:
            return {"retrievals": 1, "unjudged": 1}
        judgments = Judgments(
            judged.grades,
            level=self.config.relevance_level,
            forbidden=judged.forbidden,
            no_answer=judged.no_answer,
        )
        scores, _, forbidden = self.scorer.score(judgments, head)
        extra = {"forbidden": len(forbidden)} if forbidden else {}
        if judged.no_answer:
            return {"retrievals": 1, "no_answer": 1, "abstained": int(not head), **extra}
        if judgments.relevant == 0:
            extra["no_relevant"] = 1
        return {**self._scored(scores), **extra}

    def by_clicks(self) -> Found:
        """Return what every retrieval whose join horizon has passed adds on the evidence of clicks."""
        found: Found = {}
        for record in self.records:
            due = record.time + self.config.join_horizon_ms
            category = self._category(record, self._sequence_at(due))
            started = self.started.get((category, record.event.retriever))
            if self.time < due or not self._clickable(record) or started is None:
                continue
            if record.order < started[0] or self._sequence_at(due) <= started[1]:
                continue
            head, _ = close_ranks(record.event.ids, self.config.depth)
            if set_aside(_firsts(record.signals), len(head)):
                continue
            good = good_documents(record.signals)
            scores, _, _ = self.scorer.score(Judgments(dict.fromkeys(good, 1)), head)
            series = self._series(record, category, "clicks")
            found.setdefault(series, []).append((record.minute, self._scored(scores)))
        return found

    def _sequence_at(self, time: int) -> int:
        """Return the number of the first event that came at ``time`` or later."""
        count = 0
        for entry in self.log:
            if entry.time >= time:
                return count + 1
            count += len(entry.events)
        return count + 1

    def _series(self, record: Record, category: str, evidence: str) -> Series:
        return Series(category, record.event.retriever, record.event.variant, evidence)  # type: ignore[arg-type]

    def _scored(self, scores: RankScores) -> Cells:
        names = [str(measure) for measure in self.scorer.measures]
        cells = {"rank": scores.first or 0, "retrievals": 1}
        cells["nonempty"] = int(None not in scores.values)
        for name, value in zip(names, scores.values, strict=True):
            cells[name] = round((value or 0.0) * UNIT)
            cells[name + "^2"] = round((value or 0.0) ** 2 * UNIT)
        return cells

    def slots(self, found: Found) -> dict[SlotKey, dict[Series, list[int]]]:
        """Return the tallies of all slots: minutes, and longer ones of what has closed."""
        slots: dict[SlotKey, dict[Series, list[int]]] = {}
        for series, rows in found.items():
            for minute, cells in rows:
                for level, part in ((1, None), (15, 1), (120, 15)):
                    if part is None or closed(slot_at(part, minute), self.time):
                        self._add(slots.setdefault(slot_at(level, minute), {}), series, cells)
        return slots

    def _add(self, rows: dict[Series, list[int]], series: Series, cells: Cells) -> None:
        layout = self.config.layout
        row = rows.setdefault(series, layout.zeros())
        for name, value in cells.items():
            if name == "rank":
                row[value - 1 if value else layout.depth] += 1
            else:
                row[layout.cell(name)] += value


def _firsts(signals: Sequence[Signal]) -> list[Signal]:
    """Return the first click on each document."""
    clicks = [signal for signal in signals if signal.kind == "click"]
    return list({signal.doc_id: signal for signal in reversed(clicks)}.values())


def merged(old: JudgmentsEvent | None, event: JudgmentsEvent) -> JudgmentsEvent | None:
    """Return what is in force after an event."""
    if event.mode == "delete":
        return None
    if event.mode == "replace" or old is None:
        return event
    return JudgmentsEvent(
        key=event.key,
        grades={**old.grades, **event.grades},
        no_answer=event.no_answer or (old.no_answer and not event.grades),
        forbidden=(*old.forbidden, *event.forbidden),
        category=event.category or old.category,
    )
