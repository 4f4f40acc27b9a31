"""A decorated retriever is the retriever: same kind, same signature, same result, same exceptions."""

import asyncio
import inspect
import pickle
import traceback
import types
from collections.abc import AsyncGenerator, Generator
from typing import Annotated, Any, NoReturn

import pytest
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient

import ragauge
from ragauge.testing import MemoryTransport


@ragauge.retriever(category="faq")
def search(query: str, *, limit: int = 2) -> list[str]:
    """Find documents."""
    return ["a", "b"][:limit]


@ragauge.retriever
async def search_async(query: str) -> list[str]:
    return ["a"]


class Index:
    @ragauge.retriever
    def search(self, query: str) -> list[str]:
        return [query]

    @ragauge.retriever
    @classmethod
    def outside(cls, query: str) -> list[str]:  # noqa: ARG003
        return [cls.__name__]

    @classmethod
    @ragauge.retriever
    def inside(cls, query: str) -> list[str]:  # noqa: ARG003
        return [cls.__name__]

    @ragauge.retriever
    @staticmethod
    def static_outside(query: str) -> list[str]:
        return [query]

    @staticmethod
    @ragauge.retriever
    def static_inside(query: str) -> list[str]:
        return [query]


class CallMe:
    limit = 3

    def __call__(self, query: str) -> list[str]:
        return [query]


call_me = ragauge.retriever(CallMe())


def test_its_kind_signature_and_documentation_are_kept() -> None:
    def plain(query: str, *, limit: int = 2) -> list[str]:
        return []

    async def coroutine(query: str) -> list[str]:
        return []

    def generator(query: str) -> Generator[str]:
        yield ""

    async def async_generator(query: str) -> AsyncGenerator[str]:
        yield ""

    kinds = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    for function in (plain, coroutine, generator, async_generator):
        wrapped: Any = ragauge.retriever(function)
        assert [kind(wrapped) for kind in kinds] == [kind(function) for kind in kinds]
        assert inspect.signature(wrapped) == inspect.signature(function)
        assert isinstance(wrapped, types.FunctionType)
    assert search.__doc__ == "Find documents."


def test_it_pickles_by_name() -> None:
    assert pickle.loads(pickle.dumps(search)) is search  # noqa: S301 - our own bytes
    assert pickle.loads(pickle.dumps(ragauge.retriever(CallMe()))).limit == 3  # noqa: S301


def test_methods_of_every_kind_are_logged(memory: MemoryTransport) -> None:
    index: Any = Index()
    kind: Any = Index
    assert index.search("q") == ["q"]
    assert index.outside("q") == index.inside("q") == kind.outside("q") == ["Index"]
    assert index.static_outside("q") == index.static_inside("q") == ["q"]
    assert call_me("q") == ["q"]
    assert ragauge.flush()
    assert [event.query for event in memory.retrievals] == ["q"] * 7


def test_a_bound_method_gives_its_handle(memory: MemoryTransport) -> None:
    result, handle = ragauge.logged(Index().search, "q")
    assert (result, handle.ids) == (["q"], ("q",))


def test_it_works_as_a_dependency_of_fastapi(memory: MemoryTransport) -> None:
    app = FastAPI()

    @app.get("/")
    def page(found: Annotated[list[str], Depends(search)]) -> list[str]:
        return found

    with TestClient(app) as client:
        assert client.get("/", params={"query": "q", "limit": 1}).json() == ["a"]
    assert ragauge.flush()
    assert memory.retrievals[0].query == "q"


@pytest.mark.parametrize("error", [ValueError("x"), StopIteration(3), KeyboardInterrupt(), SystemExit(2)])
def test_the_very_exception_passes_with_one_more_frame(error: BaseException, memory: MemoryTransport) -> None:
    def fails(query: str) -> NoReturn:
        raise error

    def frames(function: Any) -> int:
        try:
            function("q")
        except BaseException as caught:  # noqa: BLE001 - the one that was raised
            assert caught is error  # noqa: PT017 - its frames are counted below
            count = len(list(traceback.walk_tb(caught.__traceback__)))
            caught.__traceback__ = None
            return count
        raise AssertionError

    assert frames(ragauge.retriever(fails)) <= frames(fails) + 1
    assert ragauge.flush()
    assert memory.retrievals[0].error_type == type(error).__name__
    assert memory.retrievals[0].outcome in {"error", "cancelled"}


async def test_cancelled_and_late_calls_have_outcomes_of_their_own(memory: MemoryTransport) -> None:
    @ragauge.retriever
    async def slow(query: str) -> list[str]:
        await asyncio.sleep(60)
        return []

    @ragauge.retriever
    async def late(query: str) -> list[str]:
        raise TimeoutError

    task = asyncio.create_task(slow("q"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(TimeoutError):
        await late("q")
    assert ragauge.flush()
    assert [event.outcome for event in memory.retrievals] in (
        ["cancelled", "timeout"],
        ["timeout", "cancelled"],
    )


class Hostile:
    """Everything that a careless observer might do raises."""

    def __repr__(self) -> NoReturn:
        raise AssertionError("walked")

    __bool__ = __iter__ = __len__ = __eq__ = __hash__ = __repr__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(name)


def test_arguments_and_results_that_resist_are_left_alone(memory: MemoryTransport) -> None:
    hostile, stream = Hostile(), iter(["left", "alone"])
    circular: list[Any] = []
    circular.append(circular)

    @ragauge.retriever
    def echo(query: Any) -> Any:
        return query

    for value in (hostile, stream, circular, inspect, [hostile], (hostile, 1), {"documents": hostile}):
        assert echo(value) is value
    assert list(stream) == ["left", "alone"]
    assert ragauge.flush()
    assert len(memory.retrievals) == 7
    assert all(event.ids == () for event in memory.retrievals)


def test_an_unknown_shape_is_named_once_and_counted(
    memory: MemoryTransport, caplog: pytest.LogCaptureFixture
) -> None:
    @ragauge.retriever
    def odd(query: str) -> Any:
        return object()

    odd("q")
    odd("q")
    assert ragauge.flush()
    assert ragauge.stats()["unknown_shape"] == 2
    lines = [record.message for record in caplog.records if "builtins.object" in record.message]
    assert len(lines) == 1
    assert "extract=" in lines[0]


def test_a_sort_after_the_call_changes_nothing_that_was_logged(memory: MemoryTransport) -> None:
    @ragauge.retriever
    def find(query: str) -> list[Any]:
        return [{"id": "b", "score": 0.9}, {"id": "a", "score": 0.1}]

    result = find("q")
    result.sort(key=lambda hit: hit["id"])
    result[0]["score"] = 7
    names = search("q")
    names.clear()
    assert ragauge.flush()
    by_name = {event.retriever: event for event in memory.retrievals}
    assert (by_name["find"].ids, by_name["find"].scores) == (("b", "a"), (0.9, 0.1))
    assert by_name["search"].ids == ("a", "b")


def test_without_init_it_is_a_silent_pass_through() -> None:
    result, handle = search.logged("q")
    assert (result, handle.id, bool(handle)) == (["a", "b"], "", False)
    assert ragauge.stats() == {}
    ragauge.feedback(handle.id, "a")
    assert ragauge.log(query="q", ids=["a"]).id == ""
    assert ragauge.flush()
