"""What an application sees of the decorator."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest

import ragauge
from ragauge.events import Retrieval, Signal
from ragauge.testing import MemoryTransport


@pytest.fixture
def transport() -> Iterator[MemoryTransport]:
    """Log into memory."""
    memory = MemoryTransport()
    ragauge.init(transport=memory, flush_interval=0.01)
    yield memory
    ragauge.shutdown()


def test_the_result_is_the_very_same_object(transport: MemoryTransport) -> None:
    answer = ["a", "b"]

    @ragauge.retriever(category="faq")
    def search(query: str) -> list[str]:
        return answer

    assert search("Q") is answer
    assert ragauge.flush()
    event = transport.events[0]
    assert isinstance(event, Retrieval)
    assert (event.ids, event.category, event.retriever, event.query) == (("a", "b"), "faq", "search", "Q")


def test_a_signal_carries_the_id_of_the_handle(transport: MemoryTransport) -> None:
    @ragauge.retriever
    async def search(query: str) -> list[str]:
        return ["a"]

    _, handle = asyncio.run(search.logged("q"))
    ragauge.feedback(handle.id, "a")
    assert ragauge.flush()
    shipped = {type(event): event for event in transport.events}
    signal, retrieval = shipped[Signal], shipped[Retrieval]
    assert isinstance(signal, Signal)
    assert isinstance(retrieval, Retrieval)
    assert signal.retrieval_id == retrieval.id


def test_an_exception_passes_and_is_recorded_as_a_failed_call(transport: MemoryTransport) -> None:
    error = ValueError("no index")

    @ragauge.retriever
    def search(query: str) -> list[str]:
        raise error

    with pytest.raises(ValueError, match="no index") as caught:
        search("q")
    assert caught.value is error
    assert ragauge.flush()
    event = transport.events[0]
    assert isinstance(event, Retrieval)
    assert (event.outcome, event.error_type) == ("error", "ValueError")


def test_an_unreachable_service_neither_raises_nor_blocks() -> None:
    ragauge.init("http://127.0.0.1:9", flush_interval=0.01, shutdown_timeout=0.1)

    @ragauge.retriever
    def search(query: str) -> list[str]:
        return ["a"]

    assert search("q") == ["a"]
    assert not ragauge.flush(0.1)
    assert ragauge.stats()["queued"] == 1
    ragauge.shutdown()


def test_importing_ragauge_stays_light() -> None:
    """An application pays for what it uses."""
    heavy = ("redis", "numpy", "pydantic", "opentelemetry", "polars", "click", "rich")
    code = f"import ragauge, sys; sys.exit(' '.join(m for m in {heavy!r} if m in sys.modules) or 0)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
