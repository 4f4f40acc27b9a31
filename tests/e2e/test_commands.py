"""What operators type, against a running service."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.http import get_json
from harness.process import wait_for
from harness.service import Service, running_service

pytestmark = pytest.mark.server

QUESTIONS = 30
RETRIEVER = """
import os
def search(query):
    number = query.split()[-1]
    worse = os.environ.get("WORSE") and int(number) % 2
    return ["other", "another"] if worse else [f"doc-{number}", "other"]
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("commands")) as service:
        yield service


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """Return a file of golden questions, beside a retriever that can be made worse."""
    (tmp_path / "myapp.py").write_text(RETRIEVER)
    rows = [
        {"query_id": f"g{n}", "query": f"question {n}", "category": "golden", "relevant": [f"doc-{n}"]}
        for n in range(QUESTIONS)
    ]
    file = tmp_path / "golden.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def ragauge(service: Service, *words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ragauge_service", *words]
    url = {"RAGAUGE_URL": service.url, "RAGAUGE_SERVICE_DATA_DIR": str(service.directory / "data")}
    paths = os.pathsep.join(part for part in sys.path if part)
    return subprocess.run(
        command,
        env={**os.environ, **url, "PYTHONPATH": paths, **env},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        cwd=cwd,
    )


def test_a_probe_sees_a_worse_retriever_by_pairs(service: Service, golden: Path) -> None:
    """Thirty golden questions asked before and after say what two means of thirty could not."""
    words = ("probe", golden.name, "--target", "myapp:search", "--once", "--retriever", "live")
    first = ragauge(service, *words, cwd=golden.parent)
    assert (first.returncode, "the first round" in first.stdout) == (0, True), first.stderr
    same = ragauge(service, *words, cwd=golden.parent)
    assert same.returncode == 0
    assert "MRR@10 1.000 -> 1.000" in same.stdout
    worse = ragauge(service, *words, cwd=golden.parent, WORSE="1")
    assert worse.returncode == 1, worse.stdout + worse.stderr
    assert f"0 better, {QUESTIONS // 2} worse" in worse.stdout

    def scored() -> list[dict[str, Any]]:
        rows = service.quality(window="1h", evidence="probe", retriever="live")
        return rows if rows and rows[0]["scored"] == 3 * QUESTIONS else []

    (row,) = wait_for(scored, "the three rounds to be scored")
    assert row["measures"]["MRR@10"]["value"] == pytest.approx(2.5 / 3)
    assert service.quality(window="1h", evidence="judgments", retriever="live") == []


def test_the_doctor_says_why_nothing_meets(service: Service, tmp_path: Path) -> None:
    """Chunks against documents, the commonest reason, is named with two ids of each side."""
    service.judge([{"query_id": f"c{n}", "relevant": [f"manual-{n}"]} for n in range(20)])
    service.send(
        [{"query_id": f"c{n}", "ids": [f"manual-{n}#2", "x#1"]} for n in range(20) for _ in range(9)]
    )
    rows = wait_for(
        lambda: [row for row in service.quality(window="1h") if row["category"] == "default"],
        "them to be scored",
    )
    assert rows[0]["measures"]["MRR@10"]["value"] == 0
    done = ragauge(service, "doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "chunk_to_doc" in done.stdout
    assert "manual-" in done.stdout
    assert "noeviction" in done.stdout


def test_a_deploy_is_noted(service: Service, tmp_path: Path) -> None:
    done = ragauge(service, "mark", "deploy", "index v7", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "index v7" in [row["text"] for row in get_json(f"{service.url}/v1/markers")["markers"]]


def test_dead_letters_are_shown_and_replayed(service: Service, tmp_path: Path) -> None:
    done = ragauge(service, "deadletters", "list", cwd=tmp_path)
    assert (done.returncode, "in all" in done.stdout) == (0, True), done.stderr
    assert ragauge(service, "deadletters", "replay", cwd=tmp_path).returncode == 0


def test_a_key_is_shown_once_and_kept_as_a_hash(service: Service, tmp_path: Path) -> None:
    words = ("keys", "add", "ci", "--scope", "read", "--file", "keys")
    secret = ragauge(service, *words, cwd=tmp_path).stdout.strip()
    kept = (tmp_path / "keys").read_text()
    assert secret.startswith("rg_")
    assert secret not in kept
    assert (tmp_path / "keys").stat().st_mode & 0o077 == 0
    assert "ci" in ragauge(service, "keys", "list", "--file", "keys", cwd=tmp_path).stdout
