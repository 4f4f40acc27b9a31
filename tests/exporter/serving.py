"""A world behind a real ``GET /metrics``, for a real Prometheus to scrape."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from exporter.world import World


class _Handler(BaseHTTPRequestHandler):
    world: ClassVar[World]

    def do_GET(self) -> None:
        headers = self.headers
        accept, encodings = headers.get("Accept", ""), headers.get("Accept-Encoding", "")
        body, kind, encoding = self.world.exporter.render(accept, encodings)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextmanager
def serving(world: World) -> Generator[str]:
    """Serve a world's metrics for the length of a block; yield the address as host and port."""
    handler = type("Handler", (_Handler,), {"world": world})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
