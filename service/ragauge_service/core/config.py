"""What shapes the state in the store: chosen once per namespace, the same for every worker."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from ragauge.errors import ConfigurationError
from ragauge_service.core.tally import Layout

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 3_600_000

_UNITS_MS: Final = {"s": 1_000, "m": MINUTE_MS, "h": HOUR_MS, "d": 24 * HOUR_MS}


def duration_ms(text: str) -> int:
    """Return the milliseconds that a duration such as ``30s``, ``15m``, ``24h`` or ``7d`` stands for.

    Raises:
        ConfigurationError: not a whole positive number followed by s, m, h or d.

    >>> duration_ms("1h")
    3600000
    """
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit()) or unit not in _UNITS_MS or int(number) == 0:
        raise ConfigurationError(f"duration {text!r}: a number and s, m, h or d wanted, such as '24h'")
    return int(number) * _UNITS_MS[unit]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig:
    """The settings that every worker of a namespace must share, since they shape what is stored.

    ``depth`` is K of the rank histogram; ``categories``, ``retrievers`` and ``variants`` are how many
    names are told apart before the rest is counted as ``__other__``. ``no_relevant`` says what becomes of
    queries whose judgments hold no relevant document: they score ``zero``, or are left out (``skip``).

    Raises:
        ConfigurationError: a value that cannot be used.
    """

    shards: int = 16
    depth: int = 10
    cutoffs: tuple[int, ...] = (1, 3, 5, 10)
    relevance_level: int = 1
    join_horizon_ms: int = 10 * MINUTE_MS
    rescore_horizon_ms: int = HOUR_MS
    windows: tuple[str, ...] = ("1h", "24h", "7d")
    no_relevant: str = "zero"
    categories: int = 200
    retrievers: int = 50
    variants: int = 50

    def __post_init__(self) -> None:
        for name in ("shards", "depth", "relevance_level", "join_horizon_ms", "categories", "retrievers"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not self.cutoffs or any(not 1 <= k <= self.depth for k in self.cutoffs):
            raise ConfigurationError(f"cutoffs must lie in 1..{self.depth}, the depth, not {self.cutoffs}")
        if self.no_relevant not in {"zero", "skip"}:
            raise ConfigurationError(f"no_relevant must be 'zero' or 'skip', not {self.no_relevant!r}")
        if not self.windows:
            raise ConfigurationError("windows: at least one wanted, such as '1h'")
        for window in self.windows:
            duration_ms(window)

    @property
    def layout(self) -> Layout:
        """Return the layout of the tallies that this configuration leads to."""
        return Layout(depth=self.depth, cutoffs=self.cutoffs)

    def to_json(self) -> str:
        """Return the configuration as the store keeps it."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> "EngineConfig":
        """Return what ``to_json`` wrote; fields of a newer release are ignored, missing ones are defaults.

        >>> EngineConfig.from_json(EngineConfig(depth=20).to_json()).depth
        20
        """
        raw: Mapping[str, Any] = json.loads(text)
        known = {field.name for field in fields(cls)}
        values: dict[str, Any] = {name: value for name, value in raw.items() if name in known}
        for name in {"cutoffs", "windows"} & values.keys():
            values[name] = tuple(values[name])
        return cls(**values)

    def differences(self, other: "EngineConfig") -> list[str]:
        """Return the names of the settings in which ``other`` differs.

        >>> EngineConfig().differences(EngineConfig(depth=20))
        ['depth']
        """
        names = (field.name for field in fields(self))
        return [name for name in names if getattr(self, name) != getattr(other, name)]
