"""What README and docs say can be followed: links lead somewhere, commands exist, decisions are short."""

import re
from pathlib import Path

import pytest
from click import Context

from ragauge_service.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_every_relative_link_leads_to_a_file(path: Path) -> None:
    links = [link for link in LINK.findall(path.read_text()) if "://" not in link]
    missing = [link for link in links if not (path.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_every_make_target_named_exists(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)`", path.read_text()))
    named |= set(re.findall(r"^\s+make ([a-z-]+)", path.read_text(), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_every_command_named_exists(path: Path) -> None:
    """A command that a document promises and the program lacks costs a newcomer their patience."""
    commands = set(main.list_commands(Context(main)))
    text = path.read_text()
    named = set(re.findall(r"`ragauge ([a-z]+)\b", text)) | set(
        re.findall(r"^\s+ragauge ([a-z]+)\b", text, re.MULTILINE)
    )
    assert named <= commands


def test_nothing_names_a_machine_or_an_index() -> None:
    """Lock files and docs travel: they may not carry the place where they were made."""
    locks = [*(ROOT / "requirements").glob("*.txt"), *ROOT.glob("*/package-lock.json")]
    offending = [
        path.name for path in locks if re.search(r"--index-url|\"resolved\": \"http", path.read_text())
    ]
    assert offending == []
