"""``docs/configuration.md`` is what the settings say: run this file to write it again."""

from pathlib import Path
from typing import Any

from ragauge_service.settings import PREFIX, Settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"

HEAD = """# Configuration of the service

Each setting of `ragauge serve` is an environment variable; some are options too (`ragauge serve --help`).
Lists are separated by commas; durations are a number and s, m, h or d. A value that cannot be used ends the
start with one line that names the variable and says what was wanted (exit code 2).

This page is written from `service/ragauge_service/settings.py` by `python tests/docs/test_configuration.py`.

## One instance

| variable | default | what it is |
|---|---|---|
"""

SHAPES = """
## What shapes the state in the store

These are chosen by the first worker of a namespace and kept in the store. A worker that wants others refuses
to start and says which differ. Another depth, cutoff or relevance level starts new tallies.

| variable | default | what it is |
|---|---|---|
"""

DROPS = """
## Drops

| variable | default | what it is |
|---|---|---|
"""

TAIL = """
## Commands that speak to a service

| variable | default | what it is |
|---|---|---|
| `RAGAUGE_URL` | `http://127.0.0.1:8321` | The service that `judgments`, `probe` and `mark` speak to. |
| `RAGAUGE_API_KEY` | none | The key that they send, and that the SDK sends over HTTP. |

The SDK's own settings are arguments of `ragauge.init`.
"""

SHAPING = (
    *("shards", "depth", "cutoffs", "relevance_level", "join_horizon", "rescore_horizon", "windows"),
    *("categories", "retrievers", "variants"),
)
DETECTION = ("false_alarm_days", "learning", "slack", "objectives")


def variable(name: str) -> str:
    """Return the environment variable that a setting is read from."""
    alias = Settings.model_fields[name].validation_alias
    return str(alias) if alias else PREFIX + name.upper()


def shown(value: Any) -> str:
    if value is None:
        return "none"
    return f"`{','.join(map(str, value)) if isinstance(value, tuple) else value}`"


def row(name: str) -> str:
    field = Settings.model_fields[name]
    return f"| `{variable(name)}` | {shown(field.default)} | {field.description} |\n"


def page() -> str:
    """Return the page."""
    own = [name for name in Settings.model_fields if name not in {*SHAPING, *DETECTION}]
    parts = ((HEAD, own), (SHAPES, SHAPING), (DROPS, DETECTION))
    return "".join(head + "".join(map(row, names)) for head, names in parts) + TAIL


def test_the_page_says_what_the_settings_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_setting_is_explained() -> None:
    assert all(field.description for field in Settings.model_fields.values())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
