"""``ragauge probe``: golden questions through the live retriever, on a schedule or once."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from ragauge.offline.comparison import Comparison
from ragauge.offline.data import Questions
from ragauge.offline.inputs import questions_from
from ragauge_service.command_client import call, key_option, url_option
from ragauge_service.core.config import duration_ms
from ragauge_service.probing import MEASURES, Round, Target, ask, keep, paired, target_of

REGRESSED: Final = 1
BATCH: Final = 500


@click.command()
@click.argument("judgments", type=click.Path())
@click.option("--target", required=True, help="module:function, or a URL ({query} in it, else a POST).")
@click.option("--every", default="10m", show_default=True, help="How often: 30s, 10m, 1h.")
@click.option("--once", is_flag=True, help="One round, for cron and CI; exit code 1 if retrieval regressed.")
@click.option("--retriever", default="default", show_default=True, help="Name under which it is counted.")
@click.option("--variant", default="", help="Variant under which it is counted.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the round before is kept (.ragauge/probe-RETRIEVER.json).",
)
@url_option
@key_option
def command(
    judgments: str,
    target: str,
    every: str,
    *,
    once: bool,
    retriever: str,
    variant: str,
    state: Path | None,
    url: str,
    key: str | None,
) -> int:
    """Ask the live retriever the questions of JUDGMENTS, and log the answers as evidence `probe`.

    Production queries seldom equal judged ones; golden questions do. Each round is compared with the one
    before on the same questions, which sees much smaller changes than two means would.
    """
    pause, asked = duration_ms(every) / 1_000, target_of(target)
    questions = questions_from(judgments)
    labels = {"retriever": retriever, "variant": variant}
    before = state or Path(".ragauge") / f"probe-{retriever}.json"
    call_with = {"url": url, "key": key}
    _judge(judgments, questions, call_with)
    while True:
        began = time.monotonic()
        comparison = _round(asked, questions, labels, before, call_with)
        if once:
            return REGRESSED if comparison is not None and _regressed(comparison) else 0
        time.sleep(max(0.0, pause - (time.monotonic() - began)))


def _round(
    target: Target, questions: Questions, labels: dict[str, str], before: Path, service: dict[str, Any]
) -> Comparison | None:
    done = ask(target, questions, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), labels)
    for at in range(0, len(done.events), BATCH):
        body = json.dumps({"events": done.events[at : at + BATCH]}).encode()
        call("POST", service["url"], "/v1/events", body, key=service["key"], media="application/json")
    comparison = paired(before, done, questions)
    keep(before, done)
    click.echo(_said(done, comparison))
    return comparison


def _said(done: Round, comparison: Comparison | None) -> str:
    failed = f", {done.failed} failed" if done.failed else ""
    head = f"{done.name}  {len(done.rankings)} answered{failed}"
    if comparison is None:
        return f"{head}; the first round"
    parts = [
        f"{name} {found.a:.3f} -> {found.b:.3f} ({found.wins} better, {found.losses} worse, p {found.p:.2g})"
        for name in MEASURES
        if (found := comparison.measures.get(name)) is not None
    ]
    return f"{head}; " + "; ".join(parts)


def _regressed(comparison: Comparison) -> bool:
    return any(found.difference < 0 and found.significant for found in comparison.measures.values())


def _judge(file: str, questions: Questions, service: dict[str, Any]) -> None:
    """Load the questions' judgments, by which the service scores the answers."""
    from ragauge_service.commands.judgments import record_of  # noqa: PLC0415 - its own command too

    source = Path(file).name
    rows = [record_of(each, source) for each in questions.by_id.values() if each.judged]
    for at in range(0, len(rows), BATCH):
        body = "".join(json.dumps(row) + "\n" for row in rows[at : at + BATCH]).encode()
        media = "application/x-ndjson"
        call("POST", service["url"], "/v1/judgments", body, key=service["key"], media=media)
