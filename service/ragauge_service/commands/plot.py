"""``ragauge plot``: the rank distribution of a run, or the comparison of two, as PNG or SVG."""

from pathlib import Path
from typing import Any

import click

from ragauge.offline.api import evaluate
from ragauge.offline.comparison import compared
from ragauge.offline.formats import read_judgments
from ragauge.offline.plot import plot_comparison, plot_ranks
from ragauge_service.offline_options import counting_options, cutoffs_option


@click.command()
@click.argument("runs", type=click.Path(), nargs=-1, required=True)
@click.argument("judgments", type=click.Path())
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="A .png or .svg file.")
@click.option("--ranks", is_flag=True, help="Of two runs, the rank distributions, not the differences.")
@cutoffs_option
@counting_options
def command(
    runs: tuple[str, ...], judgments: str, *, output: Path, ranks: bool, split: str | None, **options: Any
) -> None:
    """Draw the first relevant ranks of one run, or the differences of two: RUN [RUN_B] JUDGMENTS."""
    if len(runs) > 2:
        raise click.UsageError("one run or two are wanted, and then the judgments")
    kind = options.pop("judgments_format")
    questions = read_judgments(judgments, format=kind, split=split)
    results = [evaluate(run, questions, intervals=False, **options) for run in runs]
    if len(results) == 1 or ranks:
        plot_ranks(output, {Path(result.source).name: result for result in results})
    else:
        plot_comparison(output, compared(results[0], results[1]))
    click.echo(f"wrote {output}")
