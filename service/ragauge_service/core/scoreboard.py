"""Series and their tallies: outcomes are counted in places, and become cells when they are written."""

from collections.abc import Iterator, Mapping

from ragauge_service.core.changes import SeriesKey, SlotKey
from ragauge_service.core.outcomes import Outcome, Outcomes, first_cell, scores_of
from ragauge_service.core.packing import pack_cells, series_key, unpack_cells
from ragauge_service.core.places import Place, SeriesState
from ragauge_service.core.series import Series
from ragauge_service.core.tallying import Slots, Touched


class Scoreboard:
    """The tallies of one shard, from its committed time ``start`` and histograms ``matured`` on."""

    def __init__(self, outcomes: Outcomes, start: int, matured: Mapping[SeriesKey, bytes]) -> None:
        self._outcomes = outcomes
        self._slots = Slots(outcomes.layout.size, start)
        self._stored = dict(matured)
        self._states: dict[Series, SeriesState] = {}
        self._touched: list[Place] = []

    def state(self, series: Series) -> SeriesState:
        """Return a series' state."""
        found = self._states.get(series)
        if found is None:
            stored = self._stored.pop(series_key(series), None)
            cells = [] if stored is None else unpack_cells(stored)
            depth = self._outcomes.layout.depth
            size = depth + 1 + (2 * depth if series.evidence == "clicks" else 0)
            found = self._states[series] = SeriesState(series, cells + [0] * (size - len(cells)))
        return found

    def touch(self, place: Place) -> None:
        """Remember a place in which something is about to be counted for the first time since a write."""
        self._touched.append(place)

    def count(self, place: Place, outcome: Outcome) -> None:
        """Count a first outcome."""
        if not place.counts and not place.corrections:
            self._touched.append(place)
        place.counts[outcome] = place.counts.get(outcome, 0) + 1

    def click(self, place: Place, cells: list[int]) -> None:
        """Add where a counted retrieval was clicked and read."""
        known = place.clicks
        place.clicks = cells if known is None else [a + b for a, b in zip(known, cells, strict=True)]

    def correct(self, place: Place, outcome: Outcome, amount: int) -> None:
        """Count ``amount`` (1 or -1) outcomes of a retrieval that has been counted before."""
        if not place.counts and not place.corrections:
            self._touched.append(place)
        place.corrections[outcome] = place.corrections.get(outcome, 0) + amount

    @property
    def touched(self) -> list[Place]:
        """Return the places that changed since the last write."""
        return self._touched

    def forget(self) -> None:
        """Drop what was counted since the last write: a replay counts what was written long ago."""
        for place in self._touched:
            place.counts, place.corrections, place.clicks = {}, {}, None
        self._touched = []

    def missing(self, time: int) -> list[SlotKey]:
        """Return the slots whose stored tallies are wanted, by ``fill``, before ``changes(time)``."""
        return self._slots.missing({place.minute for place in self._touched}, time)

    def fill(self, slots: Mapping[SlotKey, Mapping[SeriesKey, bytes]]) -> None:
        """Take in the stored tallies of slots."""
        self._slots.fill(slots)

    def changes(self, time: int) -> tuple[dict[SlotKey, dict[SeriesKey, bytes]], dict[SeriesKey, bytes]]:
        """Return the tallies and the histograms that changed up to ``time``, and begin anew."""
        matured: dict[SeriesKey, bytes] = {}
        for place in self._touched:
            self._slots.add(place.minute, place.state.key, self._cells(place), time)
        for state in {place.state for place in self._touched if self._mature(place)}:
            matured[state.key] = pack_cells(state.matured)
        self.forget()
        return self._slots.take(time), matured

    def _cells(self, place: Place) -> Touched:
        """Return what the outcomes counted in a place add to its cells."""
        cells: Touched = {}
        for outcome, amount in _all(place):
            for cell, value in self._outcomes.cells(outcome):
                cells[cell] = cells.get(cell, 0) + amount * value
        return cells

    def _mature(self, place: Place) -> bool:
        changed, depth = False, self._outcomes.layout.depth
        for outcome, amount in place.counts.items():
            scores = scores_of(outcome)
            if scores is not None:
                place.state.matured[first_cell(scores, depth)] += amount
                changed = True
        for at, value in enumerate(place.clicks or (), start=depth + 1):
            place.state.matured[at] += value
        return changed


def _all(place: Place) -> Iterator[tuple[Outcome, int]]:
    yield from place.counts.items()
    yield from place.corrections.items()
