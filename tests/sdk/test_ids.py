"""Ids, keys, sampling, categories: what is said of a retrieval."""

import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge
from ragauge.events import id_key, normalise, partition_of, partition_of_id, text_key
from ragauge.identity import numbers, sampled
from ragauge.record import Identity
from ragauge.testing import MemoryTransport, recorded


@given(st.text(min_size=1))
def test_an_id_begins_with_its_querys_partition(query: str) -> None:
    own = Identity(numbers.next(), 10**18, query, None).id
    assert len(own) == 32
    if normalise(query):
        assert partition_of_id(own) == partition_of(normalise(query))


def test_ids_stay_unique_after_a_seed_and_a_fork() -> None:
    random.seed(1)
    before = [Identity(numbers.next(), 0, "q", None).id for _ in range(1000)]
    random.seed(1)
    after = [Identity(numbers.next(), 0, "q", None).id for _ in range(1000)]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, " ".join(Identity(numbers.next(), 0, "q", None).id for _ in range(100)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    forked = os.read(read, 10_000).decode().split()
    assert len({*before, *after, *forked}) == 2100


@pytest.mark.parametrize(
    ("mode", "text", "keyed"), [("text", "My Query", 1), ("hash", None, 1), ("off", None, 0)]
)
def test_the_query_is_captured_as_text_as_hash_or_not_at_all(mode: str, text: str | None, keyed: int) -> None:
    with recorded(capture_query=mode) as memory:
        ragauge.log(query="My Query", ids=["a"])
        assert ragauge.flush()
    event = memory.retrievals[0]
    assert event.query == text
    assert event.key == (text_key("my query") if keyed else f"r:{event.id}")


def test_labels_are_values_or_callables_of_the_call(memory: MemoryTransport) -> None:
    @ragauge.retriever(
        query_id="qid",
        category=lambda query, **_: query.split()[0],
        params=lambda *_, **__: {"model": "m1"},
        variant="b",
        k="limit",
        offset="start",
    )
    def search(query: str, qid: str = "", limit: int = 10, start: int = 0) -> list[str]:
        return ["x"]

    search("tax forms", qid="q9", limit=5, start=20)
    assert ragauge.flush()
    event = memory.retrievals[0]
    assert (event.category, event.variant, event.params) == ("tax", "b", {"model": "m1", "k": 5})
    assert (event.key, event.query_id, event.offset) == (id_key("q9"), "q9", 20)


def test_a_label_that_raises_costs_the_log_not_the_call(memory: MemoryTransport) -> None:
    @ragauge.retriever(category=lambda _: 1 / 0)  # type: ignore[arg-type]
    def search(query: str) -> list[str]:
        return ["x"]

    assert search("q") == ["x"]
    assert ragauge.stats()["dropped_error"] == 1


def test_chunks_count_as_their_documents(memory: MemoryTransport) -> None:
    @ragauge.retriever(chunk_to_doc=lambda chunk: chunk.split("#")[0])
    def search(query: str) -> list[str]:
        return ["a#1", "b#2", "a#3"]

    search("q")
    assert ragauge.flush()
    assert memory.retrievals[0].ids == ("a", "b", "a")


def test_sampling_keeps_all_of_a_query_or_nothing() -> None:
    with recorded(sample_rate=0.5) as memory:
        for query in map(str, range(200)):
            for _ in range(2):
                ragauge.log(query=query, ids=["a"])
        assert ragauge.flush()
    seen = [event.query for event in memory.retrievals]
    expected = [q for q in map(str, range(200)) if sampled(partition_of(q), 0.5)]
    assert sorted(seen) == sorted(expected * 2)  # type: ignore[type-var]
    assert 60 < len(expected) < 140
    assert {event.sample_rate for event in memory.retrievals} == {0.5}


def test_what_is_sampled_out_has_no_id_and_takes_no_feedback() -> None:
    @ragauge.retriever(sample_rate=1e-9)
    def search(query: str) -> list[str]:
        return ["a"]

    with recorded() as memory:
        _, handle = search.logged("some query")
        ragauge.feedback(handle.id, "a")
        assert ragauge.flush()
    assert memory.events == []


def test_before_send_changes_and_keeps_back() -> None:
    with recorded(before_send=lambda event: None if event.query == "secret" else event) as memory:
        ragauge.log(query="secret", ids=["a"])
        ragauge.log(query="open", ids=["a"])
        assert ragauge.flush()
        assert ragauge.stats()["dropped_before_send"] == 1
    assert [event.query for event in memory.retrievals] == ["open"]


def test_ids_that_the_wire_cannot_hold_keep_their_rank(memory: MemoryTransport) -> None:
    ragauge.log(query="q", ids=["", "x" * 600, "a"], scores=[1, float("nan"), 0])
    assert ragauge.flush()
    event = memory.retrievals[0]
    assert (len(event.ids), event.ids[2], event.scores) == (3, "a", None)


def test_feedback_that_cannot_be_used_is_counted(memory: MemoryTransport) -> None:
    ragauge.feedback("not an id", "a")
    ragauge.feedback(32 * "0", "a", kind="like")  # type: ignore[arg-type]
    ragauge.feedback(None, "a")  # type: ignore[arg-type]
    assert ragauge.flush()
    stats = ragauge.stats()
    assert (stats["dropped_bad_id"], stats["dropped_bad_signal"], memory.events) == (2, 1, [])


def test_environment_variables_stand_in_for_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAUGE_CATEGORY", "from-env")
    monkeypatch.setenv("RAGAUGE_MAX_QUEUE", "2")
    with recorded(flush_interval=60.0) as memory:
        for _ in range(3):
            ragauge.log(query="q", ids=["a"])
        assert ragauge.stats().get("dropped_queue_full", 0) <= 1
        assert ragauge.flush()
    assert memory.retrievals[0].category == "from-env"
    monkeypatch.setenv("RAGAUGE_ENABLED", "0")
    with recorded():
        assert ragauge.stats() == {}
