"""``ragauge reconfigure``: change what shapes the state of a namespace."""

from typing import Any

import click

from ragauge_service.commands.deadletters import store_options
from ragauge_service.opening import opened
from ragauge_service.settings import Settings


@click.command()
@store_options
def command(**store: Any) -> None:
    """Replace a namespace's cutoffs, horizons, windows and limits by those of the environment.

    All workers must be stopped. Another depth, cutoff or relevance level starts new tallies; the number of
    shards is chosen once.
    """
    with opened(**store) as namespace:
        before = namespace.config
        after = namespace.reconfigure(Settings.read().engine)
        for name in before.differences(after):
            click.echo(f"{name}: {getattr(before, name)} -> {getattr(after, name)}")
        if before == after:
            click.echo("nothing differs")
