"""The detectors of a whole deployment: what the monitor feeds, asks, stores and restores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragauge.events import Evidence
from ragauge_service.core import watch_pieces
from ragauge_service.core.baseline import HOUR_MS
from ragauge_service.core.bets import MIDDLE, Floats, drop_growth, rise_growth
from ragauge_service.core.expectation import Batch, deficit_sums, expect
from ragauge_service.core.family import Family
from ragauge_service.core.guarding import guard
from ragauge_service.core.guards import Surroundings
from ragauge_service.core.recovery import SMALLEST
from ragauge_service.core.report import report
from ragauge_service.core.series import Series
from ragauge_service.core.snapshot import DropStatus
from ragauge_service.core.watch_state import WatchSettings, WatchState
from ragauge_service.core.watched import Watched

MARKS = 100
"""How many deployments are remembered."""


class Watch:
    """One detector per (category, retriever, evidence), per retriever, and over all, on MRR and on hit rate.

    >>> watch = Watch(WatchSettings(depth=2))
    >>> series = Series("faq", "bm25", "", "judgments")
    >>> watch.observe({series: [600, 300, 100]}, at=1_000)
    >>> watch.observe({series: [60, 30, 10]}, at=2_000)
    >>> [(status.category, status.measure, status.state) for status in watch.statuses()][-1]
    ('faq', 'hit@2', 'ok')
    """

    def __init__(self, settings: WatchSettings | None = None, state: WatchState | None = None) -> None:
        self.settings = settings or WatchSettings()
        self.state = state or WatchState.fresh(self.settings)
        self._values = self.settings.values

    @classmethod
    def load(cls, settings: WatchSettings, pieces: Mapping[str, bytes]) -> "Watch":
        """Return the watch whose pieces were stored; a fresh one if there are none.

        Raises:
            InputError: they were written by another version, or for another depth.
        """
        return cls(settings, watch_pieces.load(settings, pieces))

    def dump(self) -> dict[str, bytes]:
        """Return all of the watch as named pieces, for ``load``."""
        return watch_pieces.dump(self.state)

    def changes(self) -> dict[str, bytes | None]:
        """Return the pieces that changed since the last call, None for those to delete."""
        return watch_pieces.changes(self.state)

    def observe(
        self,
        deltas: Mapping[Series, Sequence[int]],
        at: int,
        around: Mapping[Series, Surroundings] | None = None,
    ) -> None:
        """Take in what matured since the last call, per series: histograms of rank 1..depth, then misses.

        ``at`` is Unix milliseconds on the store's clock; an onset is dated to the call before. ``around`` is
        what else happened, by which the guards tell a worse retriever from other changes.
        """
        state = self.state
        since, state.at = state.at if state.at is not None else at, at
        around = around or {}
        for series in around:
            state.roster.row(series)
        rows, counts = state.roster.merged(deltas, self.settings.depth + 1)
        state.grow()
        state.reference.expire(at // HOUR_MS)
        batch = expect(state, self.settings, rows, counts, at)
        guard(state, batch, around, at)
        if len(rows):
            self._take(batch, since, at)

    def statuses(self) -> tuple[DropStatus, ...]:
        """Return what every detector says now; ``category`` is None for a retriever's and the global one."""
        return report(self.state, self.settings)

    def mark(self, at: int, label: str) -> None:
        """Remember a deployment: it annotates an onset and never re-bases, lest a bad one excuse itself."""
        self.state.marks = sorted([*self.state.marks, (at, label)])[-MARKS:]

    def acknowledge(self, category: str | None, retriever: str | None, evidence: Evidence) -> bool:
        """Take what was seen since the onset for the new normal, and clear the alarm.

        Returns:
            Whether there is such a detector.
        """
        state = self.state
        row = state.roster.rows.get(Watched(category, retriever, evidence))
        if row is None:
            return False
        members = state.roster.members(row)
        for member in members:
            state.reference.rebase(int(member))
        state.dispersion.discard(members)
        cleared = np.unique(np.append(members, row))
        state.alarms.clear(cleared)
        state.detectors.reset(cleared)
        return True

    def _take(self, batch: Batch, since: int, at: int) -> None:
        """Bet on a batch that no guard holds back, settle alarms, and remember it."""
        free = self.state.guards.active[batch.rows] == 0
        open_batch = replace(batch, ready=batch.ready & free[:, None])
        before = self.state.detectors.sums.copy()
        self._bet(open_batch, since, at)
        self._recover(open_batch, before)
        self._latch()
        self._remember(batch, at // HOUR_MS)

    def _bet(self, batch: Batch, since: int, at: int) -> None:
        """Add a batch to the detectors of its rows and of their parents."""
        family = Family.of(batch.rows, self.state.roster.parents)
        ready = batch.ready[..., None]
        growth = ready * drop_growth(batch.counts, self._values, batch.level) / batch.phi[..., None]
        sums = ready * deficit_sums(batch.counts, self._values, batch.expected)
        sums = family.sum(sums)
        self.state.detectors.update(family.rows, family.sum(growth), sums, since)
        self.state.traffic.add(int(sums[..., 0].sum()), at)
        self._note(batch, family)

    def _note(self, batch: Batch, family: Family) -> None:
        """Keep what was expected last; a parent's is the mean over its members, weighted by what they saw."""
        weight = batch.n[:, None] * batch.ready
        seen = family.sum(weight)
        for at, part in enumerate((batch.expected, batch.level, batch.phi, batch.variance)):
            means = family.sum(part * weight) / np.maximum(seen, 1.0)
            self.state.now[at, family.rows] = np.where(seen > 0, means, self.state.now[at, family.rows])

    def log_threshold(self) -> float:
        """Return log A, which every detector has to reach, at today's traffic."""
        return self.state.log_threshold(self.settings.false_alarm_days)

    def _latch(self) -> None:
        state = self.state
        new = state.alarms.latch(state.detectors, self.log_threshold())
        gone = state.detectors.sums[new] - state.alarms.onset_sums[new]
        state.recovery.start(new, gone[:, 0], gone[:, 1])

    def _recover(self, batch: Batch, before: Floats) -> None:
        """Feed the recovery detectors of the alarms that stand, and clear those that are over."""
        state = self.state
        for row, m in np.argwhere(state.alarms.standing):
            mine = np.isin(batch.rows, state.roster.members(int(row))) & batch.ready[:, m]
            gone = before[row, m, :2] - state.alarms.onset_sums[row, m, :2]
            if mine.any() and state.recovery.update(
                int(row), int(m), self._rise(batch, mine, int(row), int(m)), batch.n[mine].sum(), gone
            ):
                state.alarms.clear(int(row), int(m))
                state.detectors.reset(np.array([row]), np.array([m]))
                state.release(state.roster.members(int(row)))

    def _rise(self, batch: Batch, mine: NDArray[np.bool_], row: int, m: int) -> Floats:
        """Return how the bets on half way back grew, J long: the sum over the row's members."""
        expected = batch.expected[mine, m]
        half = max(self.state.recovery.half(row, m), SMALLEST / 2 * float(expected.mean()))
        growth = rise_growth(batch.counts[mine], self._values[[m]], (expected - half)[:, None])[:, 0]
        return (growth / batch.phi[mine, m][:, None]).sum(axis=0)

    def _remember(self, batch: Batch, hour: int) -> None:
        """Put a batch in quarantine, and let out what the detectors find nothing in."""
        state, ready = self.state, batch.ready.any(axis=1)
        gaps = deficit_sums(batch.counts, self._values, batch.expected)[..., 1]
        state.dispersion.add(batch.rows[ready], batch.n[ready], gaps[ready], batch.variance[ready])
        state.reference.hold(batch.rows, batch.counts, hour)
        quiet = (state.detectors.cusum[batch.rows, :, MIDDLE] <= 0).all(axis=1) | ~ready
        settled = batch.rows[quiet & ~state.frozen()[batch.rows]]
        state.reference.settle(settled)
        state.dispersion.settle(settled)
