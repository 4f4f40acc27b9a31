"""``ragauge keys``: API keys; only their hashes are kept."""

from pathlib import Path

import click

from ragauge.errors import ConfigurationError
from ragauge_service.api.keyring import SCOPES, Keyring, new_key

file_option = click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="RAGAUGE_SERVICE_API_KEYS_FILE",
    required=True,
    help="The keys file (RAGAUGE_SERVICE_API_KEYS_FILE).",
)


@click.group()
def command() -> None:
    """Make and list API keys: name, scopes, and the hash of the secret, a line each in a file."""


@command.command()
@click.argument("name")
@click.option("--scope", "scopes", type=click.Choice(SCOPES), multiple=True, required=True)
@file_option
def add(name: str, scopes: tuple[str, ...], file: Path) -> None:
    """Add a key called NAME to the file, and print its secret, which is nowhere else.

    ingest: send events and judgments; signal: send signals; read: ask; admin: everything.
    """
    key, secret = new_key(name, scopes)
    try:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(key.line() + "\n")
        file.chmod(0o600)
    except OSError as error:
        raise ConfigurationError(f"API keys file {file}: {error}") from None
    click.echo(secret)


@command.command("list")
@file_option
def list_(file: Path) -> None:
    """Show the names and scopes of the keys in the file."""
    for key in Keyring.read(file).keys:
        click.echo(f"{key.name:20} {', '.join(sorted(key.scopes))}")
