"""``ragauge deadletters``: entries that could not be read, and what to do with them."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ragauge_service.opening import opened
from ragauge_service.store.deadletters import DeadLetters, KeptLetter


def store_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where the store is."""
    for option in (
        click.option("--redis", "store_url", metavar="URL", help="The server; the embedded one without."),
        click.option("--data-dir", type=click.Path(path_type=Path), help="Of the embedded store (.ragauge)."),
    ):
        function = option(function)
    return function


@click.group()
def command() -> None:
    """Show, replay and discard stream entries that could not be read."""


@command.command("list")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@store_options
def list_(limit: int, **store: Any) -> None:
    """Show which entries were set aside, and why."""
    with _shards(store) as shards:
        for shard, letters in enumerate(shards):
            for letter in letters.read(count=limit):
                click.echo(f"{shard:4} {letter.id:22} {letter.reason}")
        click.echo(f"{sum(map(len, shards))} in all")


@command.command()
@store_options
def replay(**store: Any) -> None:
    """Put all of them back into their streams, after an upgrade that can read them."""
    with _shards(store) as shards:
        done = sum(letters.replay(letter.id) is not None for letters in shards for letter in _all(letters))
    click.echo(f"{done} replayed")


@command.command()
@click.confirmation_option(prompt="Forget all entries that were set aside?")
@store_options
def discard(**store: Any) -> None:
    """Forget all of them."""
    with _shards(store) as shards:
        done = sum(letters.discard(letter.id) for letters in shards for letter in _all(letters))
    click.echo(f"{done} discarded")


@contextmanager
def _shards(store: dict[str, Any]) -> Generator[list[DeadLetters]]:
    with opened(**store) as namespace:
        yield [namespace.shard(index).dead_letters for index in range(namespace.config.shards)]


def _all(letters: DeadLetters) -> Iterator[KeptLetter]:
    """Yield every letter; those that are replayed and set aside again are not met twice."""
    left, after = len(letters), "0-0"
    while left > 0 and (found := letters.read(after, min(left, 100))):
        yield from found
        left, after = left - len(found), found[-1].id
