"""One contract for memory, Redis (plain, TLS, cluster) and HTTP, against real servers."""

import gzip
import json
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import ragauge
from harness.process import free_port
from harness.service import running_service
from proxy import Proxy
from ragauge import protocol
from ragauge.errors import ConfigurationError
from ragauge.events import JudgmentsEvent, Retrieval, Signal, id_key
from ragauge.protocol import DUP, GAP, OK, UNKNOWN
from ragauge.testing import MemoryTransport
from ragauge.transport import Transport, TransportError, transport_for
from ragauge.wire import row_of, unpack
from servers import Cluster, Server, program_of

ID = "0000" + 28 * "1"
ROWS = [
    row_of(Retrieval(id=ID, key=id_key("q"), ids=("a", "b"), total=2, scores=(1.0, 0.5), at=1, parent=ID)),
    row_of(Signal(retrieval_id=ID, doc_id="a", at=2)),
]


@contextmanager
def memory_transport(_: Path) -> Generator[Transport]:
    yield MemoryTransport()


@contextmanager
def redis_transport(directory: Path) -> Generator[Transport]:
    with Server(directory) as server:
        server.call("HSET", protocol.config_key("default"), "shards", 16)
        yield transport_for(server.url, namespace="default")


@contextmanager
def unix_transport(directory: Path) -> Generator[Transport]:
    with Server(directory, options=["--unixsocket", "s"]) as server:
        server.call("HSET", protocol.config_key("default"), "shards", 16)
        yield transport_for(f"unix://{directory}/s", namespace="default")


@contextmanager
def tls_transport(directory: Path) -> Generator[Transport]:
    program = program_of("redis7")  # the wheel's server is built without TLS, Debian's with
    if program is None:
        pytest.skip("no redis-server with TLS")
    key, certificate = directory / "key.pem", directory / "cert.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    port = free_port()
    options = ["--tls-port", port, "--tls-cert-file", certificate, "--tls-key-file", key]
    options += ["--tls-ca-cert-file", certificate, "--tls-auth-clients", "no"]
    with Server(directory / "store", program=program, options=list(map(str, options))) as server:
        server.call("HSET", protocol.config_key("default"), "shards", 16)
        yield transport_for(f"rediss://127.0.0.1:{port}?ssl_ca_certs={certificate}", namespace="default")


@contextmanager
def cluster_transport(directory: Path) -> Generator[Transport]:
    with Cluster(directory) as cluster:
        node = cluster.master_of(protocol.config_key("default"))
        node.call("HSET", protocol.config_key("default"), "shards", 16)
        yield transport_for(cluster.url, namespace="default")


@contextmanager
def http_transport(directory: Path) -> Generator[Transport]:
    with running_service(directory) as service:
        yield transport_for(service.url, namespace="default")


KINDS: dict[str, Callable[[Path], Any]] = {
    "memory": memory_transport,
    "redis": redis_transport,
    "unix": unix_transport,
    "tls": tls_transport,
    "cluster": cluster_transport,
    "http": http_transport,
}


@pytest.fixture(scope="module", params=KINDS)
def transport(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Transport]:
    """Every transport, with what it needs running."""
    opened = KINDS[request.param]
    with opened(tmp_path_factory.mktemp(request.param)) as transport:
        yield transport
        transport.close()


@pytest.mark.server
def test_entries_are_taken_in_order_once_each(transport: Transport) -> None:
    """What the producer protocol promises, wherever the entries go."""
    assert transport.shards() == 16
    body = transport.encode(ROWS)

    def append(producer: str, seq: int) -> tuple[str, int]:
        answer = transport.append(0, producer, seq, 1_800_000_000_000, body)
        assert answer.rejected == 0
        return answer.status, answer.expected

    assert append("p1", 2) == (UNKNOWN, 1) or append("p1", 2)[0] == UNKNOWN
    assert append("p1", 1)[0] == OK
    assert append("p1", 1)[0] == DUP
    assert append("p1", 3) == (GAP, 2)
    assert append("p1", 2)[0] == OK
    transport.close()
    assert append("p1", 3)[0] == OK
    transport.forget()
    assert append("p1", 4)[0] == OK


def test_a_service_that_has_not_started_is_waited_for(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        ragauge.init(server.url, flush_interval=0.01, shutdown_timeout=0.1)
        ragauge.log(query="q", ids=["a"])
        assert not ragauge.flush(0.3)
        server.call("HSET", protocol.config_key("default"), "shards", 4)
        assert ragauge.flush(10)
        ragauge.shutdown()


@pytest.mark.server
def test_an_outage_loses_nothing_twice(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A proxy cuts requests and answers; the server goes away and comes back with its data."""
    with Server(tmp_path, options=["--appendonly", "yes", "--appendfsync", "always"]) as server:
        server.call("HSET", protocol.config_key("default"), "shards", 4)
        with Proxy(server.port, seed=3) as proxy:
            proxy.cut = 0.2
            ragauge.init(proxy.url, flush_interval=0.01)
            for number in range(400):
                ragauge.log(query=f"q{number}", ids=["a"])
                if number % 40 == 0:
                    ragauge.flush(0.05)
            server.kill()
            ragauge.log(query="while away", ids=["a"])
            assert not ragauge.flush(0.2)
            server.start()
            proxy.cut = 0.0
            assert ragauge.flush(20)
            stats = ragauge.stats()
            ragauge.shutdown()
            streams: list[Any] = [
                server.call("XRANGE", protocol.stream_key("default", shard), "-", "+") for shard in range(4)
            ]
    entries = [fields for stream in streams for _, fields in stream]
    queries = [row[18] for entry in entries for row in unpack(entry[b"b"])]
    assert sorted(queries) == sorted([*(f"q{number}" for number in range(400)), "while away"])
    assert (stats["shipped"], stats["queued"], stats.get("uncertain", 0)) == (401, 0, 0)
    assert len([record for record in caplog.records if "events wait" in record.message]) == 1


def test_while_the_server_is_down_memory_is_flat_and_drops_are_counted() -> None:
    ragauge.init("redis://127.0.0.1:9", flush_interval=0.01, shutdown_timeout=0.0, max_queue=100)
    for number in range(1000):
        ragauge.log(query=f"q{number}", ids=["a"])
    stats = ragauge.stats()
    assert stats["queued"] <= 100
    assert stats["queued"] + stats["dropped_queue_full"] == 1000
    ragauge.shutdown()


class Answers(BaseHTTPRequestHandler):
    """Answers what the test has laid out, and keeps what was asked."""

    protocol_version = "HTTP/1.1"
    laid_out: list[tuple[int, dict[str, str], dict[str, Any]]]
    asked: list[tuple[dict[str, str], bytes, int]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((dict(self.headers), body, self.client_address[1]))
        self._answer(*self.laid_out.pop(0))

    def do_GET(self) -> None:
        self._answer(200, {}, {"shards": 1})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""

    def _answer(self, status: int, headers: dict[str, str], body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)


@pytest.fixture
def answers() -> Iterator[tuple[str, type[Answers]]]:
    """Serve laid out answers."""
    kind = type("Kind", (Answers,), {"laid_out": [], "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", kind
    server.shutdown()
    server.server_close()


def test_http_keeps_its_connection_compresses_and_says_its_key(answers: tuple[str, type[Answers]]) -> None:
    url, kind = answers
    kind.laid_out += [(202, {}, {"accepted": 60}), (202, {}, {"accepted": 60, "rejected": [{"index": 1}]})]
    transport = transport_for(url, namespace="default", api_key="secret")
    body = transport.encode(ROWS * 30)
    assert transport.append(0, "p", 1, 5, body).status == OK
    assert transport.append(0, "p", 2, 5, body).rejected == 1
    transport.close()
    (headers, sent, port), (_, _, again) = kind.asked
    assert (headers["Authorization"], headers["Content-Encoding"], port) == ("Bearer secret", "gzip", again)
    read = json.loads(gzip.decompress(sent))
    assert {name: read[name] for name in ("producer", "shard", "seq", "sent_at")} == {
        "producer": "p", "shard": 0, "seq": 1, "sent_at": 5,
    }  # fmt: skip
    assert read["events"][0]["id"] == read["events"][0]["parent"] == ID
    assert read["events"][0]["outcome"] == "ok"
    assert read["events"][1] == {
        "type": "signal",
        "retrieval_id": ID,
        "doc_id": "a",
        "kind": "click",
        "at": 2,
    }


def test_http_waits_as_long_as_it_is_told(answers: tuple[str, type[Answers]]) -> None:
    url, kind = answers
    day = "Wed, 21 Oct 2065 07:28:00 GMT"
    kind.laid_out += [(429, {"Retry-After": "7"}, {}), (503, {"Retry-After": day}, {})]
    transport = transport_for(url, namespace="default")
    with pytest.raises(TransportError) as first:
        transport.append(0, "p", 1, 5, b"[]")
    assert first.value.retry_after == 7
    with pytest.raises(TransportError) as second:
        transport.append(0, "p", 1, 5, b"[]")
    assert (second.value.retry_after or 0) > 10**6
    transport.close()


def test_what_the_service_refuses_is_dropped_and_the_rest_goes_on(answers: tuple[str, type[Answers]]) -> None:
    url, kind = answers
    kind.laid_out += [(422, {}, {}), (202, {}, {"accepted": 1})]
    ragauge.init(url, flush_interval=60.0)
    ragauge.log(query="poison", ids=["a"])
    assert ragauge.flush(10)
    ragauge.log(query="fine", ids=["a"])
    assert ragauge.flush(10)
    stats = ragauge.stats()
    ragauge.shutdown()
    assert (stats["dropped_refused"], stats["shipped"]) == (1, 1)
    assert [json.loads(body)["seq"] for _, body, _ in kind.asked] == [1, 1]


@pytest.mark.parametrize("url", ["ftp://host", "http://", "http://host:port", "redis+cluster://host:port"])
def test_an_address_that_cannot_be_used_is_said_at_once(url: str) -> None:
    with pytest.raises(ConfigurationError):
        ragauge.init(url)


def test_judgments_travel_by_http_under_their_own_names() -> None:
    transport = transport_for("http://127.0.0.1:9", namespace="default")
    (body,) = json.loads(transport.encode([row_of(JudgmentsEvent(key="i:q", grades={"a": 1}))]))
    assert (body["type"], body["relevant"], body["mode"]) == ("judgments", {"a": 1}, "replace")


def test_nothing_is_looked_up_or_connected_by_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS, TLS and connections belong to the worker."""
    import socket  # noqa: PLC0415

    here, asked = threading.get_ident(), list[bool]()
    real = socket.getaddrinfo

    def watched(*args: Any, **options: Any) -> Any:
        asked.append(threading.get_ident() == here)
        return real(*args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    for url in ("redis://localhost:9", "http://localhost:9", "rediss://localhost:9"):
        ragauge.init(url, flush_interval=0.01, shutdown_timeout=0.1)
        ragauge.log(query="q", ids=["a"])
        ragauge.flush(0.3)
        ragauge.shutdown()
    assert asked
    assert not any(asked)
