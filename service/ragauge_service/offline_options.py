"""The options that the offline commands share, and how they show a result."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ragauge.offline.formats import FORMATS
from ragauge.offline.results import Result

F = TypeVar("F", bound=Callable[..., Any])


def _cutoffs(_context: click.Context, _parameter: click.Parameter, value: str) -> list[int]:
    try:
        return [int(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r}: whole numbers with commas are wanted, as in 1,3,5,10") from None


def _names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [part for part in value.split(",") if part.strip()]


def _whole(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    return int(value) if value.is_integer() else value


def cutoffs_option(command: F) -> F:
    """Add ``-k``, ``--measures`` and the relevance level: what is measured."""
    options = [
        click.option("-k", "k", default="1,3,5,10", show_default=True, callback=_cutoffs, help="Cutoffs."),
        click.option("--measures", callback=_names, help="Names instead of -k: nDCG@10,MRR."),
        click.option(
            "--relevance-level",
            type=float,
            default=1,
            callback=_whole,
            help="The least grade that is relevant (1).",
        ),
    ]
    return _all(options, command)


def evaluation_options(command: F) -> F:
    """Add the options that say what is measured and how queries are counted."""
    return cutoffs_option(counting_options(command))


def counting_options(command: F) -> F:
    """Add the options that say how queries are counted and files are read."""
    options = [
        click.option(
            "--no-relevant",
            type=click.Choice(["zero", "skip"]),
            default="zero",
            show_default=True,
            help="What a query without any relevant document counts.",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(["error", "keep-first"]),
            default="error",
            show_default=True,
            help="A document twice in a ranking.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["error", "zero"]),
            default="error",
            show_default=True,
            help="A judged query that the run lacks.",
        ),
        click.option(
            "--chunk-to-doc",
            metavar="RULE",
            help="Map chunks to documents: a separator, last:SEPARATOR or re:PATTERN with one group.",
        ),
        click.option("--split", help="Only the questions of this split."),
        click.option("--format", "run_format", type=click.Choice(FORMATS), help="The run's format."),
        click.option("--judgments-format", type=click.Choice(FORMATS), help="The judgments' format."),
    ]
    return _all(options, command)


def table_options(command: F) -> F:
    """Add the options that say how a result is shown."""
    options = [
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown."),
    ]
    return _all(options, command)


def _all(options: list[Callable[[F], F]], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def show(result: Result, *, as_json: bool, as_markdown: bool) -> None:
    """Print a result as asked for."""
    if as_json:
        click.echo(result.to_json(indent=2))
        return
    from ragauge.offline import report  # noqa: PLC0415 - rich is loaded only to print a table

    if as_markdown:
        click.echo(report.markdown(result))
        return
    from rich.console import Console  # noqa: PLC0415

    Console(highlight=False).print(report.terminal(result))
