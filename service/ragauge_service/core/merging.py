"""What the one monitor makes of all shards: windows, the detectors' input, and a state to go on from."""

from collections.abc import Iterable, Mapping, Sequence

from ragauge_service.core.changes import SeriesKey
from ragauge_service.core.click_day import ClickDay
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.guards import Surroundings
from ragauge_service.core.packing import pack, series_of, unpack, unpack_cells
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus, Snapshot
from ragauge_service.core.tally import UNIT
from ragauge_service.core.watch import Watch
from ragauge_service.core.watch_state import WatchSettings
from ragauge_service.core.windows import Cells, Slots, Windows

WATCH: str = "watch:"
SEEN: str = "seen:"

Vector = list[int]


class Merge:
    """Takes in what changed on each shard, gives a snapshot; ``pieces`` is what ``saved`` returned before.

    What a shard has matured is cumulative, so what is new is a difference to the vectors seen last. These are
    kept together with the detectors that have seen them.
    """

    def __init__(self, config: EngineConfig, settings: WatchSettings, pieces: Mapping[str, bytes]) -> None:
        self.config = config
        self._windows = Windows(config.layout, config.windows)
        watch = {name.removeprefix(WATCH): piece for name, piece in pieces.items() if name.startswith(WATCH)}
        self.watch = Watch.load(settings, watch)
        self._seen: dict[int, dict[SeriesKey, Vector]] = {
            int(name.removeprefix(SEEN)): unpack(piece)
            for name, piece in pieces.items()
            if name.startswith(SEEN)
        }
        self._deltas: dict[Series, Vector] = {}
        self._around: dict[Series, Surroundings] = {}
        self._clicks = ClickDay(config.depth)
        self._unsaved: set[int] = set()

    def accept(
        self, shard: int, slots: Slots, matured: Mapping[SeriesKey, bytes], *, complete: bool = False
    ) -> None:
        """Take in what changed on a shard: absolute values, or all there is if ``complete``."""
        grown = self._windows.apply(shard, slots, complete=complete)
        if not complete:  # what was there before this monitor began is no news
            self._surround(grown)
        seen = self._seen.setdefault(shard, {})
        for key, packed in matured.items():
            self._mature(seen, key, unpack_cells(packed))
        if matured:
            self._unsaved.add(shard)

    def snapshot(self, now: int, times: Sequence[int]) -> Snapshot:
        """Let the detectors see what is new, and return everything as it stands at ``now``."""
        drops = self.detect(now)
        windows = tuple(self._windows.at(now, times))
        self._windows.forget(now)
        disagreements = self._clicks.disagreements(now)
        return Snapshot(
            at=now, layout=self.config.layout, windows=windows, drops=drops, disagreements=disagreements
        )

    def detect(self, now: int) -> tuple[DropStatus, ...]:
        """Let the detectors see what is new, and return what they say."""
        ranks = {series: self._ranks(delta) for series, delta in self._deltas.items()}
        self.watch.observe(ranks, now, self._around)
        for series, delta in self._deltas.items():
            if series.evidence == "clicks":
                ranks = self._ranks(delta)
                cells = delta[len(ranks) :]
                self._clicks.add((series.category, series.retriever), sum(ranks), cells, at=now)
        self._deltas, self._around = {}, {}
        return self.watch.statuses()

    def _ranks(self, delta: Vector) -> Vector:
        """Return the histogram that a vector begins with; of clicks, more follows."""
        return delta[: self.config.depth + 1]

    def saved(self) -> dict[str, bytes | None]:
        """Return the pieces of the state that changed since the last call."""
        pieces = {WATCH + name: piece for name, piece in self.watch.changes().items()}
        pieces |= {f"{SEEN}{shard}": pack(self._seen[shard]) for shard in sorted(self._unsaved)}
        self._unsaved.clear()
        return pieces

    def _mature(self, seen: dict[SeriesKey, Vector], key: SeriesKey, now: Vector) -> None:
        before = seen.get(key, [0] * len(now))
        seen[key] = now
        delta = [new - old for new, old in zip(now, before, strict=True)] if len(now) == len(before) else [-1]
        if min(delta) < 0:  # a failover took it back: begin again from here
            return
        series = series_of(key)
        known = self._deltas.get(series)
        self._deltas[series] = delta if known is None else [a + b for a, b in zip(known, delta, strict=True)]

    def _surround(self, grown: Mapping[SeriesKey, Cells]) -> None:
        for key, cells in grown.items():
            series = series_of(key)
            self._around[series] = _plus(self._around.get(series, Surroundings()), self._counted(cells))

    def _counted(self, cells: Cells) -> Surroundings:
        layout = self.config.layout
        judged = layout.cell(f"judged@{layout.cutoffs[-1]}")
        names = ("retrievals", "unjudged", "nonempty")
        at = [*(layout.cell(name) for name in names), judged]
        retrievals, unjudged, nonempty, found = (max(0, int(cells[cell])) for cell in at)
        return Surroundings(retrievals=retrievals, unjudged=unjudged, nonempty=nonempty, judged=found / UNIT)


def _plus(one: Surroundings, other: Surroundings) -> Surroundings:
    return Surroundings(
        retrievals=one.retrievals + other.retrievals,
        unjudged=one.unjudged + other.unjudged,
        nonempty=one.nonempty + other.nonempty,
        judged=one.judged + other.judged,
    )


def milliseconds(offsets: Iterable[str]) -> list[int]:
    """Return how far shards are committed, from their offsets.

    >>> milliseconds(["1700000000000-3", "0-0"])
    [1700000000000, 0]
    """
    return [int(offset.partition("-")[0]) for offset in offsets]
