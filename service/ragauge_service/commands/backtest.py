"""``ragauge backtest``: when would each alarm have come?"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TextIO

import click

from ragauge.errors import InputError
from ragauge.wire import SIGNAL
from ragauge_service.core.config import EngineConfig, duration_ms
from ragauge_service.core.replaying import Replay, Row, Turn
from ragauge_service.core.snapshot import DropStatus
from ragauge_service.core.watch_state import WatchSettings, objectives_of
from ragauge_service.recorded import Recorded, read


@click.command()
@click.argument("log", type=click.File(encoding="utf-8"))
@click.option(
    "--judgments", multiple=True, type=click.File(encoding="utf-8"), help="Judgments, as JSONL; repeatable."
)
@click.option(
    "--false-alarm-days", type=click.FloatRange(min=0, min_open=True), default=90.0, show_default=True,
    help="Days between false alarms, over all detectors together.",
)  # fmt: skip
@click.option("--learning", type=click.IntRange(min=1), default=500, show_default=True,
              help="Retrievals before a detector may speak.")  # fmt: skip
@click.option("--slack", type=click.FloatRange(0, 0.5), default=0.01, show_default=True,
              help="The share of the baseline that may be lost without an alarm.")  # fmt: skip
@click.option("--objective", multiple=True, metavar="CATEGORY:MEASURE=VALUE",
              help="Pin a baseline, such as billing:MRR@10=0.6; repeatable.")  # fmt: skip
@click.option("--every", default="10s", show_default=True, help="How often the detectors look, in log time.")
@click.option("--join-horizon", default="10m", show_default=True, help="How long signals may come.")
@click.option("--retriever", help="Name of the retriever, for retrievals that carry none.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per change of a detector's state.")
def command(
    log: TextIO,
    judgments: tuple[TextIO, ...],
    false_alarm_days: float,
    learning: int,
    slack: float,
    objective: tuple[str, ...],
    every: str,
    join_horizon: str,
    retriever: str | None,
    as_json: bool,  # noqa: FBT001 - click passes by name
) -> None:
    """Replay recorded retrievals and say when each alarm would have come.

    LOG holds one JSON object a line, as POST /v1/events takes them, in order of time: retrievals with ids and
    at, and, if they are at hand, signals and judgments. Join, tallies and detectors are those of the service.

    For example: ragauge backtest retrievals.jsonl --judgments judgments.jsonl
    """
    settings = WatchSettings(
        false_alarm_days=false_alarm_days,
        slack=slack,
        learning=learning,
        objectives=objectives_of(pinned(objective)),
    )
    config = EngineConfig(shards=1, join_horizon_ms=duration_ms(join_horizon))
    replay = Replay(config, settings)
    first = [row for file in judgments for event in read(file, file.name) for row in event.rows]
    events = read(log, log.name, retriever=retriever)
    turns = replayed(replay, events, first, duration_ms(every), config.join_horizon_ms)
    alarms = 0
    for turn in turns:
        alarms += turn.status.state == "alarm"
        text = json.dumps(as_object(turn)) if as_json else sentence(turn)
        if text:
            click.echo(text)
    if not as_json:
        click.echo(summary(replay, alarms))


def replayed(
    replay: Replay, events: Iterable[Recorded], first: list[Row], every_ms: int, horizon_ms: int
) -> Iterator[Turn]:
    """Yield how the detectors' states change; an event dated before its predecessor counts with it."""
    rows, due, now, clickable = first, 0, 0, False
    for event in events:
        clickable |= any(row[0] == SIGNAL for row in event.rows)
        at = now if event.at is None else max(now, event.at)
        if rows and now and at >= due:
            yield from replay.advance(rows, now)
            rows, due = [], at + every_ms
        rows.extend(event.rows)
        now = at
    yield from replay.advance(rows, now)
    if clickable:  # clicks are scored at the horizon
        yield from replay.advance([], now + horizon_ms + 1)


def pinned(options: Iterable[str]) -> dict[str, float]:
    """Return pinned baselines by their names.

    Raises:
        InputError: one is not of the form CATEGORY:MEASURE=VALUE.

    >>> pinned(["billing:MRR@10=0.6"])
    {'billing:MRR@10': 0.6}
    """
    found: dict[str, float] = {}
    for text in options:
        name, _, value = text.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            raise InputError(f"objective {text!r}: CATEGORY:MEASURE=VALUE wanted") from None
    return found


def as_object(turn: Turn) -> dict[str, Any]:
    """Return a turn as JSON: the status beside its time and the state before."""
    return {"at": turn.at, "before": turn.before, **asdict(turn.status)}


def sentence(turn: Turn) -> str | None:
    """Return a turn as a line to read, or None when it says nothing that matters."""
    status = turn.status
    head = f"{clock(turn.at)}  {subject(status)} {status.measure}"
    if status.state == "alarm":
        size = "" if not status.size or not status.baseline else f"{-status.size / status.baseline:+.0%} of "
        since = "" if status.onset is None else f", since {clock(status.onset)}"
        reason = f" ({status.reason})" if status.reason else ""
        return f"{head}: ALARM, {size}{status.baseline or 0:.3f}{since}{reason}"
    if turn.before == "alarm" and status.state == "ok":
        return f"{head}: recovered"
    return f"{head}: held back, {status.reason}" if status.state == "held" else None


def subject(status: DropStatus) -> str:
    """Return what a detector is about.

    >>> subject(DropStatus(category=None, retriever="bm25", evidence="judgments", measure="", state="ok"))
    '[all categories of bm25, judgments]'
    """
    if status.category is not None:
        return f"[{status.category}, {status.retriever}, {status.evidence}]"
    if status.retriever is not None:
        return f"[all categories of {status.retriever}, {status.evidence}]"
    return f"[everything, {status.evidence}]"


def clock(at: int) -> str:
    """Return Unix milliseconds as a date and time.

    >>> clock(0)
    '1970-01-01 00:00:00Z'
    """
    return f"{datetime.fromtimestamp(at / 1_000, UTC):%Y-%m-%d %H:%M:%SZ}"


def summary(replay: Replay, alarms: int) -> str:
    """Return what stands at the end of the log."""
    statuses = replay.statuses
    lines = [f"{alarms} alarms of {len(statuses)} detectors"]
    lines += [
        f"  {subject(status)} {status.measure}: {_end(status)}"
        for status in statuses
        if status.category is not None
    ]
    if replay.rejected:
        lines.append(f"{len(replay.rejected)} events could not be used: {replay.rejected[0]}")
    return "\n".join(lines)


def _end(status: DropStatus) -> str:
    if status.state == "learning":
        return "still learning"
    needed = "is not seen" if status.observations_needed is None else f"takes {status.observations_needed:,}"
    return f"{status.state}, baseline {status.baseline:.3f}, a 10 % drop {needed} retrievals"
