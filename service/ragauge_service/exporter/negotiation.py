"""Which format and encoding a scraper asked for (RFC 9110, section 12.5)."""

from collections.abc import Iterator
from typing import Final, Literal

Format = Literal["text", "openmetrics"]

CONTENT_TYPES: Final[dict[Format, str]] = {
    "text": "text/plain; version=0.0.4; charset=utf-8",
    "openmetrics": "application/openmetrics-text; version=1.0.0; charset=utf-8",
}
_VERSIONS: Final = {
    "application/openmetrics-text": ("openmetrics", ("", "1.0.0", "0.0.1")),
    "text/plain": ("text", ("", "0.0.4")),
    "text/*": ("text", ("",)),
    "*/*": ("text", ("",)),
}


def format_of(accept: str) -> Format:
    """Return the format with the highest quality that we speak; the plain text when there is none.

    >>> format_of("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2")
    'openmetrics'
    >>> format_of("text/html")
    'text'
    """
    best: tuple[float, Format] = (0.0, "text")
    for kind, parameters in _ranges(accept):
        known, versions = _VERSIONS.get(kind, ("", ()))
        quality = _quality(parameters)
        if parameters.get("version", "") in versions and quality > best[0]:
            best = quality, "openmetrics" if known == "openmetrics" else "text"
    return best[1]


def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether the scraper takes gzip.

    >>> accepts_gzip("gzip"), accepts_gzip("gzip;q=0"), accepts_gzip("br")
    (True, False, False)
    """
    found = {kind: _quality(parameters) for kind, parameters in _ranges(accept_encoding)}
    return found.get("gzip", found.get("*", 0.0)) > 0


def _ranges(header: str) -> Iterator[tuple[str, dict[str, str]]]:
    for part in header.lower().split(","):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        pairs = (parameter.partition("=") for parameter in parameters)
        yield kind, {name.strip(): value.strip() for name, _, value in pairs}


def _quality(parameters: dict[str, str]) -> float:
    try:
        return float(parameters.get("q", "1"))
    except ValueError:
        return 0.0
