"""Everything that is known of one shard between two entries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ragauge_service.core.changes import SeriesKey
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.counting import Counting
from ragauge_service.core.failing import Failures
from ragauge_service.core.feedback import Marks, Waiting
from ragauge_service.core.judged import Book, EntryId
from ragauge_service.core.naming import Naming
from ragauge_service.core.opened import Opened, Spot
from ragauge_service.core.outcomes import Outcomes
from ragauge_service.core.packing import series_of
from ragauge_service.core.places import CLICKABLE, Labels, Place, evidence_of, place_key
from ragauge_service.core.scoreboard import Scoreboard

RESCORED_BYTES: Final = 512 * 1024 * 1024
"""How much memory the retrievals past their join horizon may take on one shard."""

BYTES_OF_ONE: Final = 120
"""About what an open retrieval takes beside its documents."""


def kept_ms(config: EngineConfig) -> int:
    """Return how long a retrieval stays open."""
    return max(config.join_horizon_ms, config.rescore_horizon_ms)


def retained_ms(config: EngineConfig) -> int:
    """Return how far back the stream is needed: what was open must be rebuilt, and what waited for it."""
    return kept_ms(config) + config.join_horizon_ms


@dataclass(slots=True)
class State:
    """One shard: ``time`` is the newest entry's, in Unix milliseconds."""

    config: EngineConfig
    time: int
    entry: EntryId
    outcomes: Outcomes
    board: Scoreboard
    book: Book
    naming: Naming
    opened: Opened
    waiting: Waiting
    failures: Failures = field(default_factory=Failures)
    counting: Counting = field(default_factory=Counting)
    marks: dict[int, Marks] = field(default_factory=dict[int, Marks])
    """What users did with open retrievals, by position."""
    pages: dict[bytes, tuple[bytes, int]] = field(default_factory=dict[bytes, tuple[bytes, int]])
    """The first page of further pages, and the time of these."""
    oldest: int = 0
    """The start of the oldest minute in which a retrieval may count."""
    matured: int = 0
    """The position up to which clicks have been scored."""

    @property
    def most_open(self) -> int:
        """Return how many retrievals may stay open beyond their join horizon."""
        return RESCORED_BYTES // (BYTES_OF_ONE + 8 * self.config.depth)

    def find(self, id_: bytes) -> Spot | None:
        """Return where a retrieval is, while it counts as open."""
        spot = self.opened.find(id_)
        return spot if spot is not None and self.is_open(spot) else None

    def is_open(self, spot: Spot) -> bool:
        """Tell whether a retrieval is open, however long its columns may lie around."""
        if self.time < spot.time + self.config.join_horizon_ms:
            return True
        recent = spot.position >= self.opened.total - self.most_open
        return recent and self.time < spot.time + kept_ms(self.config)

    def place(self, labels: Labels, minute: int, flags: int) -> Place:
        """Return where retrievals of these names are counted in a minute."""
        key = place_key(minute, flags)
        found = labels.places.get(key)
        if found is None:
            evidence = evidence_of(flags)
            state = labels.by_evidence.get(evidence)
            if state is None:
                state = labels.by_evidence[evidence] = self.board.state(labels.series(evidence))
            found = labels.places[key] = Place(state, minute, labels, flags)
        return found

    def moved(self, spot: Spot, place: Place) -> None:
        """Note that an open retrieval belongs elsewhere from now on."""
        spot.segment.places[spot.row] = place

    def close_pages(self) -> None:
        """Forget pages that no signal can reach any more; they stand in the order of their times."""
        horizon = self.time - self.config.join_horizon_ms
        while self.pages:
            id_, (_, time) = next(iter(self.pages.items()))
            if time > horizon:
                return
            del self.pages[id_]

    def unclickable(self, spot: Spot) -> None:
        """Take an open retrieval out of what users see: it is a candidate list."""
        place: Place = spot.segment.places[spot.row]
        if place.flags & CLICKABLE:
            self.moved(spot, self.place(place.labels, place.minute, place.flags & ~CLICKABLE))


def fresh(
    config: EngineConfig,
    *,
    offset: EntryId = (0, 0),
    matured: Mapping[SeriesKey, bytes] | None = None,
    judgments: Mapping[str, bytes] | None = None,
    first: EntryId | None = None,
) -> State:
    """Return a shard as it is before the first of its retained entries, ``first``, is replayed."""
    outcomes, naming = Outcomes(config), Naming()
    for key in matured or {}:
        series = series_of(key)
        if series.evidence == "clicks":
            naming.group(series.category, series.retriever).started = 0
    return State(
        config=config,
        time=0,
        entry=(0, 0),
        outcomes=outcomes,
        board=Scoreboard(outcomes, offset[0], matured or {}),
        book=Book(config.relevance_level, judgments or {}, first),
        naming=naming,
        opened=Opened(config.depth),
        waiting=Waiting(config.join_horizon_ms),
    )
