"""When a drop is not the retriever's: what else changed, and holds the quality alarm back.

Each guard looks at something that a worse retriever does not do by itself: fewer judged queries, rankings in
which no judged document occurs any more, clicks that stop altogether, another sample rate, no traffic.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragauge_service.core.bets import Counts, Floats

REASONS: Final = (None, "coverage_fell", "ids_vanished", "signals_stopped", "sampling_changed")
"""What the codes of ``Guards.active`` stand for."""

COVERAGE, VANISHED, SIGNALS, SAMPLING = 1, 2, 3, 4

STOPPED: Final = "traffic_stopped"

FAST: Final = 200.0
"""Half-life in retrievals of the coverage of now."""

SLOW: Final = 20_000.0
"""Half-life of the coverage that is usual."""

FELL: Final = 0.8
"""Coverage fell when it lies below this share of the usual one, by ``SURE`` standard errors."""

SURE: Final = 4.0
IMPOSSIBLE: Final = 14.0
"""A run of misses is no bad luck when its probability is below exp(-14), one in a million."""

SAMPLING_MS: Final = 10 * 60_000
"""How long after a change of the sample rate alarms are held back."""

SILENT_MS: Final = 10 * 60_000
SILENT_GAPS: Final = 20.0
"""Traffic has stopped after as many usual gaps between retrievals without one, and ten minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What else is known of a series since the last call: counts, as a tally's cells hold them.

    ``judged`` is the sum of judged@k over ``nonempty`` lists.
    """

    retrievals: int = 0
    unjudged: int = 0
    nonempty: int = 0
    judged: float = 0.0
    sampling_changed: bool = False


@dataclass(slots=True)
class Guards:
    """The guards of D rows; ``active`` holds a code of ``REASONS``."""

    active: NDArray[np.int64]
    fast: Floats
    slow: Floats
    missed: Floats
    unlucky: Floats
    sampling_until: Counts
    last_seen: Counts

    @classmethod
    def fresh(cls, rows: int) -> "Guards":
        """Return guards that have seen nothing."""
        return cls(
            active=np.zeros(rows, np.int64),
            fast=np.zeros((rows, 2)),
            slow=np.zeros((rows, 2)),
            missed=np.zeros(rows),
            unlucky=np.zeros(rows),
            sampling_until=np.zeros(rows, np.int64),
            last_seen=np.zeros(rows, np.int64),
        )

    def grow(self, rows: int) -> None:
        """Append fresh guards until there are ``rows``."""
        more = rows - len(self.active)
        if more > 0:
            fresh = Guards.fresh(more)
            for part in fields(self):
                joined = np.concatenate([getattr(self, part.name), getattr(fresh, part.name)])
                setattr(self, part.name, joined)

    def cover(self, rows: Counts, retrievals: Floats, judged: Floats) -> None:
        """Add retrievals, and how many of their queries are judged, to the coverage of now and the usual."""
        both = np.stack([judged, retrievals], axis=1)
        for known, half in ((self.fast, FAST), (self.slow, SLOW)):
            known[rows] = known[rows] * 2.0 ** (-retrievals / half)[:, None] + both

    def runs(self, rows: Counts, n: Floats, empty: NDArray[np.bool_], hit_rate: Floats) -> None:
        """Prolong the runs in which nothing was found; ``empty`` says whether nothing was, in this batch."""
        chance = -np.log1p(-np.clip(np.nan_to_num(hit_rate), 0.0, 0.999))
        self.missed[rows] = np.where(empty, self.missed[rows] + n, 0.0)
        self.unlucky[rows] = np.where(empty, self.unlucky[rows] + n * chance, 0.0)

    def coverage_fell(self) -> NDArray[np.bool_]:
        """Return for which rows far fewer queries are judged than usual."""
        now, usual = self._share(self.fast), self._share(self.slow)
        n = np.maximum(self.fast[:, 1], 1.0)
        error = np.sqrt(np.maximum(usual * (1.0 - usual), 1e-6) / n)
        return (now < FELL * usual) & (usual - now > SURE * error) & (self.slow[:, 1] > 2 * FAST)

    def hopeless(self) -> NDArray[np.bool_]:
        """Return for which rows the run of misses cannot be bad luck."""
        return self.unlucky > IMPOSSIBLE

    def silent(self, at: int, per_ms: Floats) -> NDArray[np.bool_]:
        """Return for which rows traffic has stopped; ``per_ms`` is their usual number of retrievals."""
        wanted = np.maximum(SILENT_MS, SILENT_GAPS / np.maximum(per_ms, 1e-12))
        return (self.last_seen > 0) & (at - self.last_seen > wanted)

    def _share(self, known: Floats) -> Floats:
        return known[:, 0] / np.maximum(known[:, 1], 1e-9)
