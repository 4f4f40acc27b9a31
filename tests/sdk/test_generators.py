"""Generators are lazy, relay send, throw and close, and are logged once, when they end."""

import asyncio
import gc
import logging
from collections.abc import AsyncGenerator, Generator

import pytest

import ragauge
from ragauge.testing import MemoryTransport


@ragauge.retriever
def stream(query: str) -> Generator[str, str, int]:
    sent = yield "a"
    try:
        yield sent or "b"
    except KeyError:
        yield "caught"
    return 7


@ragauge.retriever
async def stream_async(query: str) -> AsyncGenerator[str, str]:
    sent = yield "a"
    try:
        yield sent or "b"
    except KeyError:
        yield "caught"


def logged(memory: MemoryTransport) -> list[tuple[str, tuple[str, ...]]]:
    assert ragauge.flush()
    return [(event.outcome, event.ids) for event in memory.retrievals]


def test_it_is_lazy_and_logged_when_exhausted(memory: MemoryTransport) -> None:
    source = stream("q")
    assert next(source) == "a"
    assert logged(memory) == []
    assert list(source) == ["b"]
    assert logged(memory) == [("ok", ("a", "b"))]


def test_send_throw_and_the_returned_value_are_relayed(memory: MemoryTransport) -> None:
    source = stream("q")
    assert [next(source), source.send("sent"), source.throw(KeyError())] == ["a", "sent", "caught"]
    with pytest.raises(StopIteration) as end:
        next(source)
    assert end.value.value == 7
    assert logged(memory) == [("ok", ("a", "sent", "caught"))]


def test_an_early_close_is_an_answered_call(memory: MemoryTransport) -> None:
    source = stream("q")
    next(source)
    source.close()
    assert logged(memory) == [("ok", ("a",))]


def test_an_error_is_a_failed_call(memory: MemoryTransport) -> None:
    source = stream("q")
    next(source)
    with pytest.raises(ZeroDivisionError):
        source.throw(ZeroDivisionError())
    assert logged(memory) == [("error", ())]


async def test_async_generators_relay_the_same(memory: MemoryTransport) -> None:
    source = stream_async("q")
    found = [await anext(source), await source.asend("sent"), await source.athrow(KeyError())]
    assert found == ["a", "sent", "caught"]
    with pytest.raises(StopAsyncIteration):
        await anext(source)
    assert logged(memory) == [("ok", ("a", "sent", "caught"))]


async def test_closed_from_another_task_or_dropped_it_complains_of_nothing(
    memory: MemoryTransport, caplog: pytest.LogCaptureFixture
) -> None:
    """A context variable that is reset in another context than it was set in would raise here."""
    source = stream_async("q")
    await anext(source)
    await asyncio.create_task(source.aclose())
    dropped = stream_async("q")
    await anext(dropped)
    del dropped
    gc.collect()
    await asyncio.sleep(0.01)
    assert logged(memory) == [("ok", ("a",))] * 2
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
