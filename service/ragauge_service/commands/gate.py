"""``ragauge gate``: fail a build when retrieval is not good enough."""

import json
from pathlib import Path
from typing import Any

import click

from ragauge.offline.gate import gate, read_thresholds
from ragauge.offline.verdicts import github as annotations
from ragauge.offline.verdicts import junit as junit_of
from ragauge_service.offline_options import counting_options


@click.command()
@click.argument("run", type=click.Path())
@click.argument("judgments", type=click.Path())
@click.option("--baseline", type=click.Path(), help="A run that RUN must not fall behind.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="TOML with thresholds (default: ./pyproject.toml)."
)
@counting_options
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option("--github", is_flag=True, help="Print GitHub annotations, and write the job summary.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    run: str,
    judgments: str,
    *,
    baseline: str | None,
    config: Path | None,
    junit: Path | None,
    github: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Hold RUN to the thresholds in [tool.ragauge.gate], and to a baseline run.

    Exit codes: 0 passed; 1 a threshold failed, or a drop is significant; 2 bad input; 3 a rule is broken
    (an inadmissible document, a duplicate, a missing query) more often than allowed.
    """
    verdict = gate(run, judgments, baseline, read_thresholds(config), **options)
    if junit is not None:
        junit.write_bytes(junit_of(verdict))
    if as_json:
        click.echo(json.dumps(verdict.to_dict(), indent=2, ensure_ascii=False))
    else:
        click.echo(annotations(verdict) if github else str(verdict))
    if verdict.passed:
        return 0
    return 3 if verdict.violated else 1
