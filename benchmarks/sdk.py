"""What a decorated call costs its caller, beside other SDKs, each in a process of its own.

Every process times its own plain call and prints the median of what the SDK adds, in processor time of the
caller's thread: on a shared machine the clock on the wall measures the neighbours. Peers that are not
installed are left out: ``pip install 'ragauge[bench]'``.
"""

import asyncio
import contextlib
import json
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CALLS, ROUNDS = 400, 75
"""Fewer calls a round than wake the worker: its work is not the caller's, and is timed on its own."""

IDS = [f"doc-{number}" for number in range(10)]
LIMITS = {
    "list[str]": 2.0, "documents with scores": 3.0, "async": 2.5, "sampled out": 0.9, "disabled": 0.15,
}  # fmt: skip


class Document:
    """A document as frameworks have them."""

    def __init__(self, name: str, score: float) -> None:
        self.id = name
        self.score = score


DOCUMENTS = [Document(name, 0.5) for name in IDS]


def ids(query: str) -> list[str]:  # noqa: ARG001
    return IDS


def documents(query: str) -> list[Document]:  # noqa: ARG001
    return DOCUMENTS


async def ids_async(query: str) -> list[str]:  # noqa: ARG001
    return IDS


def timed(call: Callable[..., Any], calls: int = CALLS) -> float:
    """Return microseconds per call."""
    began = time.thread_time()
    for _ in range(calls):
        call("How do I reset my password?")
    return (time.thread_time() - began) / calls * 1e6


async def timed_async(call: Callable[..., Any], calls: int = CALLS) -> float:
    began = time.thread_time()
    for _ in range(calls):
        await call("How do I reset my password?")
    return (time.thread_time() - began) / calls * 1e6


def added(plain: Any, wrapped: Any, settle: Callable[[], Any], calls: int = CALLS) -> float:
    """Return the median of what a wrapped call adds to its own plain call, in microseconds."""
    found: list[float] = []
    for _ in range(ROUNDS):
        bare = timed(plain, calls)
        found.append(timed(wrapped, calls) - bare)
        settle()
    return statistics.median(found)


async def added_async(plain: Any, wrapped: Any, settle: Callable[[], Any]) -> float:
    found: list[float] = []
    for _ in range(ROUNDS):
        bare = await timed_async(plain)
        found.append(await timed_async(wrapped) - bare)
        settle()
    return statistics.median(found)


class Discard:
    """A transport that encodes and takes everything, so that only our own work is timed."""

    timeout = 10.0

    def shards(self) -> int:  # noqa: D102
        return 16

    def encode(self, rows: Any) -> bytes:  # noqa: D102
        from ragauge.wire import pack_rows  # noqa: PLC0415

        return pack_rows(rows)

    def append(self, *_: Any) -> Any:  # noqa: D102
        from ragauge.transport import Answer  # noqa: PLC0415

        return Answer("OK")

    def close(self) -> None: ...  # noqa: D102

    def forget(self) -> None: ...  # noqa: D102


def ours() -> dict[str, float]:
    import ragauge  # noqa: PLC0415

    results = {"disabled": added(ids, ragauge.retriever(ids), lambda: None)}
    ragauge.init(transport=Discard(), max_queue=100_000, flush_interval=3600)

    def settle() -> None:
        ragauge.flush(20)

    results["list[str]"] = added(ids, ragauge.retriever(ids), settle)
    results["documents with scores"] = added(documents, ragauge.retriever(documents), settle)
    results["async"] = asyncio.run(added_async(ids_async, ragauge.retriever(ids_async), settle))
    results["sampled out"] = added(ids, ragauge.retriever(sample_rate=1e-9)(ids), settle)
    ragauge.shutdown()
    return results


def opentelemetry() -> dict[str, float]:
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=100_000))
    tracer = provider.get_tracer("bench")

    def wrapped(query: str) -> list[str]:
        with tracer.start_as_current_span("retrieval") as span:
            span.set_attribute("input.value", query)
            result = ids(query)
            for place, doc in enumerate(result):
                span.set_attribute(f"retrieval.documents.{place}.document.id", doc)
            return result

    def settle() -> None:
        provider.force_flush()
        exporter.clear()

    found = {"list[str]": added(ids, wrapped, settle)}
    provider.shutdown()
    return found


def langfuse() -> dict[str, float]:
    from langfuse import Langfuse, observe  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    exporter = InMemorySpanExporter()
    client = Langfuse(public_key="pk", secret_key="sk", span_exporter=exporter)  # noqa: S106
    return {
        "list[str]": added(ids, observe(as_type="retriever")(ids), lambda: (client.flush(), exporter.clear()))
    }


def openinference() -> dict[str, float]:
    from openinference.instrumentation import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=100_000))
    wrapped = provider.get_tracer("bench").chain(ids)  # type: ignore[attr-defined]

    def settle() -> None:
        provider.force_flush()
        exporter.clear()

    found = {"list[str]": added(ids, wrapped, settle)}
    provider.shutdown()
    return found


def wake_up() -> dict[str, float]:
    """Return the p99 of how much later than asked a caller wakes while 2,000 events are serialised."""
    import ragauge  # noqa: PLC0415

    ragauge.init(transport=Discard(), max_queue=100_000, flush_interval=3600)
    search, late = ragauge.retriever(ids), list[float]()
    for _ in range(20):
        for _ in range(2_000):
            search("How do I reset my password?")
        done = threading.Event()
        threading.Thread(target=lambda done=done: (ragauge.flush(20), done.set())).start()
        while not done.is_set():
            began = time.perf_counter()
            time.sleep(0.001)
            late.append((time.perf_counter() - began - 0.001) * 1e3)
    ragauge.shutdown()
    return {"p99_ms": statistics.quantiles(late, n=100)[98], "samples": len(late)}


def sustained(seconds: float = 5.0, rate: int = 20_000) -> dict[str, float]:
    """Return what was dropped at a steady rate of calls."""
    import ragauge  # noqa: PLC0415

    ragauge.init(transport=Discard())
    search, began, made = ragauge.retriever(ids), time.perf_counter(), 0
    while (elapsed := time.perf_counter() - began) < seconds:
        while made < elapsed * rate:
            search("How do I reset my password?")
            made += 1
        time.sleep(0.0005)
    took = time.perf_counter() - began
    ragauge.flush(20)
    stats = ragauge.stats()
    ragauge.shutdown()
    return {
        "per_second": made / took,
        "dropped": stats.get("dropped_queue_full", 0),
        "shipped": stats["shipped"],
    }


def import_ms() -> dict[str, float]:
    """Return the median of what ``import ragauge`` adds to starting Python."""

    def start(code: str) -> float:
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime) * 1e3

    pairs = [(start("pass"), start("import ragauge")) for _ in range(9)]
    return {"ms": statistics.median(loaded - bare for bare, loaded in pairs)}


PARTS = {
    part.__name__: part
    for part in (ours, opentelemetry, langfuse, openinference, wake_up, sustained, import_ms)
}


def measured(part: str) -> dict[str, float] | None:
    done = subprocess.run(
        [sys.executable, __file__, part], capture_output=True, text=True, check=False, cwd=ROOT
    )
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 and lines else None


def main() -> None:
    results = {part: measured(part) for part in PARTS}
    mine = results["ours"]
    assert mine is not None
    for name, limit in LIMITS.items():
        print(f"ragauge adds {mine[name]:6.2f} us  {name} (at most {limit} us wanted)")
    for peer in ("opentelemetry", "langfuse", "openinference"):
        found = results[peer]
        if found is None:
            print(f"{peer}: not installed here, left out")
        else:
            ratio = found["list[str]"] / mine["list[str]"]
            print(f"{peer} adds {found['list[str]']:8.2f} us: {ratio:.1f} times ragauge's")
    for part in ("wake_up", "sustained", "import_ms"):
        print(part, {name: round(value, 2) for name, value in (results[part] or {}).items()})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        found = PARTS[sys.argv[1]]()
        print(json.dumps(found))
        with contextlib.suppress(Exception):
            sys.stdout.flush()
    else:
        main()
