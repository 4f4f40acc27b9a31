"""What goes wrong is said in one clear line, with the exit code that a script can act on."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from harness.http import request
from harness.process import free_port, wait_for
from harness.service import running_service

ENVIRONMENT = 4
BAD_INPUT = 2


def ragauge(*arguments: str) -> tuple[int, str]:
    """Run a command to its end and return its exit code and what it said on standard error."""
    command = [sys.executable, "-m", "ragauge_service", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


def the_one_line(said: str) -> str:
    """Return the only line that was said."""
    lines = said.strip().splitlines()
    assert len(lines) == 1, said
    assert lines[0].startswith("ragauge: error: ")
    return lines[0]


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, said = ragauge("serve", "--port", str(port), "--data-dir", str(tmp_path))
    assert code == ENVIRONMENT
    assert str(port) in the_one_line(said)


@pytest.mark.server
def test_a_data_directory_in_use_is_named(tmp_path: Path) -> None:
    """Two servers on one directory would corrupt it."""
    with running_service(tmp_path) as service:
        data = str(tmp_path / "data")
        code, said = ragauge("serve", "--port", str(free_port()), "--data-dir", data)
        assert code == ENVIRONMENT
        assert "in use" in the_one_line(said)
        assert request("GET", f"{service.url}/healthz")[0] == 200


def test_an_unreachable_store_is_named_without_its_password() -> None:
    code, said = ragauge("serve", "--redis", f"redis://:secret@127.0.0.1:{free_port()}", "--port", "0")
    assert code == ENVIRONMENT
    assert "secret" not in the_one_line(said)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01\x02", b'{"query_id": "q1", "relevant": ', b"not judgments at all\n"],
    ids=["empty", "binary", "cut off", "text"],
)
def test_an_unreadable_judgments_file_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "judgments.jsonl"
    file.write_bytes(content)
    code, said = ragauge("judgments", "load", str(file))
    assert code == BAD_INPUT
    assert str(file) in the_one_line(said)


def test_a_missing_judgments_file_is_named(tmp_path: Path) -> None:
    code, said = ragauge("judgments", "load", str(tmp_path / "none.jsonl"))
    assert code == BAD_INPUT
    assert "none.jsonl" in the_one_line(said)


def test_a_service_that_does_not_run_is_named(tmp_path: Path) -> None:
    file = tmp_path / "judgments.jsonl"
    file.write_text('{"query_id": "q1", "relevant": ["d1"]}\n')
    url = f"http://127.0.0.1:{free_port()}"
    code, said = ragauge("judgments", "load", str(file), "--url", url)
    assert code == ENVIRONMENT
    assert url in the_one_line(said)


@pytest.mark.server
def test_judgments_that_were_loaded_are_exported(tmp_path: Path) -> None:
    file = tmp_path / "judgments.jsonl"
    file.write_text('{"query_id": "q1", "query": "How do I pay?", "relevant": {"d1": 2}}\n')
    with running_service(tmp_path) as service:
        assert ragauge("judgments", "load", str(file), "--url", service.url) == (0, "")
        out = tmp_path / "out.jsonl"

        def exported() -> bool:
            """A 202 says that judgments are in the stream; they are known once a worker has committed."""
            assert ragauge("judgments", "export", str(out), "--url", service.url) == (0, "")
            return '"d1"' in out.read_text()

        wait_for(exported, "the judgments to be known")
    assert json.loads(out.read_text().splitlines()[0])["relevant"] == {"d1": 2}
