"""``ragauge judgments``: load ground truth into a running service, and get it back."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from ragauge.errors import JudgmentsError
from ragauge.offline.data import Question
from ragauge.offline.formats import FORMATS, read_judgments
from ragauge_service.command_client import call, key_option, url_option

NDJSON: Final = "application/x-ndjson"
BATCH: Final = 1_000


@click.group()
def command() -> None:
    """Load judgments (ground truth) into a running service, or export them."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
@url_option
@key_option
@click.option(
    "--mode",
    type=click.Choice(["replace", "merge"]),
    default="replace",
    show_default=True,
    help="What happens to what is known of a query already.",
)
@click.option("--format", "kind", type=click.Choice(FORMATS), help="Of the file; found from its content.")
@click.option("--split", help="Only the questions of this split of a test set.")
@click.option("--source", help="Where they come from; the file's name by default.")
def load(
    file: Path, url: str, key: str | None, mode: str, kind: Any, split: str | None, source: str | None
) -> None:
    """Load FILE: JSONL, JSON, CSV, Parquet, TREC qrels, BEIR, or a test set; gzip and zstd too.

    \b
    One query a line, as JSONL:
    {"query_id": "q1", "query": "how do I pay?", "category": "billing", "relevant": {"faq-17": 1}}
    """  # noqa: D301 - click reads a backspace, which a raw string has not
    questions = [
        question
        for question in read_judgments(file, format=kind, split=split).by_id.values()
        if question.judged or question.forbidden
    ]
    if not questions:
        raise JudgmentsError(f"{file}: holds no judged question")
    taken = 0
    with click.progressbar(length=len(questions), label="loading", hidden=not _long(questions)) as bar:
        for at in range(0, len(questions), BATCH):
            batch = questions[at : at + BATCH]
            body = "".join(json.dumps(record_of(question, source or file.name)) + "\n" for question in batch)
            answer = json.loads(
                call("POST", url, f"/v1/judgments?mode={mode}", body.encode(), key=key, media=NDJSON)
            )
            _check(file, answer)
            taken += int(answer["accepted"])
            bar.update(len(batch))
    click.echo(f"{taken} queries loaded into {url}")


@command.command()
@click.argument("file", type=click.Path(path_type=Path, writable=True), required=False)
@url_option
@key_option
def export(file: Path | None, url: str, key: str | None) -> None:
    """Write all judgments as JSONL, to FILE or to standard output."""
    text = call("GET", url, "/v1/judgments", key=key).decode()
    if file is None:
        click.echo(text, nl=False)
        return
    file.write_text(text, encoding="utf-8")
    click.echo(f"{text.count(chr(10))} queries written to {file}")


def _long(questions: Sequence[Question]) -> bool:
    return len(questions) > BATCH and sys.stdout.isatty()


def record_of(question: Question, source: str) -> dict[str, Any]:
    """Return a question as ``POST /v1/judgments`` takes it."""
    return dict(_fields(question, source))


def _fields(question: Question, source: str) -> Iterator[tuple[str, Any]]:
    if question.id != question.text:  # the text serves as id when there is no other
        yield "query_id", question.id
    yield "source", source
    yield "relevant", {doc: _grade(question, doc, grade) for doc, grade in question.grades.items()}
    yield "forbidden", sorted(question.forbidden)
    yield "no_answer", question.no_answer
    if question.text:
        yield "query", question.text
    if question.category:
        yield "category", question.category


def _grade(question: Question, doc: str, grade: float) -> int:
    if grade != int(grade):
        raise JudgmentsError(
            f"question {question.id!r}, document {doc!r}: a whole number is wanted as grade, not {grade}"
        )
    return int(grade)


def _check(file: Path, answer: dict[str, Any]) -> None:
    if rejected := answer.get("rejected"):
        first = rejected[0]
        raise JudgmentsError(
            f"{file}: {answer['rejected_lines']} questions refused, first: {first['reason']}"
        )
