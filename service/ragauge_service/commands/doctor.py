"""``ragauge doctor``: is the store set up well, and do retrievals meet their judgments?"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import click

from ragauge.errors import ConfigurationError, EnvironmentFault, MalformedEventError
from ragauge.events import Event, Retrieval, Signal
from ragauge.wire import parse, unpack
from ragauge_service.commands.deadletters import store_options
from ragauge_service.core.click_hygiene import DELAY_EDGES_MS, delay_cell, delay_quantile, horizon_advice
from ragauge_service.core.join_doctor import ENOUGH, Diagnosis, Side, diagnose
from ragauge_service.core.judged import Version, unpack_versions
from ragauge_service.opening import opened
from ragauge_service.store.doctor import Finding, examine
from ragauge_service.store.namespace import Namespace

ENTRIES: Final = 200
"""How many of the newest entries of each shard are looked at."""

JUDGMENTS: Final = 20_000
SIGNS: Final = {"ok": "ok     ", "warning": "warning", "error": "ERROR  "}


@click.command()
@store_options
def command(**store: Any) -> None:
    """Examine the store, and how well retrievals, judgments and signals meet; say what to change.

    Exit code 4 when the store cannot be relied on.
    """
    with opened(**store) as namespace:
        findings = examine(namespace.client)
        for finding in findings:
            click.echo(_line(finding))
        click.echo()
        _join(namespace)
    if bad := [finding for finding in findings if finding.level == "error"]:
        raise EnvironmentFault(f"the store cannot be relied on: {bad[0].subject}: {bad[0].what}")


def _line(finding: Finding) -> str:
    place = f" ({finding.node})" if finding.node else ""
    todo = f": {finding.do}" if finding.do else ""
    return f"{SIGNS[finding.level]} {finding.subject:12} {finding.what}{place}{todo}"


def _join(namespace: Namespace) -> None:
    try:
        shards = namespace.config.shards
    except ConfigurationError as error:
        click.echo(f"{SIGNS['warning']} {error}")
        return
    retrievals, signals, judgments = list[Retrieval](), list[Signal](), dict[str, Version]()
    for index in range(shards):
        for event in _newest(namespace, index):
            if isinstance(event, Retrieval):
                retrievals.append(event)
            elif isinstance(event, Signal):
                signals.append(event)
        judgments |= _judgments(namespace, index, retrievals)
    for line in lines(diagnose(retrievals, signals, judgments)):
        click.echo(line)
    for line in delay_lines(retrievals, signals, namespace.config.join_horizon_ms):
        click.echo(line)


def delay_lines(retrievals: Iterable[Retrieval], signals: Iterable[Signal], horizon_ms: int) -> Iterator[str]:
    """Yield how late clicks come, and whether the join horizon of ``horizon_ms`` waits for them."""
    began = {retrieval.id: retrieval.at for retrieval in retrievals}
    cells = [0] * (len(DELAY_EDGES_MS) + 1)
    for signal in signals:
        if signal.kind == "click" and signal.retrieval_id in began:
            cells[delay_cell(signal.at - began[signal.retrieval_id])] += 1
    half, most = delay_quantile(cells, 0.5), delay_quantile(cells, 0.99)
    if half is None or most is None:
        return
    advice = horizon_advice(cells, horizon_ms)
    times = f"half within {half / 1_000:.0f} s, 99 % within {most / 1_000:.0f} s of {sum(cells)}"
    yield f"{SIGNS['warning' if advice else 'ok']} click delay  {times}"
    if advice:
        yield f"{SIGNS['warning']} join horizon {advice}"


def lines(found: Diagnosis) -> Iterator[str]:
    """Yield a diagnosis as text."""
    yield f"        retrievals   {found.retrievals} of the newest looked at"
    for name, share, words in (
        ("judged", found.judged, "of their queries are judged"),
        ("documents", found.found, "of the judged ones hold a judged document"),
    ):
        if share is not None:
            yield f"{SIGNS['ok' if share >= ENOUGH else 'warning']} {name:12} {share:.0%} {words}"
    if found.signalled is not None:
        yield f"        signals      {found.signalled:.1%} of them have a signal"
    yield from _sides("queries", found.queries)
    yield from _sides("documents", found.documents)
    for cause in found.causes:
        yield f"{SIGNS['warning']} likely cause {cause}"


def _sides(name: str, side: Side) -> Iterator[str]:
    for where, values in (("traffic", side.traffic), ("judgments", side.judgments)):
        if values:
            shown = ", ".join(repr(value[:60]) for value in values)
            yield f"        unmatched {name} of the {where}: {shown}"


def _newest(namespace: Namespace, index: int) -> Iterator[Event]:
    stream = namespace.shard(index).keys.events
    for _, fields in namespace.client.call("XREVRANGE", stream, "+", "-", "COUNT", ENTRIES):
        try:
            rows = unpack(fields[b"b"]) if b"b" in fields else []
        except MalformedEventError:
            continue
        for row in rows:
            try:
                yield parse(row)
            except MalformedEventError:
                continue


def _judgments(namespace: Namespace, index: int, retrievals: list[Retrieval]) -> dict[str, Version]:
    """Return the judgments of the queries that were seen, and of some that were not."""
    shard = namespace.shard(index)
    records = shard.load_judgments([retrieval.key for retrieval in retrievals])
    for key, record in shard.iter_judgments():
        if len(records) >= JUDGMENTS:
            break
        records[key] = record
    versions = {key: unpack_versions(record)[-1] for key, record in records.items()}
    return {key: version for key, version in versions.items() if not version.deleted}
