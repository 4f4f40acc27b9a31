"""``ragauge evaluate``: score a run against judgments."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from ragauge.offline.api import evaluate
from ragauge.offline.results import Result
from ragauge_service.offline_options import evaluation_options, show, table_options


@click.command()
@click.argument("run", type=click.Path())
@click.argument("judgments", type=click.Path())
@evaluation_options
@table_options
@click.option("--by", type=click.Choice(["category", "split"]), help="Also by category or split.")
@click.option("--per-query", type=click.Path(path_type=Path), help="Write each query's values as JSONL.")
@click.option("--no-intervals", is_flag=True, help="Leave the confidence intervals out.")
@click.option("--abstain-below", type=float, help="A best score under this is an abstention.")
def command(
    run: str,
    judgments: str,
    *,
    as_json: bool,
    as_markdown: bool,
    per_query: Path | None,
    no_intervals: bool,
    **options: Any,
) -> None:
    """Score RUN (what a retriever answered) against JUDGMENTS (what is relevant).

    Formats are found from the content: TREC run and qrels, BEIR, JSON, JSONL, CSV, TSV, Parquet, a test
    set; gzip and zstd are read. Exit code 3 when a rule is broken: an inadmissible document within the
    deepest cutoff, a duplicate, a judged query missing from the run.
    """
    result = evaluate(run, judgments, intervals=not no_intervals, **options)
    if per_query is not None:
        _write(per_query, result)
    show(result, as_json=as_json, as_markdown=as_markdown)
    sys.stdout.flush()
    result.check()


def _write(path: Path, result: Result) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for query, values in result.per_query.items():
            stream.write(json.dumps({"query": query, "measures": values}, ensure_ascii=False) + "\n")
