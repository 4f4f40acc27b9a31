"""HTTP(S) to the service: a connection kept alive, bodies compressed, the script's answers relayed."""

import email.utils
import gzip
import http.client
import json
import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from ragauge.errors import ConfigurationError
from ragauge.protocol import DUP, GAP, OK, UNKNOWN
from ragauge.transport.base import TIMEOUT_S, Answer, Refused, TransportError
from ragauge.transport.bodies import json_of

COMPRESS_FROM: Final = 1_024
REFUSALS: Final = frozenset({400, 404, 405, 413, 415, 422})
"""Answers that sending again would not change; without a right key (401, 403) events wait for one."""


class Reply(NamedTuple):
    """What the service answered; ``retry_after`` is seconds."""

    status: int
    body: Mapping[str, Any]
    retry_after: float | None


class HttpTransport:
    """Sends entries to ``POST /v1/events``."""

    def __init__(self, url: str, *, api_key: str | None = None, timeout: float = TIMEOUT_S) -> None:
        parts = urlsplit(url)
        try:
            self._host, self._port = parts.hostname or "", parts.port
        except ValueError as error:
            raise ConfigurationError(f"url {url!r}: {error}; http://host:port wanted") from None
        if not self._host:
            raise ConfigurationError(f"url {url!r}: http://host:port wanted")
        self._secure = parts.scheme == "https"
        self._path = parts.path.rstrip("/")
        self.timeout = timeout
        self._headers = {"Content-Type": "application/json", "User-Agent": "ragauge"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._connection: http.client.HTTPConnection | None = None

    def shards(self) -> int:
        """Ask the service for P."""
        reply = self._request("GET", "/v1/shards", None)
        if reply.status != 200 or not isinstance(reply.body.get("shards"), int):
            raise TransportError(f"GET /v1/shards answered {reply.status}", reply.retry_after)
        return int(reply.body["shards"])

    def encode(self, rows: Sequence[Sequence[Any]]) -> bytes:
        """Return the ``events`` of a body: a JSON array."""
        return json.dumps([json_of(row) for row in rows], separators=(",", ":")).encode()

    def append(self, shard: int, producer: str, seq: int, sent_at: int, body: bytes) -> Answer:
        """Send one entry and return what the append script answered."""
        head = json.dumps({"producer": producer, "shard": shard, "seq": seq, "sent_at": sent_at})
        payload = b'%s,"events":%s}' % (head[:-1].encode(), body)
        reply = self._request("POST", "/v1/events", payload)
        if reply.status == 202:
            rejected = len(reply.body.get("rejected") or ())
            return Answer(DUP if reply.body.get("duplicate") else OK, rejected=rejected)
        if reply.status == 409:
            unknown = bool(reply.body.get("unknown"))
            return Answer(UNKNOWN if unknown else GAP, int(reply.body.get("expected", 1)))
        if reply.status in REFUSALS:
            raise Refused(f"POST /v1/events answered {reply.status}")
        raise TransportError(f"POST /v1/events answered {reply.status}", reply.retry_after)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def forget(self) -> None:
        """Close this process's copy of the connection; without a word, the parent's lives on."""
        self.close()

    def _request(self, method: str, path: str, payload: bytes | None) -> Reply:
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
        return Reply(response.status, _object(text), _seconds(response.getheader("Retry-After")))

    def _connect(self) -> http.client.HTTPConnection:
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(self._host, self._port, timeout=self.timeout, context=context)


def _object(text: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _seconds(text: str | None) -> float | None:
    """Return how long a ``Retry-After`` header asks to wait: seconds, or a date."""
    if not text:
        return None
    try:
        return max(0.1, float(text))
    except ValueError:
        pass
    try:
        return max(0.1, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
