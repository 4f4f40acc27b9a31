"""How commands speak to a running service: plain HTTP, with one clear line when it does not answer."""

import json
import os
import urllib.error
import urllib.request
from typing import Any, Final
from urllib.parse import urlsplit

import click

from ragauge.errors import ConfigurationError, EnvironmentFault, InputError, RagaugeError

DEFAULT_URL: Final = "http://127.0.0.1:8321"
TIMEOUT_S: Final = 60.0

url_option: Final = click.option(
    "--url", envvar="RAGAUGE_URL", default=DEFAULT_URL, show_default=True, help="The service (RAGAUGE_URL)."
)
key_option: Final = click.option(
    "--key", envvar="RAGAUGE_API_KEY", help="An API key; better in RAGAUGE_API_KEY than on a command line."
)


def call(
    method: str, url: str, path: str, body: bytes | None = None, *, key: str | None = None, media: str = ""
) -> bytes:
    """Return what the service answers.

    Raises:
        ConfigurationError: the address is not an http one.
        EnvironmentFault: it cannot be reached, or cannot answer now.
        InputError: it refuses the request; says why.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ConfigurationError(f"--url {url!r}: http://host:port wanted")
    request = urllib.request.Request(url.rstrip("/") + path, data=body, method=method)  # noqa: S310 - checked
    if media:
        request.add_header("Content-Type", media)
    if key or os.environ.get("RAGAUGE_API_KEY"):
        request.add_header("Authorization", f"Bearer {key or os.environ['RAGAUGE_API_KEY']}")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - checked
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        raise _refusal(url, error) from None
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise EnvironmentFault(f"{url} does not answer ({reason}): is `ragauge serve` running?") from None


def _refusal(url: str, error: urllib.error.HTTPError) -> RagaugeError:
    detail = f"{error.code} {error.reason}"
    try:
        problem: Any = json.loads(error.read())
        detail = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        pass
    kind = EnvironmentFault if error.code in {429, 503} else InputError
    return kind(f"{url}: {detail}")
