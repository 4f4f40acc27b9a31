"""``ragauge compare``: two runs on the same queries."""

from typing import Any

import click

from ragauge.offline.comparison import compare
from ragauge_service.offline_options import evaluation_options, table_options


@click.command()
@click.argument("run_a", type=click.Path())
@click.argument("run_b", type=click.Path())
@click.argument("judgments", type=click.Path())
@evaluation_options
@table_options
@click.option("--by", type=click.Choice(["category", "split"]), default="category", show_default=True)
def command(
    run_a: str, run_b: str, judgments: str, *, as_json: bool, as_markdown: bool, **options: Any
) -> None:
    """Compare RUN_B with RUN_A on JUDGMENTS, query by query.

    Shows the difference of every mean with a paired bootstrap interval and a two-sided sign-flip p, by
    category with p values adjusted (Holm), and the queries that moved most. Runs that answer different
    queries are refused.
    """
    found = compare(run_a, run_b, judgments, **options)
    if as_json:
        click.echo(found.to_json(indent=2))
    else:
        from rich.console import Console  # noqa: PLC0415 - loaded only to print a table

        from ragauge.offline import comparing  # noqa: PLC0415

        if as_markdown:
            click.echo(comparing.markdown(found))
        else:
            Console(highlight=False).print(comparing.terminal(found))
    found.a.check()
    found.b.check()
