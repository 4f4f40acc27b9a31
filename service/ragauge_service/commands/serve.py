"""``ragauge serve``: run the service."""

from pathlib import Path
from typing import Any

import click

from ragauge_service.settings import Settings


@click.command()
@click.option("--host", help="Address to listen on (127.0.0.1); another than loopback needs API keys.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port to listen on (8321); 0 for any that is free."
)
@click.option(
    "--redis", "store_url", metavar="URL", help="A Redis or Valkey server; the embedded one without."
)
@click.option(
    "--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Of the embedded store (.ragauge)."
)
@click.option("--roles", metavar="LIST", help="Of api, worker, monitor; all of them by default.")
@click.option("--workers", type=click.IntRange(1, 64), help="Worker processes (1).")
def command(**given: Any) -> int:
    """Run the service: take events, join them, watch for drops, answer questions.

    Everything else is set by RAGAUGE_SERVICE_... variables: see docs/configuration.md.

    \b
    ragauge serve                                        one machine, nothing else needed
    ragauge serve --redis redis://db:6379                the state in a server of yours
    ragauge serve --redis redis+cluster://a:1,b:1 --roles worker --workers 4
                                                         more of them, anywhere
    """  # noqa: D301 - click reads a backspace, which a raw string has not
    settings = Settings.read(**given)
    from ragauge_service.app import serve  # noqa: PLC0415 - the settings are checked before the parts load

    return serve(settings, click.echo)
