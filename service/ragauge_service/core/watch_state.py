"""What a watch knows: its settings, and the arrays of all its detectors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ragauge.errors import ConfigurationError
from ragauge_service.core.alarms import Alarms
from ragauge_service.core.baseline import Reference
from ragauge_service.core.bets import Counts, Floats, rank_values
from ragauge_service.core.detection import Detectors
from ragauge_service.core.dispersion import Dispersion
from ragauge_service.core.guards import Guards
from ragauge_service.core.recovery import Recovery
from ragauge_service.core.threshold import Traffic, log_threshold
from ragauge_service.core.watched import Roster

EXPECTED: Final = 0
LEVEL: Final = 1
PHI: Final = 2
VARIANCE: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSettings:
    """What a user may choose of drop detection.

    ``objectives`` pins the baseline of a (category, measure), such as ``("billing", "MRR@10")``;
    ``learning`` and ``settled`` are observations, ``slack`` a share of the baseline.
    """

    depth: int = 10
    false_alarm_days: float = 90.0
    slack: float = 0.01
    learning: int = 500
    settled: int = 20_000
    days: int = 28
    objectives: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])

    @property
    def measures(self) -> tuple[str, str]:
        """Return the names of the measures that are watched.

        >>> WatchSettings().measures
        ('MRR@10', 'hit@10')
        """
        k = min(10, self.depth)
        return f"MRR@{k}", f"hit@{k}"

    @property
    def values(self) -> Floats:
        """Return what each outcome is worth to each measure, M x (depth + 1)."""
        return np.stack([rank_values(name, self.depth) for name in self.measures])


def objectives_of(pinned: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """Return objectives that are named as ``CATEGORY:MEASURE``.

    Raises:
        ConfigurationError: names a measure that is not watched, or a value outside of 0 to 1.

    >>> objectives_of({"billing:MRR@10": 0.6})
    {('billing', 'MRR@10'): 0.6}
    """
    found: dict[tuple[str, str], float] = {}
    for name, value in pinned.items():
        category, _, measure = name.rpartition(":")
        if not category or measure not in WatchSettings().measures or not 0 <= value <= 1:
            raise ConfigurationError(
                f"objective {name}={value}: CATEGORY:MEASURE=VALUE wanted, such as billing:MRR@10=0.6"
            )
        found[category, measure] = value
    return found


@dataclass(slots=True)
class WatchState:
    """The parts of a watch; ``now`` is what was expected last: mean, level, phi, variance (4 x rows x M)."""

    roster: Roster
    detectors: Detectors
    recovery: Recovery
    alarms: Alarms
    dispersion: Dispersion
    reference: Reference
    guards: Guards
    traffic: Traffic
    now: Floats
    at: int | None = None
    marks: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    @classmethod
    def fresh(cls, settings: WatchSettings) -> "WatchState":
        """Return the state of a watch that has seen nothing."""
        measures = len(settings.measures)
        return cls(
            roster=Roster(),
            detectors=Detectors.fresh(0, measures),
            recovery=Recovery.fresh(0, measures),
            alarms=Alarms.fresh(0, measures),
            dispersion=Dispersion.fresh(0, measures),
            reference=Reference(settings.depth + 1, settings.days),
            guards=Guards.fresh(0),
            traffic=Traffic(),
            now=np.zeros((4, 0, measures)),
        )

    def grow(self) -> None:
        """Make room for every row of the roster."""
        rows, (_, before, measures) = len(self.roster), self.now.shape
        if rows > before:
            for part in (self.detectors, self.recovery, self.alarms, self.guards):
                part.grow(rows)
            self.dispersion.grow(rows)
            self.reference.grow(rows)
            more = np.full((4, rows - before, measures), np.nan)
            self.now = np.concatenate([self.now, more], axis=1)

    def frozen(self) -> NDArray[np.bool_]:
        """Return which rows keep their baseline as it is: an alarm, a parent's alarm, or a guard."""
        parents = self.roster.parents
        own: NDArray[np.bool_] = np.any(self.alarms.standing, axis=1, keepdims=True)
        above: NDArray[np.bool_] = (parents >= 0) & own[parents, 0]
        return own[:, 0] | above[:, 0] | above[:, 1] | (self.guards.active > 0)

    def release(self, rows: Counts) -> None:
        """Forget what was seen during an alarm, of those rows that no other alarm freezes."""
        thawed = rows[~self.frozen()[rows]]
        self.reference.discard(thawed)
        self.dispersion.discard(thawed)

    def log_threshold(self, false_alarm_days: float) -> float:
        """Return log A at today's traffic."""
        return log_threshold(self.traffic.per_day(self.at or 0), false_alarm_days)
