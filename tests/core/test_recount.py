"""Whatever the order, the batches and the crashes: what stands in the slots is what a recount finds."""

import os
from dataclasses import replace

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from harness.memory_store import MemoryShard
from harness.recount import Logged, Recount
from ragauge.events import Event, JudgmentsEvent, Retrieval, Signal
from ragauge_service.core.changes import SlotKey
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.packing import series_key, unpack_cells
from ragauge_service.core.slots import kept

CONFIG = EngineConfig(join_horizon_ms=60_000, rescore_horizon_ms=150_000, depth=5, cutoffs=(1, 3), shards=1)
START = 1_764_550_000_000
IDS = [f"{number:032x}" for number in range(1, 9)]
KEYS = ["i:q1", "i:q2", "t:q3"]
DOCS = [f"d{number}" for number in range(6)]

categories = st.sampled_from([None, None, "a", "b"])
retrievals = st.builds(
    Retrieval,
    id=st.sampled_from(IDS),
    key=st.sampled_from(KEYS),
    category=categories,
    retriever=st.sampled_from(["docs", "docs", "faq"]),
    ids=st.lists(st.sampled_from(DOCS), max_size=6).map(tuple),
    at=st.integers(-200_000, 4_000),
    outcome=st.sampled_from(["ok", "ok", "ok", "ok", "error"]),
    offset=st.sampled_from([0, 0, 0, 0, 10]),
    parent=st.sampled_from([None, None, None, *IDS[:3]]),
    probe=st.sampled_from([None, None, None, None, "round"]),
    batch=st.sampled_from([None, None, None, None, "nightly"]),
)
signals = st.builds(
    Signal,
    retrieval_id=st.sampled_from(IDS),
    doc_id=st.sampled_from([None, *DOCS]),
    kind=st.sampled_from(["click", "click", "thumbs_down", "dwell", "citation"]),
    value=st.sampled_from([None, 2.0, 45.0]),
    at=st.sampled_from([0, 600, 5_000, 9_000]),
)
judgments = st.builds(
    JudgmentsEvent,
    key=st.sampled_from(KEYS),
    grades=st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), max_size=4),
    no_answer=st.sampled_from([False, False, False, True]),
    forbidden=st.lists(st.sampled_from(DOCS), max_size=1).map(tuple),
    category=categories,
    mode=st.sampled_from(["replace", "merge", "delete"]),
)
events = st.lists(st.one_of(retrievals, retrievals, signals, judgments), max_size=6)
pauses = st.sampled_from([0, 1, 1, 500, 10_000, 30_000, 60_000, 150_000, 1_000_000, 8_000_000])


class Shard(RuleBasedStateMachine):
    """A shard that is fed, committed and taken over in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.shard = MemoryShard(CONFIG)
        self.log: list[Logged] = []
        self.time, self.sequence = START, 0
        self.committed: list[Logged] = []

    @rule(pause=pauses, some=events, off=st.sampled_from([0, 0, 0, 700, -90_000, 90_000]))
    def entry(self, pause: int, some: list[Event], off: int) -> None:
        """An entry comes; its producer's clock may be off."""
        self.time += pause
        self.sequence += 1
        sent_at = self.time + off
        made = [_at(event, sent_at) for event in some]
        self.shard.append((self.time, self.sequence), sent_at, made)
        self.log.append(Logged(self.time, -off if abs(off) > 2_000 else 0, made))

    @rule()
    def read(self) -> None:
        """The holder reads."""
        self.shard.read()

    @precondition(lambda self: self.log)
    @rule()
    def commit(self) -> None:
        """The holder reads and commits."""
        self.shard.read()
        self.shard.commit()
        self.committed = list(self.log)

    @rule()
    def crash(self) -> None:
        """The holder dies, and another takes over."""
        self.shard.crash()

    @invariant()
    def slots_equal_a_recount(self) -> None:
        """What is committed is what a recount of the committed entries finds."""
        if not self.committed:
            return
        recount = Recount(CONFIG, self.committed)
        wanted: dict[SlotKey, dict[str, list[int]]] = {}
        for found in (recount.by_judgments(), recount.by_clicks()):
            for key, rows in recount.slots(found).items():
                if kept(key, recount.time):
                    wanted.setdefault(key, {}).update({series_key(s): row for s, row in rows.items()})
        stored = {
            key: {series: unpack_cells(row) for series, row in rows.items()}
            for key, rows in self.shard.slots.items()
            if kept(key, recount.time)
        }
        assert _without_zeros(stored) == _without_zeros(wanted)


def _at(event: Event, now: int) -> Event:
    if isinstance(event, Retrieval):
        return replace(event, at=now + event.at)
    return event


def _without_zeros(slots: dict[SlotKey, dict[str, list[int]]]) -> dict[SlotKey, dict[str, list[int]]]:
    """Leave out series that were taken back to nothing."""
    some = {key: {name: row for name, row in rows.items() if any(row)} for key, rows in slots.items()}
    return {key: rows for key, rows in some.items() if rows}


TestShard = Shard.TestCase
TestShard.settings = settings(
    max_examples=int(os.environ.get("RAGAUGE_EXAMPLES", "40")),
    stateful_step_count=25,
    deadline=None,
    phases=[Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
