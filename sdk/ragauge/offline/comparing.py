"""A comparison drawn as text, Markdown or HTML."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ragauge.offline.report import Rows, html_table, markdown_table, text_table

if TYPE_CHECKING:  # a comparison draws itself by this module
    from ragauge.offline.comparison import Comparison, Difference

HEADER = ["measure", "A", "B", "B-A", "relative", "95 % interval", "p", "+/-/="]
GROUP_HEADER = ["measure", "B-A", "95 % interval", "p", "+/-/="]


def rows(measures: Mapping[str, Difference]) -> Rows:
    """Return one row a measure; a star marks p below 0.05."""
    return [[name, *cells(found)] for name, found in measures.items()]


def cells(found: Difference) -> list[str]:
    """Return a difference as the cells after its name."""
    bounds = "-" if found.lower is None else f"{found.lower:+.4f} {found.upper:+.4f}"
    return [
        f"{found.a:.4f}",
        f"{found.b:.4f}",
        f"{found.difference:+.4f}",
        "-" if found.relative is None else f"{100 * found.relative:+.1f} %",
        bounds,
        f"{found.p:.4f}{'*' if found.significant else ''}",
        f"{found.wins}/{found.losses}/{found.ties}",
    ]


def group_rows(comparison: Comparison) -> Rows:
    """Return the groups by the measures' deepest cutoffs: one of each family."""
    deepest = {str(measure).partition("@")[0]: str(measure) for measure in comparison.a.measures}
    names = list(deepest.values())[:3]
    return [
        [group, name, *(cells(measures[name])[at] for at in (2, 4, 5, 6))]
        for group, measures in comparison.by.items()
        for name in names
    ]


def notes(comparison: Comparison) -> Iterable[str]:
    """Yield what is compared, the groups that lost, and the queries that moved most."""
    yield f"A = {comparison.a.source}, B = {comparison.b.source}, {len(comparison.a.scored)} queries"
    for group, measures in comparison.by.items():
        lost = [name for name, found in measures.items() if found.significant and found.difference < 0]
        if lost:
            yield f"{group} lost: {', '.join(lost)}"
    names = list(comparison.moves)
    name = next((known for known in reversed(names) if known.startswith("nDCG")), names[-1])
    for move in comparison.moves[name]:
        yield f"{name} of {move.query}: {move.a:.4f} -> {move.b:.4f}"


def terminal(comparison: Comparison) -> RenderableType:
    """Return a comparison as rich draws it."""
    parts: list[RenderableType] = [text_table(HEADER, rows(comparison.measures))]
    if comparison.by:
        parts.append(text_table([comparison.grouped_by, *GROUP_HEADER], group_rows(comparison)))
    return Group(*parts, *(Text(line) for line in notes(comparison)))


def plain(comparison: Comparison, *, width: int = 120) -> str:
    """Return a comparison as plain text."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        console.print(terminal(comparison))
    return captured.get().rstrip()


def markdown(comparison: Comparison) -> str:
    """Return a comparison as Markdown."""
    parts = [markdown_table(HEADER, rows(comparison.measures))]
    if comparison.by:
        parts.append(markdown_table([comparison.grouped_by, *GROUP_HEADER], group_rows(comparison)))
    return "\n\n".join([*parts, *notes(comparison)])


def html(comparison: Comparison) -> str:
    """Return a comparison as HTML."""
    tables = html_table(HEADER, rows(comparison.measures))
    if comparison.by:
        tables += html_table([comparison.grouped_by, *GROUP_HEADER], group_rows(comparison))
    return tables
