"""An evaluation drawn as text, Markdown or HTML: by cutoff, by group, first ranks, worst queries."""

import io
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ragauge.measures import quantile
from ragauge.offline.evaluation import Evaluation, Mean, Part

WORST: Final = 5
_BAR: Final = 40
_ROWS: Final = 12
Rows = list[list[str]]


def plain(evaluation: Evaluation, *, width: int = 110) -> str:
    """Return an evaluation as plain text."""
    console = Console(file=io.StringIO(), width=width, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(terminal(evaluation))
    return captured.get().rstrip()


def terminal(evaluation: Evaluation) -> RenderableType:
    """Return an evaluation as rich draws it."""
    parts: list[RenderableType] = [text_table(*by_cutoff(evaluation))]
    if evaluation.groups:
        parts.append(text_table(*by_group(evaluation)))
    parts += [Text("first relevant rank"), *(Text(line) for line in histogram(evaluation))]
    if worst := worst_queries(evaluation):
        parts += [Text("worst queries"), *(Text("  " + line) for line in worst)]
    parts += [Text(line) for line in notes(evaluation)]
    parts += [Text(f"violated: {line}", style="bold red") for line in violations(evaluation)]
    return Group(*parts)


def text_table(header: list[str], rows: Rows) -> Table:
    """Return a table for a terminal."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for at, name in enumerate(header):
        table.add_column(name, justify="left" if at == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def by_cutoff(part: Part) -> tuple[list[str], Rows]:
    """Return families by cutoffs, each cell a mean and its interval."""
    cutoffs = list(dict.fromkeys(measure.k for measure in part.measures))
    families = list(dict.fromkeys(measure.family for measure in part.measures))
    found = {(measure.family, measure.k): part.means[str(measure)] for measure in part.measures}
    known = {(measure.family, measure.k) for measure in part.measures}
    header = ["measure", *("all" if k is None else f"@{k}" for k in cutoffs)]
    rows = [
        [family, *(cell(found[family, k]) if (family, k) in known else "" for k in cutoffs)]
        for family in families
    ]
    return header, rows


def cell(mean: Mean | None) -> str:
    """Return a mean and its interval; a dash stands for no value."""
    if mean is None:
        return "-"
    if mean.lower is None or mean.upper is None:
        return f"{mean.summary.mean:.4f}"
    return f"{mean.summary.mean:.4f} {mean.lower:.2f}-{mean.upper:.2f}"


def by_group(evaluation: Evaluation) -> tuple[list[str], Rows]:
    """Return the groups with their counts, and each family at its deepest cutoff."""
    deepest = {measure.family: measure for measure in evaluation.measures}
    names = [str(measure) for measure in deepest.values()][:3]
    rows = [
        [name, str(part.counts["scored"]), *(cell(part.means[measure]) for measure in names)]
        for name, part in evaluation.groups.items()
    ]
    return [evaluation.grouped_by, "queries", *names], rows


def histogram(part: Part) -> Iterable[str]:
    """Yield the distribution of first relevant ranks as bars; deep ranks share a line."""
    counts = part.first_ranks
    ranks = [(int(rank), count) for rank, count in counts.items() if rank != "miss"]
    lines = [(str(rank), count) for rank, count in ranks if rank <= _ROWS]
    if deeper := sum(count for rank, count in ranks if rank > _ROWS):
        lines.append((f">{_ROWS}", deeper))
    lines.append(("miss", counts["miss"]))
    most = max(1, *(count for _, count in lines))
    for name, count in lines:
        yield f"  {name:>4} {count:>7} {'█' * round(_BAR * count / most)}".rstrip()


def worst_queries(evaluation: Evaluation, most: int = WORST) -> list[str]:
    """Return the queries with the lowest first measure that is not perfect."""
    bad = [scored for scored in evaluation.scored if scored.first != 1]
    bad.sort(key=lambda scored: (sum(value or 0.0 for value in scored.values), scored.query))
    return [
        f"{scored.query}  first relevant rank {scored.first or 'none'}"
        f"{_shortened(evaluation.texts.get(scored.query))}"
        for scored in bad[:most]
    ]


def _shortened(text: str | None) -> str:
    return "" if not text else f"  {' '.join(text.split())[:60]}"


def notes(evaluation: Evaluation) -> Iterable[str]:
    """Yield the counts that a reader needs to judge the means, latencies and parameters."""
    counts = evaluation.counts
    yield (
        f"{counts['queries']} queries: {counts['scored']} scored, {counts['unjudged']} unjudged, "
        f"{counts['missing']} missing, {counts['no_relevant']} without a relevant document, "
        f"{counts['no_answer']} without an answer ({counts['abstained']} abstained), "
        f"{counts['duplicates']} duplicates"
    )
    if counts["no_relevant"]:
        some = ((name, mean.mean_relevant) for name, mean in evaluation.means.items() if mean)
        means = ", ".join(f"{name} {mean:.4f}" for name, mean in islice(some, 3) if mean is not None)
        yield f"over queries with a relevant document only: {means or 'none'}"
    if latencies := sorted(evaluation.latencies.values()):
        p50, p95 = (quantile(latencies, share) for share in (0.5, 0.95))
        yield f"latency p50 {p50:.1f} ms, p95 {p95:.1f} ms ({len(latencies)} calls)"
    if evaluation.params:
        yield "run: " + ", ".join(f"{name}={value}" for name, value in evaluation.params.items())


def violations(evaluation: Evaluation, most: int = 10) -> Iterable[str]:
    """Yield the broken rules, the first ones in full."""
    yield from map(str, evaluation.violations[:most])
    if len(evaluation.violations) > most:
        yield f"and {len(evaluation.violations) - most} more"


def markdown(evaluation: Evaluation) -> str:
    """Return an evaluation as Markdown."""
    parts = [markdown_table(*by_cutoff(evaluation))]
    if evaluation.groups:
        parts.append(markdown_table(*by_group(evaluation)))
    parts += [*notes(evaluation), *(f"**violated**: {line}" for line in violations(evaluation))]
    return "\n\n".join(parts)


def markdown_table(header: list[str], rows: Rows) -> str:
    """Return a table in Markdown."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(item.replace('|', chr(92) + '|') for item in line)} |" for line in lines)


def html(evaluation: Evaluation) -> str:
    """Return an evaluation as HTML for a notebook."""
    tables = [html_table(*by_cutoff(evaluation))]
    if evaluation.groups:
        tables.append(html_table(*by_group(evaluation)))
    bars = "<pre>" + escape("\n".join(histogram(evaluation))) + "</pre>"
    lines = [*notes(evaluation), *(f"violated: {line}" for line in violations(evaluation))]
    return "".join([*tables, bars, *(f"<p>{escape(line)}</p>" for line in lines)])


def html_table(header: Sequence[str], rows: Rows) -> str:
    """Return a table in HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(item)}</td>" for item in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
