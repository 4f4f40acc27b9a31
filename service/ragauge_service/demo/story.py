"""What happened in a run of the demo: what fell, since when, when the alarm came, and on which queries."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragauge_service.demo.quality import HIT, MRR, NDCG, Row


@dataclass(slots=True, kw_only=True)
class Story:
    """The marks of one run; all times are seconds since the load began.

    ``alarms`` are the categories whose alarm has been seen, with the time; ``healthy`` are the rows just
    before the regression, ``latest`` the last ones; ``lost`` is how many documents fell out; ``worst`` are
    texts of queries that failed.
    """

    broken: str
    lost: int = 0
    regression: float | None = None
    alarms: dict[str, float] = field(default_factory=dict[str, float])
    healthy: Sequence[Row] = ()
    latest: Sequence[Row] = ()
    worst: Sequence[str] = ()

    def see(self, rows: Sequence[Row], *, elapsed: float) -> None:
        """Take in what the service says now."""
        self.latest = rows
        if self.regression is None:
            self.healthy = rows
        for row in rows:
            if row.state == "alarm":
                self.alarms.setdefault(row.category, elapsed)

    @property
    def delay(self) -> float | None:
        """Return the seconds from the regression to its alarm, or None when either has not come."""
        alarm = self.alarms.get(self.broken)
        return None if alarm is None or self.regression is None else alarm - self.regression

    def news(self) -> list[str]:
        """Return what has happened so far, a sentence each, the latest last.

        >>> Story(broken="errors", regression=50.0, lost=479, alarms={"errors": 58.0}).news()[1]
        'Alarm: errors got worse, seen at 58 s, 8 s after the regression.'
        """
        told = [] if self.regression is None else [self._regression(self.regression)]
        return told + [self._alarm(name, at) for name, at in self.alarms.items()]

    def summary(self) -> list[str]:
        """Return the end of the story, a sentence each.

        >>> Story(broken="errors").summary()
        ['Nothing was broken yet, and no alarm came.']
        """
        if self.regression is None and not self.alarms:
            return ["Nothing was broken yet, and no alarm came."]
        told = self.news()[:1] + self._fall() + self.news()[1:]
        if not self.alarms:
            told.append("No alarm came.")
        if self.worst:
            told.append("Queries that fail, for example: " + "; ".join(self.worst) + ".")
        return told

    def _regression(self, at: float) -> str:
        return (
            f"Regression: at {at:.0f} s {self.lost} documents, half of those that {self.broken} asks about, "
            "fell out of the index."
        )

    def _alarm(self, category: str, at: float) -> str:
        late = "" if self.regression is None else f", {at - self.regression:.0f} s after the regression"
        return f"Alarm: {category} got worse, seen at {at:.0f} s{late}."

    def _fall(self) -> list[str]:
        """Return how the broken category's window fell since just before the regression."""
        then = next((row for row in self.healthy if row.category == self.broken), None)
        now = next((row for row in self.latest if row.category == self.broken), None)
        if then is None or now is None or self.regression is None:
            return []
        pairs = ((MRR, then.mrr, now.mrr), (HIT, then.hit, now.hit), (NDCG, then.ndcg, now.ndcg))
        fell = [f"{name} {a:.3f} -> {b:.3f}" for name, a, b in pairs if a is not None and b is not None]
        return [f"Since then in the window, {self.broken}: {', '.join(fell)}."] if fell else []
