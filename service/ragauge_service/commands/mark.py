"""``ragauge mark``: tell the monitor what people know."""

import json
from typing import Any

import click

from ragauge_service.command_client import call, key_option, url_option


@click.group()
def command() -> None:
    """Tell the monitor what people know: a deploy, or that an alarm is the new normal."""


@command.command()
@click.argument("text")
@url_option
@key_option
def deploy(text: str, url: str, key: str | None) -> None:
    """Note that TEXT (a version, a ticket) was deployed now; it annotates an alarm and excuses none."""
    marker = _post(url, key, "/v1/markers", {"kind": "deploy", "text": text})
    click.echo(f"noted {marker['text']!r} at {marker['at']}")


@command.command()
@click.option("--category", help="Of the alarm; all categories together without.")
@click.option("--retriever", help="Of the alarm; all retrievers together without.")
@click.option("--evidence", type=click.Choice(["judgments", "clicks", "probe"]), default="judgments")
@url_option
@key_option
def acknowledge(
    category: str | None, retriever: str | None, evidence: str, url: str, key: str | None
) -> None:
    """Take what was seen since an alarm's onset for the new normal, and clear the alarm."""
    body = {"category": category, "retriever": retriever, "evidence": evidence}
    _post(url, key, "/v1/alarms/acknowledge", body)
    click.echo("acknowledged; the monitor clears it within a few seconds")


def _post(url: str, key: str | None, path: str, body: dict[str, Any]) -> Any:
    return json.loads(call("POST", url, path, json.dumps(body).encode(), key=key, media="application/json"))
