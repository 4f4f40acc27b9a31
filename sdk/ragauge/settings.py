"""What ``init`` can be told: by argument, else by environment, else the default."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, cast

from ragauge.errors import ConfigurationError
from ragauge.events import Event
from ragauge.protocol import DEFAULT_NAMESPACE

CaptureQuery = Literal["text", "hash", "off"]
Otel = Literal["span", "late", "off"]

_NO: Final = frozenset({"0", "false", "no", "off", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the SDK behaves; times are seconds. Each field has a variable: ``RAGAUGE_SAMPLE_RATE``, ..."""

    url: str | None = None
    api_key: str | None = None
    enabled: bool = True
    debug: bool = False
    namespace: str = DEFAULT_NAMESPACE
    category: str | None = None
    sample_rate: float = 1.0
    capture_query: CaptureQuery = "text"
    max_queue: int = 10_000
    flush_interval: float = 1.0
    shutdown_timeout: float = 2.0
    otel: Otel = "off"
    otel_convention: str = "openinference"
    otel_content: bool = False
    before_send: Callable[[Event], Event | None] | None = None

    def __post_init__(self) -> None:
        _check("sample_rate", self.sample_rate, 0 < self.sample_rate <= 1, "a rate in (0, 1]")
        _check("max_queue", self.max_queue, self.max_queue >= 1, "at least 1")
        _check("flush_interval", self.flush_interval, self.flush_interval > 0, "seconds above 0")
        _check("shutdown_timeout", self.shutdown_timeout, self.shutdown_timeout >= 0, "seconds, 0 or more")
        _check_choice("capture_query", self.capture_query, ("text", "hash", "off"))
        _check_choice("otel", self.otel, ("span", "late", "off"))
        _check_choice("otel_convention", self.otel_convention, ("openinference", "gen_ai", "both"))


def settings_from(
    given: Mapping[str, Any], environment: Mapping[str, str] = cast("Any", os.environ)
) -> Settings:
    """Return the settings: what was given and is not None, else the environment's, else the defaults.

    Raises:
        ConfigurationError: a value cannot be used.

    >>> settings_from({"category": "faq"}, {"RAGAUGE_SAMPLE_RATE": "0.5"}).sample_rate
    0.5
    """
    values: dict[str, Any] = {}
    for field in fields(Settings):
        text = environment.get(f"RAGAUGE_{field.name.upper()}")
        if given.get(field.name) is not None:
            values[field.name] = given[field.name]
        elif text is not None and field.name != "before_send":
            values[field.name] = _parsed(field.name, text, field.default)
    return Settings(**values)


def _parsed(name: str, text: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return text.strip().lower() not in _NO
        return type(default)(text) if isinstance(default, int | float) else text
    except ValueError:
        raise ConfigurationError(
            f"RAGAUGE_{name.upper()}={text!r}: a number wanted, such as {default}"
        ) from None


def _check(name: str, value: object, holds: bool, wanted: str) -> None:  # noqa: FBT001 - a condition
    if not holds:
        raise ConfigurationError(f"init: {name}={value!r}: {wanted} wanted")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    _check(name, value, value in choices, "one of " + ", ".join(choices))
