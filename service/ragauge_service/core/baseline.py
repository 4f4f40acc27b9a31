"""What is normal: hourly histograms of the last weeks, and the mean to expect at an hour of the day.

What has just been seen waits in quarantine until the detector finds nothing in it: a drop must not
become its own baseline. While an alarm stands, nothing leaves the quarantine.
"""

from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragauge_service.core.bets import Counts, Floats

Kind = TypeVar("Kind", np.int32, np.int64)

HOURS: Final = 24
HOUR_MS: Final = 3_600_000

SWING: Final = 0.08
"""By which share of its mean a day is expected to swing, before a day has been seen."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a reference expects: each D x M, ``n`` D observations.

    ``error`` is the mean's standard error, ``swing`` what the hour of the day may do, while that is unknown.
    """

    mean: Floats
    variance: Floats
    error: Floats
    n: Floats
    swing: Floats


@dataclass(slots=True)
class Reference:
    """Histograms of D rows over ``outcomes`` outcomes, by hour (hours since the epoch)."""

    outcomes: int
    days: int = 28
    rows: int = 0
    hours: dict[int, NDArray[np.int32]] = field(default_factory=dict[int, NDArray[np.int32]])
    by_hour: Counts = field(init=False)
    first_hour: Counts = field(init=False)
    quarantine: dict[int, Counts] = field(default_factory=dict[int, Counts])
    changed: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        self.by_hour = np.zeros((0, HOURS, self.outcomes), np.int64)
        self.first_hour = np.zeros(0, np.int64)

    def grow(self, rows: int) -> None:
        """Make room for ``rows`` rows."""
        self.rows = max(rows, self.rows)
        self.by_hour = _longer(self.by_hour, self.rows)
        self.first_hour = _longer(self.first_hour, self.rows)

    def add(self, rows: Counts, counts: Counts, hour: int) -> None:
        """Count outcomes as normal: ``counts`` is rows x outcomes."""
        known = self.hours.get(hour, np.zeros((0, self.outcomes), np.int32))
        known = _longer(known, self.rows)
        known[rows] += counts.astype(np.int32)
        self.hours[hour] = known
        self.changed.add(hour)
        self.by_hour[rows, hour % HOURS] += counts
        new = (self.first_hour[rows] == 0) | (self.first_hour[rows] > hour)
        self.first_hour[rows] = np.where(new & counts.any(axis=1), hour, self.first_hour[rows])

    def hold(self, rows: Counts, counts: Counts, hour: int) -> None:
        """Put outcomes in quarantine."""
        held = _longer(self.quarantine.get(hour, np.zeros((0, self.outcomes), np.int64)), self.rows)
        held[rows] += counts
        self.quarantine[hour] = held

    def settle(self, rows: Counts) -> None:
        """Count as normal what these rows have in quarantine."""
        for hour in list(self.quarantine):
            held = self._take(hour, rows)
            some = held.any(axis=1)
            if some.any():
                self.add(rows[some], held[some], hour)

    def discard(self, rows: Counts) -> None:
        """Forget what these rows have in quarantine."""
        for hour in list(self.quarantine):
            self._take(hour, rows)

    def rebase(self, row: int) -> None:
        """Forget the past of a row and take its quarantine for normal: what an acknowledgement does."""
        for hour, counts in self.hours.items():
            if row < len(counts) and counts[row].any():
                counts[row] = 0
                self.changed.add(hour)
        self.by_hour[row] = 0
        self.first_hour[row] = 0
        self.settle(np.array([row]))

    def restore(self, hour: int, counts: NDArray[np.int32]) -> None:
        """Put back an hour that was stored; ``first_hour`` is stored apart."""
        self.hours[hour] = counts
        self.by_hour[: len(counts), hour % HOURS] += counts

    def expire(self, hour: int) -> None:
        """Forget the hours that lie more than ``days`` days before ``hour``."""
        for old in [known for known in self.hours if known <= hour - self.days * HOURS]:
            counts = self.hours.pop(old)
            self.by_hour[: len(counts), old % HOURS] -= counts
            self.changed.add(old)

    def expected(self, rows: Counts, at: int, values: Floats, phi: Floats) -> Expected:
        """Return what to expect of these rows at ``at`` (Unix milliseconds); means of rows never seen are 0.

        An hour of the day differs from the overall mean by its own mean's difference, shrunk by how much of
        the differences between hours is noise (DerSimonian and Laird 1986), and interpolated between the
        middles of hours. Below a full day of reference there is no such effect: it could not be told from
        a trend; what a day may do by then is a doubt of its own. ``values`` is M x outcomes, ``phi`` D x M.
        """
        counts = self.by_hour[rows].astype(np.float64)
        n_hour, sums = counts.sum(axis=2)[..., None], counts @ values.T
        n = n_hour.sum(axis=1)
        at_least_one = np.maximum(n, 1.0)
        mean = sums.sum(axis=1) / at_least_one
        squares = (counts.sum(axis=1) @ (values.T**2)) / at_least_one
        variance = np.maximum(squares - mean**2, 0.0)
        effects, doubts = _hour_effects(n_hour, sums, mean, variance * phi)
        age = self._age(rows, at)[:, None]
        effect, doubt = (np.where(age >= HOURS, _interpolated(part, at), 0.0) for part in (effects, doubts))
        error = np.sqrt(variance * phi / at_least_one + doubt)
        return Expected(mean + effect, variance, error, n[:, 0], mean * _unknown_swing(age))

    def _age(self, rows: Counts, at: int) -> Floats:
        """Return for how many hours these rows have had a reference."""
        return np.where(self.first_hour[rows] > 0, at / HOUR_MS - self.first_hour[rows], 0.0)

    def _take(self, hour: int, rows: Counts) -> Counts:
        held = self.quarantine[hour]
        inside = rows < len(held)
        taken = np.zeros((len(rows), self.outcomes), np.int64)
        taken[inside] = held[rows[inside]]
        held[rows[inside]] = 0
        if not held.any():
            del self.quarantine[hour]
        return taken


def _hour_effects(n_hour: Floats, sums: Floats, mean: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Return each hour's shrunk difference from the mean, and its variance; both D x HOURS x M."""
    differences = np.where(n_hour > 0, sums / np.maximum(n_hour, 1.0) - mean[:, None, :], 0.0)
    n = np.maximum(n_hour.sum(axis=1), 1.0)
    between = (n_hour * differences**2).sum(axis=1)
    groups = (n_hour > 0).sum(axis=1)
    weight = np.maximum(n - (n_hour**2).sum(axis=1) / n, 1.0)
    spread = (np.maximum(between - (groups - 1) * noise, 0.0) / weight)[:, None, :]
    within = noise[:, None, :] / np.maximum(n_hour, 1.0)
    share = np.where(n_hour > 0, spread / np.maximum(spread + within, 1e-300), 0.0)
    return share * differences, spread * (1.0 - share)


def _interpolated(by_hour: Floats, at: int) -> Floats:
    """Return what lies between the middles of the two nearest hours, D x M."""
    place = at / HOUR_MS - 0.5
    hour, way = int(place // 1), place % 1
    return (1.0 - way) * by_hour[:, hour % HOURS] + way * by_hour[:, (hour + 1) % HOURS]


def _unknown_swing(age: Floats) -> Floats:
    """Return by which share of the mean the day may move what has been seen for ``age`` hours only.

    >>> _unknown_swing(np.array([0.0, 12.0, 24.0])).round(3).tolist()
    [0.0, 0.08, 0.0]
    """
    return np.where(age < HOURS, SWING * np.sin(np.pi * age / HOURS) ** 2, 0.0)


def _longer(array: NDArray[Kind], rows: int) -> NDArray[Kind]:
    """Return the array with zeros appended until it has ``rows`` rows."""
    more = rows - len(array)
    if more <= 0:
        return array
    return np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)])
