"""Plain HTTP against the servers under test."""

import json
import urllib.error
import urllib.request
from typing import Any


def request(
    method: str, url: str, body: object = None, *, headers: dict[str, str] | None = None
) -> tuple[int, str]:
    """Return status and text of a request; a body that is not bytes goes as JSON."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    call = urllib.request.Request(url, data=data, method=method)  # noqa: S310 - loopback only
    if data is not None:
        call.add_header("Content-Type", "application/json")
    for name, value in (headers or {}).items():
        call.add_header(name, value)
    try:
        with urllib.request.urlopen(call, timeout=20) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def get_json(url: str) -> Any:
    """Return the JSON of a GET, which must answer 200."""
    status, text = request("GET", url)
    assert status == 200, f"{url}: {status} {text}"
    return json.loads(text)
