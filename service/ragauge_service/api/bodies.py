"""Request bodies: bounded before and after decompression, and unpacked when they come as gzip."""

import zlib
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragauge_service.api.problems import Problem

GZIP_WINDOW: Final = 31
"""zlib's word for: gzip, with its header and checksum."""


class Bodies:
    """Reads a request's whole body, at most ``limit`` bytes of it, and hands it on unpacked.

    Answers 413 beyond the limit, 415 for an encoding other than gzip, and 400 for gzip that is broken.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] not in {"POST", "PUT", "PATCH"}:
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(Headers(scope=scope), receive)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        if body is None:
            return
        await self._app(_unpacked(scope, len(body)), _once(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        """Return the body, or None when the client has gone."""
        encoding = headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "gzip", ""}:
            raise Problem(415, f"content encoding {encoding!r}: gzip or none wanted")
        unpack = _Gzip(self._limit) if encoding == "gzip" else None
        parts, size = list[bytes](), 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part: bytes = message.get("body", b"")
            part = unpack.feed(part) if unpack else part
            size += len(part)
            if size > self._limit:
                raise Problem(413, f"body: at most {self._limit} bytes wanted, after decompression")
            parts.append(part)
            if not message.get("more_body", False):
                break
        if unpack:
            unpack.finish()
        return b"".join(parts)


class _Gzip:
    """Unpacks never more than one byte beyond the limit, whatever the packed body claims."""

    def __init__(self, limit: int) -> None:
        self._stream = zlib.decompressobj(GZIP_WINDOW)
        self._left = limit + 1

    def feed(self, packed: bytes) -> bytes:
        if self._left <= 0 or not packed:
            return b""
        try:
            part = self._stream.decompress(packed, self._left)
        except zlib.error as error:
            raise Problem(400, f"body is not gzip: {error}") from None
        self._left -= len(part)
        return part

    def finish(self) -> None:
        if not self._stream.eof and self._left > 0:
            raise Problem(400, "body is gzip that ends too early")


def _unpacked(scope: Scope, size: int) -> Scope:
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if name not in {b"content-encoding", b"content-length", b"transfer-encoding"}
    ]
    return {**scope, "headers": [*headers, (b"content-length", str(size).encode())]}


def _once(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that gives the body first, and then what the server says."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return pending.pop() if pending else await receive()

    return next_message
