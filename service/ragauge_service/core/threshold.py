"""From the false alarm rate that is wished for to the evidence that an alarm takes.

A detector that sees r observations a day and alarms at A raises at most r / A false alarms a day. When all
detectors share one budget of 1 / days, each by its traffic, they all get the same A: days x the
observations of all of them a day.
"""

import math
from dataclasses import dataclass, field
from typing import Final

from ragauge_service.core.baseline import HOUR_MS

LEAST: Final = 1e4
"""A detector never alarms on less, however little traffic there is."""

DAY_HOURS: Final = 24


@dataclass(slots=True)
class Traffic:
    """How many observations all detectors together made, by hour, over the last day."""

    hours: dict[int, int] = field(default_factory=dict[int, int])
    first_at: int | None = None

    def add(self, observations: int, at: int) -> None:
        """Count observations at ``at`` (Unix milliseconds)."""
        if self.first_at is None:
            self.first_at = at
        hour = at // HOUR_MS
        self.hours[hour] = self.hours.get(hour, 0) + observations
        for old in [known for known in self.hours if known <= hour - DAY_HOURS]:
            del self.hours[old]

    def per_day(self, at: int) -> float:
        """Return observations a day, from the last day, or from the time since the first (an hour at least).

        >>> traffic = Traffic()
        >>> traffic.add(1000, 0)
        >>> traffic.per_day(60_000)
        24000.0
        """
        if self.first_at is None:
            return 0.0
        span = (at - max(self.first_at, (at // HOUR_MS - DAY_HOURS + 1) * HOUR_MS)) / HOUR_MS
        return sum(self.hours.values()) / max(span, 1.0) * DAY_HOURS


def log_threshold(per_day: float, false_alarm_days: float) -> float:
    """Return log A for one false alarm in ``false_alarm_days`` at ``per_day`` observations a day.

    >>> round(math.exp(log_threshold(200_000, 90.0)))
    18000000
    """
    return math.log(max(per_day * false_alarm_days, LEAST))
