"""Rules and routes at another time scale: every duration divided, nothing else changed."""

import re
from pathlib import Path
from typing import Final

UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
DURATION: Final = re.compile(
    r"(?P<before>\[|\boffset |window=\"|: )(?P<number>\d+)(?P<unit>ms|[smhdw])(?P<after>\]|\"|\)|\s|$)",
    re.MULTILINE,
)


def duration(milliseconds: int) -> str:
    """Return a duration in the largest unit up to minutes that has no remainder.

    >>> duration(86_400_000 // 60), duration(500)
    ('24m', '500ms')
    """
    unit = next(unit for unit in ("m", "s", "ms") if milliseconds % UNITS[unit] == 0)
    return f"{milliseconds // UNITS[unit]}{unit}"


def scaled(text: str, factor: int) -> str:
    """Return a rules file or an Alertmanager configuration with its durations divided by ``factor``.

    >>> scaled("rate(x_total[5m]) offset 1d", 60)
    'rate(x_total[5s]) offset 24m'
    """

    def divided(found: re.Match[str]) -> str:
        length = int(found["number"]) * UNITS[found["unit"]] // factor
        return f"{found['before']}{duration(length)}{found['after']}"

    return DURATION.sub(divided, text)


def scaled_files(paths: list[Path], factor: int, into: Path) -> list[Path]:
    """Write scaled copies into a directory and return their paths."""
    into.mkdir(exist_ok=True)
    for path in paths:
        (into / path.name).write_text(scaled(path.read_text(), factor))
    return sorted(into / path.name for path in paths)
