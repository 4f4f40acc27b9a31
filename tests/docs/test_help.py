"""Help texts show their example blocks as they are written."""

import click
import pytest
from click.testing import CliRunner

from ragauge_service.cli import main


def commands(group: click.Group, *above: str) -> dict[str, click.Command]:
    """Return all commands under a group, by what one types."""
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        found[" ".join((*above, name))] = command
        if isinstance(command, click.Group):
            found |= commands(command, *above, name)
    return found


ALL = {"": main, **commands(main)}


@pytest.mark.parametrize("name", ALL)
def test_no_help_text_shows_the_sign_that_keeps_its_lines(name: str) -> None:
    """A raw docstring spells the sign in two letters, and click folds the examples behind it."""
    shown = CliRunner().invoke(main, [*name.split(), "--help"], terminal_width=110).output
    assert "\\b" not in shown
    for block in (ALL[name].help or "").split("\b\n")[1:]:
        for line in block.split("\n\n")[0].splitlines():
            assert line.strip() in map(str.strip, shown.splitlines())


@pytest.mark.parametrize("name", ["", "serve", "completion", "judgments load"])
def test_commands_with_examples_have_a_block_of_them(name: str) -> None:
    """Otherwise the test above holds nothing."""
    assert "\b\n" in (ALL[name].help or "")
