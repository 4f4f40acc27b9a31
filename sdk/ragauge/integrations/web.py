"""ASGI and WSGI middleware: what one request retrieved, and its id in a response header.

Handlers find it in ``scope["ragauge"]`` or ``environ["ragauge"]``, and by ``ragauge.capture`` as ever.
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from ragauge.capture import Captured, capture

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApplication = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class AsgiCapture:
    """Collects each request's retrievals; ``header`` names the response header for the last one's id."""

    def __init__(self, app: AsgiApplication, header: str | None = None) -> None:
        self._app = app
        self._header = header

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        with capture() as captured:
            scope["ragauge"] = captured
            await self._app(scope, receive, self._sending(captured, send))

    def _sending(self, captured: Captured, send: Send) -> Send:
        header = self._header
        if header is None:
            return send

        async def with_header(message: Message) -> None:
            if message["type"] == "http.response.start" and captured.last.id:
                pair = (header.lower().encode(), captured.last.id.encode())
                message["headers"] = [*message.get("headers", ()), pair]
            await send(message)

        return with_header


class WsgiCapture:
    """Collects each request's retrievals; ``header`` names the response header for the last one's id."""

    def __init__(self, app: WsgiApplication, header: str | None = None) -> None:
        self._app = app
        self._header = header

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        with capture() as captured:
            environ["ragauge"] = captured

            def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
                if self._header is not None and captured.last.id:
                    headers = [*headers, (self._header, captured.last.id)]
                return start_response(status, headers, *rest)

            return self._app(environ, start)
