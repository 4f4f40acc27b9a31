"""How the application learns ids: capture blocks, handles, parents."""

import asyncio
import contextvars
import threading

import ragauge
from ragauge.events import Retrieval
from ragauge.testing import MemoryTransport


@ragauge.retriever
def search(query: str) -> list[str]:
    return ["a", "b"]


@ragauge.retriever
async def search_async(query: str) -> list[str]:
    return [query]


@ragauge.retriever
def reranked(query: str) -> list[str]:
    return list(reversed(search(query)))


def test_a_block_collects_what_was_retrieved_inside(memory: MemoryTransport) -> None:
    with ragauge.capture() as outer:
        search("one")
        with ragauge.capture() as inner:
            search("two")
    search("three")
    assert ragauge.flush()
    assert [handle.id for handle in outer.all] == [
        event.id for event in sorted_by_query(memory, "one", "two")
    ]
    assert inner.last.id == outer.last.id


def sorted_by_query(memory: MemoryTransport, *queries: str) -> list[Retrieval]:
    by_query = {event.query: event for event in memory.retrievals}
    return [by_query[query] for query in queries]


async def test_gather_and_to_thread_keep_the_block_bare_threads_lose_it(memory: MemoryTransport) -> None:
    with ragauge.capture() as captured:
        await asyncio.gather(search_async("a"), search_async("b"))
        await asyncio.to_thread(search, "c")
        assert len(captured.all) == 3
        await asyncio.get_running_loop().run_in_executor(None, search, "d")
        thread = threading.Thread(target=search, args=("e",))
        thread.start()
        thread.join()
        assert len(captured.all) == 3
        context = contextvars.copy_context()
        await asyncio.get_running_loop().run_in_executor(None, lambda: context.run(search, "f"))
        assert len(captured.all) == 4


def test_a_retriever_inside_another_is_its_parent(memory: MemoryTransport) -> None:
    """The candidates are the parent; they are judged, not clicked on."""
    _, handle = reranked.logged("q")
    assert ragauge.flush()
    by_name = {event.retriever: event for event in memory.retrievals}
    assert by_name["reranked"].parent == by_name["search"].id
    assert by_name["search"].parent is None
    assert handle.id == by_name["reranked"].id
    assert handle.ids == ("b", "a")


def test_a_reranker_can_name_its_candidates(memory: MemoryTransport) -> None:
    _, first = search.logged("q")
    ragauge.log(query="q", ids=["b", "a"], retriever="reranker", parent=first)
    assert ragauge.flush()
    assert next(event for event in memory.retrievals if event.retriever == "reranker").parent == first.id


def test_disabled_logs_nothing(memory: MemoryTransport) -> None:
    with ragauge.disabled():
        assert search("q") == ["a", "b"]
        ragauge.log(query="q", ids=["a"])
    assert ragauge.flush()
    assert memory.events == []


def test_a_batch_call_becomes_retrievals_that_share_a_batch(memory: MemoryTransport) -> None:
    @ragauge.retriever
    def search_many(query: list[str]) -> list[list[str]]:
        return [[text, "x"] for text in query]

    _, handle = search_many.logged(["one", "two"])
    assert ragauge.flush()
    one, two = sorted_by_query(memory, "one", "two")
    assert (one.ids, two.ids) == (("one", "x"), ("two", "x"))
    assert one.batch == two.batch is not None
    assert [part.id for part in handle.batch] == [one.id, two.id]
