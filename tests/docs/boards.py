"""The committed dashboards, as the tests read them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "grafana" / "dashboards").glob("*.json"))
NAMES = [path.stem for path in FILES]


class Query(NamedTuple):
    """One query of one panel."""

    board: str
    panel: str
    expression: str
    instant: bool


def load(path: Path) -> dict[str, Any]:
    """Return a dashboard's JSON."""
    return json.loads(path.read_text(encoding="utf-8"))


def panels(board: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the panels that show something, those of rows included."""
    found: list[dict[str, Any]] = []
    for panel in board["panels"]:
        found += panel.get("panels") or []
        if panel["type"] != "row":
            found.append(panel)
    return found


def queries(path: Path) -> Iterator[Query]:
    """Yield every query of a dashboard."""
    for panel in panels(load(path)):
        for target in panel["targets"]:
            yield Query(path.stem, panel["title"], target["expr"], bool(target.get("instant")))


def filled(expression: str, values: dict[str, str]) -> str:
    """Return an expression with the dashboard's variables replaced."""
    return re.sub(r"\$\{?(\w+)\}?", lambda found: values[found[1]], expression)
