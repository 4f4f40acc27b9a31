"""Frameworks and OpenTelemetry, by their own means, with the packages themselves."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from haystack import Document as HaystackDocument
from haystack import Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tracing.tracer import disable_tracing
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from llama_index.core.retrievers import BaseRetriever as LlamaRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import ragauge
from ragauge.integrations import haystack as for_haystack
from ragauge.integrations import langchain as for_langchain
from ragauge.integrations import llama_index as for_llama_index
from ragauge.integrations.opentelemetry import RetrievalProcessor
from ragauge.integrations.web import AsgiCapture, WsgiCapture
from ragauge.settings import Settings
from ragauge.spans import Spans
from ragauge.state import state
from ragauge.testing import MemoryTransport, recorded


@ragauge.retriever
def search(query: str) -> list[str]:
    return ["a"]


class Fixed(BaseRetriever):
    """Returns what it was made with."""

    name_of_ids: list[str]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:  # noqa: ARG002
        if query == "fail":
            raise TimeoutError
        return [Document(page_content="x", id=name) for name in self.name_of_ids]


class Ensemble(BaseRetriever):
    """Asks others, as LangChain's EnsembleRetriever does: with its own run as their parent."""

    retrievers: list[BaseRetriever]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        config: Any = {"callbacks": run_manager.get_child()}
        return [doc for one in self.retrievers for doc in one.invoke(query, config)]


def test_langchain_retrievers_are_seen_once_under_an_ensemble(memory: MemoryTransport) -> None:
    for_langchain.watch()
    for_langchain.watch()
    ensemble = Ensemble(retrievers=[Fixed(name_of_ids=["a"]), Fixed(name_of_ids=["b"])])
    ensemble.invoke("q")
    Fixed(name_of_ids=["c"]).invoke("alone")
    with pytest.raises(TimeoutError):
        Fixed(name_of_ids=[]).invoke("fail")
    assert ragauge.flush()
    seen = {event.query: (event.retriever, event.ids, event.outcome) for event in memory.retrievals}
    assert len(memory.retrievals) == 3
    assert seen["q"] == ("Ensemble", ("a", "b"), "ok")
    assert seen["alone"] == ("Fixed", ("c",), "ok")
    assert seen["fail"][2] == "timeout"


class Nodes(LlamaRetriever):
    def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:  # noqa: ARG002
        return [NodeWithScore(node=TextNode(text="x", id_="n1"), score=0.5)]


def test_llama_index_retrievers_are_seen(memory: MemoryTransport) -> None:
    handler = for_llama_index.watch()
    assert for_llama_index.watch() is handler
    handler.category = "docs"
    Nodes().retrieve("q")
    assert ragauge.flush()
    (event,) = memory.retrievals
    assert (event.query, event.ids, event.scores, event.category) == ("q", ("n1",), (0.5,), "docs")


def test_haystack_retrievers_of_a_pipeline_are_seen(memory: MemoryTransport) -> None:
    store = InMemoryDocumentStore()
    store.write_documents(
        [HaystackDocument(id="a", content="red apple"), HaystackDocument(id="b", content="sea")]
    )
    pipeline = Pipeline()
    pipeline.add_component("bm25", InMemoryBM25Retriever(store, top_k=1))
    for_haystack.watch()
    try:
        pipeline.run({"bm25": {"query": "apple"}})
    finally:
        disable_tracing()
    assert ragauge.flush()
    (event,) = memory.retrievals
    assert (event.retriever, event.query, event.ids) == ("bm25", "apple", ("a",))


@pytest.fixture
def exporter() -> Iterator[tuple[TracerProvider, InMemorySpanExporter]]:
    """Export spans into memory."""
    provider, spans = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    yield provider, spans
    provider.shutdown()


def test_spans_of_other_instrumentations_become_retrievals(memory: MemoryTransport) -> None:
    provider = TracerProvider()
    provider.add_span_processor(RetrievalProcessor(category="seen"))
    tracer = provider.get_tracer("other")
    with tracer.start_as_current_span("faiss") as span:
        span.set_attributes({"openinference.span.kind": "RETRIEVER", "input.value": "one"})
        for place, doc in enumerate(["a", "b"]):
            span.set_attribute(f"retrieval.documents.{place}.document.id", doc)
            span.set_attribute(f"retrieval.documents.{place}.document.score", 0.5)
    with tracer.start_as_current_span("retrieval docs") as span:
        span.set_attributes({"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "docs"})
        span.set_attributes({"gen_ai.retrieval.query.text": "two", "gen_ai.retrieval.top_k": 3})
        span.set_attribute("gen_ai.retrieval.documents", '[{"id": "c", "score": 0.25}]')
    with pytest.raises(ValueError, match="x"), tracer.start_as_current_span("bad") as span:  # noqa: PT012
        span.set_attribute("openinference.span.kind", "RETRIEVER")
        raise ValueError("x")
    with tracer.start_as_current_span("other"):
        pass
    assert ragauge.flush()
    seen = {event.retriever: event for event in memory.retrievals}
    assert len(seen) == 3
    assert (seen["faiss"].ids, seen["faiss"].scores, seen["faiss"].query) == (("a", "b"), (0.5, 0.5), "one")
    assert (seen["docs"].ids, seen["docs"].params, seen["docs"].query) == (("c",), {"k": 3}, "two")
    assert (seen["bad"].outcome, seen["bad"].error_type) == ("error", "ValueError")
    assert seen["faiss"].trace_id is not None


@pytest.mark.parametrize("mode", ["span", "late"])
def test_a_retrieval_emits_a_span_in_both_conventions(
    mode: Any, exporter: tuple[TracerProvider, InMemorySpanExporter]
) -> None:
    provider, spans = exporter
    with recorded(otel=mode) as memory:
        settings = Settings(otel=mode, otel_convention="both", otel_content=True)
        assert state.client is not None
        state.client.spans = Spans(settings, provider.get_tracer("ragauge"))

        @ragauge.retriever(name="docs", k="limit")
        def search(query: str, limit: int = 5) -> list[tuple[str, float]]:
            if query == "fail":
                raise TimeoutError
            return [("a", 0.5)]

        with provider.get_tracer("app").start_as_current_span("request") as request:
            search("q")
            outer = request.get_span_context()
        with pytest.raises(TimeoutError):
            search("fail")
        assert ragauge.flush()
    made = {
        span.attributes.get("input.value"): span for span in spans.get_finished_spans() if span.attributes
    }
    span = made["q"]
    assert span.attributes is not None
    assert span.attributes["openinference.span.kind"] == "RETRIEVER"
    assert span.attributes["retrieval.documents.0.document.id"] == "a"
    assert span.attributes["retrieval.documents.0.document.score"] == 0.5
    assert span.attributes["gen_ai.operation.name"] == "retrieval"
    assert span.attributes["gen_ai.data_source.id"] == "docs"
    assert span.attributes["gen_ai.retrieval.top_k"] == 5
    assert span.attributes["gen_ai.retrieval.query.text"] == "q"
    assert span.attributes["gen_ai.retrieval.documents"] == '[{"id": "a", "score": 0.5}]'
    assert span.parent is not None
    assert span.parent.span_id == outer.span_id
    failed = made["fail"].attributes
    assert failed is not None
    assert failed["error.type"] == "TimeoutError"
    event = next(event for event in memory.retrievals if event.query == "q")
    context = span.get_span_context()
    assert context is not None
    assert event.span_id == format(context.span_id, "016x")
    assert event.trace_id == format(outer.trace_id, "032x")


def test_a_real_otlp_exporter_carries_the_spans() -> None:
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"http://127.0.0.1:{server.server_port}/v1/traces")
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    try:
        with recorded(otel="late"):
            assert state.client is not None
            state.client.spans = Spans(Settings(otel="late"), provider.get_tracer("ragauge"))
            search("q")
            assert ragauge.flush()
    finally:
        provider.shutdown()
        server.shutdown()
        server.server_close()
    assert any(b"openinference.span.kind" in body for body in bodies)


def test_the_applications_trace_is_noted_without_spans_of_ours(memory: MemoryTransport) -> None:
    provider = TracerProvider()
    with provider.get_tracer("app").start_as_current_span("request") as span:
        search("q")
    assert ragauge.flush()
    assert memory.retrievals[0].trace_id == format(span.get_span_context().trace_id, "032x")
    assert trace.get_current_span().get_span_context().is_valid is False


def test_asgi_middleware_sets_the_header_of_each_request(memory: MemoryTransport) -> None:
    app = FastAPI()

    @app.get("/{query}")
    async def page(query: str) -> list[str]:
        return search(query)

    with TestClient(AsgiCapture(app, header="X-Retrieval-Id")) as client:
        ids = {query: client.get(f"/{query}").headers["X-Retrieval-Id"] for query in ("one", "two")}
    assert ragauge.flush()
    assert {event.query: event.id for event in memory.retrievals} == ids


def test_wsgi_middleware_sets_the_header(memory: MemoryTransport) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        search("q")
        start_response("200 OK", [])
        return [environ["ragauge"].last.id.encode()]

    headers: list[tuple[str, str]] = []
    body = WsgiCapture(app, header="X-Retrieval-Id")({}, lambda _, given: headers.extend(given))
    assert headers == [("X-Retrieval-Id", b"".join(body).decode())]
