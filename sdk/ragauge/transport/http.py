"""HTTP(S) to the service: a connection kept alive, bodies compressed, the script's answers relayed."""

import gzip
import http.client
import json
import ssl
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import urlsplit

from ragauge.errors import ConfigurationError
from ragauge.events import Event, JudgmentsEvent, Retrieval
from ragauge.protocol import DUP, GAP, OK, UNKNOWN
from ragauge.transport.base import Answer, TransportError

TIMEOUT_S: Final = 10.0
COMPRESS_FROM: Final = 1_024


class HttpTransport:
    """Sends entries to ``POST /v1/events``."""

    def __init__(self, url: str, *, api_key: str | None = None, timeout: float = TIMEOUT_S) -> None:
        parts = urlsplit(url)
        if not parts.hostname:
            raise ConfigurationError(f"url {url!r}: http://host:port wanted")
        self._secure = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._timeout = timeout
        self._headers = {"Content-Type": "application/json", "User-Agent": "ragauge"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._connection: http.client.HTTPConnection | None = None

    def shards(self) -> int:
        """Ask the service for P."""
        status, body, _ = self._request("GET", "/v1/shards", None)
        if status != 200 or not isinstance(body.get("shards"), int):
            raise TransportError(f"GET /v1/shards answered {status}")
        return int(body["shards"])

    def append(self, shard: int, producer: str, seq: int, sent_at: int, events: Sequence[Event]) -> Answer:
        """Send one entry and return what the append script answered."""
        head = {"producer": producer, "shard": shard, "seq": seq, "sent_at": sent_at}
        payload = json.dumps({**head, "events": [json_of(event) for event in events]}).encode()
        status, body, retry_after = self._request("POST", "/v1/events", payload)
        if status == 202:
            return Answer(DUP if body.get("duplicate") else OK)
        if status == 409:
            return Answer(UNKNOWN if body.get("unknown") else GAP, int(body.get("expected", 1)))
        raise TransportError(f"POST /v1/events answered {status}", retry_after)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _request(
        self, method: str, path: str, payload: bytes | None
    ) -> tuple[int, dict[str, Any], float | None]:
        headers = dict(self._headers)
        if payload is not None and len(payload) >= COMPRESS_FROM:
            payload, headers["Content-Encoding"] = gzip.compress(payload, 1), "gzip"
        try:
            connection = self._connection or self._connect()
            self._connection = connection
            connection.request(method, self._path + path, payload, headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise TransportError(f"{method} {path}: {type(error).__name__}: {error}") from None
        return response.status, _object(text), _seconds(response.getheader("Retry-After"))

    def _connect(self) -> http.client.HTTPConnection:
        if self._secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)


def json_of(event: Event) -> dict[str, Any]:
    """Return an event as the body of ``POST /v1/events`` has it."""
    kind = "retrieval" if isinstance(event, Retrieval) else "signal"
    if isinstance(event, JudgmentsEvent):
        kind = "judgments"
    fields = {name: value for name, value in asdict(event).items() if value is not None}
    return {"type": kind, **fields}


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdigit() else None
