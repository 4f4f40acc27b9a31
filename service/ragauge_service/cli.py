"""The command line: each command is a file in ``commands`` and is imported only when it is called."""

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from typing import Final, cast

import click
from click.shell_completion import get_completion_class

from ragauge.errors import RagaugeError
from ragauge_service import commands

INTERRUPTED: Final = 130
USAGE: Final = 2
SHELLS: Final = ("bash", "zsh", "fish")
EXTRAS: Final = {
    "polars": "polars",
    "pandas": "pandas",
    "pyarrow": "parquet",
    "zstandard": "zstd",
    "matplotlib": "plot",
    "bm25s": "demo",
}
"""Which extra brings a module; all others come with ``service``."""


class LazyGroup(click.Group):
    """A group whose commands are the modules of ``ragauge_service.commands``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        found = (module.name.replace("_", "-") for module in pkgutil.iter_modules(commands.__path__))
        return sorted({*found, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported now, or None when there is none of this name."""
        if (known := super().get_command(ctx, cmd_name)) is not None:
            return known
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        return cast("click.Command", module.command)


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(package_name="ragauge", prog_name="ragauge")
def main() -> None:
    """Watch a production retriever: rolling MRR, hit rate and nDCG per query category, and their drops.

    \b
    ragauge demo        see it work: a real retriever, a real drop, its alarm
    ragauge serve       run the service on an embedded store or a Redis server
    ragauge evaluate    score a run against judgments, offline

    Exit codes: 0 done; 1 a gate failed or retrieval regressed; 2 usage or bad input; 3 an invariant is
    violated; 4 the environment (port, store, data directory); 130 interrupted.
    """  # noqa: D301 - click reads a backspace, which a raw string has not


@main.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  eval "$(ragauge completion bash)"
    zsh:   eval "$(ragauge completion zsh)"
    fish:  ragauge completion fish | source
    """  # noqa: D301 - click reads a backspace, which a raw string has not
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click knows all of SHELLS
    click.echo(kind(main, {}, "ragauge", "_RAGAUGE_COMPLETE").source())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; an error is one line on standard error."""
    try:
        code = main.main(args=arguments, prog_name="ragauge", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.exceptions.Exit, BrokenPipeError) as done:
        return getattr(done, "exit_code", 0)
    except (RagaugeError, ModuleNotFoundError) as error:
        return _explain(error)
    return code if isinstance(code, int) else 0


def _explain(error: RagaugeError | ModuleNotFoundError) -> int:
    if isinstance(error, RagaugeError):
        click.echo(f"ragauge: error: {error}", err=True)
        return error.exit_code
    module = (error.name or "").partition(".")[0]
    if module.startswith("ragauge"):
        raise error
    extra = EXTRAS.get(module, "service")
    click.echo(f"ragauge: error: this needs {module}: pip install 'ragauge[{extra}]'", err=True)
    return USAGE


def entry() -> None:
    """Run the command line of this process and end it."""
    sys.exit(run())
