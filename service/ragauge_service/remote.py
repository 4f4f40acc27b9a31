"""How the commands speak to a running service."""

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ragauge.errors import EnvironmentFault, InputError

DEFAULT_URL: Final = "http://127.0.0.1:8321"
TIMEOUT_S: Final = 30.0


class Remote:
    """A service at ``url`` (RAGAUGE_URL, else loopback), asked with the key in RAGAUGE_API_KEY."""

    def __init__(self, url: str | None = None) -> None:
        self.url = (url or os.environ.get("RAGAUGE_URL") or DEFAULT_URL).rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise InputError(f"{self.url}: the http(s):// address of a service wanted")

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON of a GET."""
        return json.loads(self.read("GET", path, **query))

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the JSON of a POST of JSON."""
        return json.loads(self.read("POST", path, json.dumps(body).encode()))

    def read(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        kind: str = "application/json",
        **query: Any,
    ) -> bytes:
        """Return the body of an answer.

        Raises:
            EnvironmentFault: nobody answers, or the service cannot right now.
            InputError: the service does not want this; says what it wanted.
        """
        with self._open(method, path, body, kind, query) as answer:
            return answer.read()

    def lines(self, path: str, **query: Any) -> Iterator[bytes]:
        """Yield the lines of an answer as they come."""
        with self._open("GET", path, None, "", query) as answer:
            yield from answer

    def _open(self, method: str, path: str, body: bytes | None, kind: str, query: Mapping[str, Any]) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        text = f"?{urllib.parse.urlencode(given)}" if given else ""
        request = urllib.request.Request(f"{self.url}{path}{text}", data=body, method=method)  # noqa: S310 - checked
        if body is not None:
            request.add_header("Content-Type", kind)
        if key := os.environ.get("RAGAUGE_API_KEY"):
            request.add_header("Authorization", f"Bearer {key}")
        try:
            return urllib.request.urlopen(request, timeout=TIMEOUT_S)  # noqa: S310 - checked
        except urllib.error.HTTPError as error:
            raise self._refused(error) from None
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise EnvironmentFault(
                f"service at {self.url}: {reason}; start `ragauge serve`, or name it by --url or RAGAUGE_URL"
            ) from None

    def _refused(self, error: urllib.error.HTTPError) -> Exception:
        try:
            detail = str(json.loads(error.read())["detail"])
        except (ValueError, KeyError, TypeError):
            detail = str(error.reason)
        kind = InputError if error.code < 500 and error.code not in {401, 403, 429} else EnvironmentFault
        return kind(f"service at {self.url}: {error.code}: {detail}")
