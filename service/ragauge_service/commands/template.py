"""``ragauge template``: the empty run of a test set."""

import click

from ragauge.offline.formats import read_judgments
from ragauge.offline.template import template


@click.command()
@click.argument("testset", type=click.Path())
@click.option("--split", help="Only the questions of this split.")
def command(testset: str, split: str | None) -> None:
    """Print the empty run of TESTSET as JSONL: fill in the ids, then evaluate it."""
    for line in template(read_judgments(testset, split=split)):
        click.echo(line)
