"""One monitor a namespace, by lease, on a real store: what it publishes, what it keeps, when it is silent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragauge_service.core.changes import Changes
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.packing import pack_cells, series_key
from ragauge_service.core.publishing import unpack_snapshot
from ragauge_service.core.series import Series
from ragauge_service.core.slots import slot_at
from ragauge_service.core.snapshot import Snapshot
from ragauge_service.core.watch_state import WatchSettings
from ragauge_service.monitor import LEASE_MS, Monitor
from ragauge_service.snapshots import NewestSnapshot
from ragauge_service.store.connection import connect
from ragauge_service.store.embedded import EmbeddedStore
from ragauge_service.store.namespace import Namespace

pytestmark = pytest.mark.server

CONFIG = EngineConfig(shards=2, depth=2, cutoffs=(1, 2), windows=("1h",))
SERIES = Series("faq", "docs", "", "judgments")
GOOD, BAD = (180, 0, 20), (20, 0, 180)


@pytest.fixture
def namespace(tmp_path: Path) -> Iterator[Namespace]:
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        namespace = Namespace(client, "default")
        namespace.configure(CONFIG)
        yield namespace


class Shard:
    """A worker of shard 0 that writes one series' tallies and histogram as told."""

    def __init__(self, namespace: Namespace) -> None:
        self.store = namespace.shard(0)
        self.namespace = namespace
        self.epoch = self.store.lease.acquire("worker", 600_000) or 0
        self.matured = [0, 0, 0]
        self.seq = 0

    def write(self, first_ranks: tuple[int, ...]) -> None:
        self.seq += 1
        offset = self.store.append("p", self.seq, 0, b"").value
        self.matured = [a + b for a, b in zip(self.matured, first_ranks, strict=True)]
        cells = CONFIG.layout.zeros()
        cells[:3] = self.matured
        cells[CONFIG.layout.cell("retrievals")] = sum(self.matured)
        key, slot = series_key(SERIES), slot_at(1, self.namespace.now_ms())
        changes = Changes(slots={slot: {key: pack_cells(cells)}}, matured={key: pack_cells(self.matured)})
        previous = self.store.state().offset
        answer = self.store.commit(epoch=self.epoch, previous=previous, offset=offset, changes=changes)
        assert answer == "OK"


class Clock:
    """Seconds that pass when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def monitor(
    namespace: Namespace, owner: str, seen: list[Snapshot | None], clock: Clock | None = None
) -> Monitor:
    settings = WatchSettings(depth=2, learning=500)
    return Monitor(namespace, settings, seen.append, owner=owner, clock=clock or Clock())


def state(snapshot: Snapshot | None) -> set[str]:
    assert snapshot is not None
    return {drop.state for drop in snapshot.drops if drop.category == "faq"}


def test_it_publishes_windows_and_detectors_for_itself_and_for_replicas(namespace: Namespace) -> None:
    """A replica without a monitor of its own answers from the store."""
    Shard(namespace).write(GOOD)
    seen = list[Snapshot | None]()
    snapshot = monitor(namespace, "m", seen).round()
    assert snapshot is not None
    assert [(part.series, part.tally.scored) for part in snapshot.windows] == [(SERIES, 200)]
    assert state(snapshot) == {"learning"}
    packed = namespace.monitor.read_snapshot() or b""
    assert (unpack_snapshot(packed), seen) == (snapshot, [snapshot])
    replica = NewestSnapshot(namespace, lambda: None, Clock())
    assert replica.latest() == snapshot


def test_only_one_publishes_and_past_its_lease_it_is_silent(namespace: Namespace) -> None:
    """Two sets of windows in Prometheus would be twice the traffic, and half of it old."""
    clock, seen, other = Clock(), list[Snapshot | None](), list[Snapshot | None]()
    first, second = monitor(namespace, "m1", seen, clock), monitor(namespace, "m2", other)
    assert first.round() is not None
    assert second.round() is None
    assert (second.holds, other) == (False, [])
    clock.now += LEASE_MS / 1_000 + 1
    first._silence()
    assert (first.latest, seen[-1]) == (None, None)


def test_a_released_lease_is_taken_at_once_and_the_old_epoch_writes_nothing(namespace: Namespace) -> None:
    """What a stopped monitor still believes must not overwrite what its successor knows."""
    seen = list[Snapshot | None]()
    first = monitor(namespace, "m1", seen)
    first.round()
    epoch = first._epoch or 0
    first.close()
    assert seen[-1] is None
    assert monitor(namespace, "m2", []).round() is not None
    assert not namespace.monitor.save_monitor(epoch, {"state": b"stale"})


def test_a_successor_goes_on_from_what_was_learned_and_counts_nothing_twice(namespace: Namespace) -> None:
    """A restart must neither forget the baseline nor see the same outcomes again."""
    shard, first = Shard(namespace), monitor(namespace, "m1", [])
    for _ in range(6):
        shard.write(GOOD)
        first.round()
    assert state(first.latest) == {"ok"}
    before = first.latest
    first.close()
    second = monitor(namespace, "m2", [])
    after = second.round()
    assert before is not None
    assert after is not None
    assert [drop.log_e for drop in after.drops] == pytest.approx([drop.log_e for drop in before.drops])
    while state(second.latest) != {"alarm"}:
        assert shard.seq < 40, "an alarm well before"
        shard.write(BAD)
        second.round()
    second.close()
    assert state(monitor(namespace, "m3", []).round()) == {"alarm"}


def test_an_acknowledgement_clears_the_alarm_once(namespace: Namespace) -> None:
    """It comes through the store, so any replica of the API can take it."""
    shard, mine = Shard(namespace), monitor(namespace, "m1", [])
    for ranks in [GOOD] * 6 + [BAD] * 6:
        shard.write(ranks)
        mine.round()
    assert state(mine.latest) == {"alarm"}
    text = '{"category": "faq", "retriever": "docs", "evidence": "judgments"}'
    namespace.monitor.mark("acknowledge", text, 0)
    namespace.monitor.mark("acknowledge", "not json", 0)
    namespace.monitor.mark("deploy", "v2", namespace.now_ms())
    assert "alarm" not in state(mine.round())
    mine.close()
    assert "alarm" not in state(monitor(namespace, "m2", []).round())
