"""`ragauge reconfigure` does what the refusal of a worker that differs promises."""

from pathlib import Path

import pytest

from ragauge_service.cli import run
from ragauge_service.core.config import EngineConfig
from ragauge_service.store.connection import connect
from ragauge_service.store.namespace import Namespace
from servers import Server

pytestmark = pytest.mark.server


def test_after_reconfiguring_a_worker_that_differed_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = EngineConfig(windows=("5m", "1h"))
    with Server(tmp_path) as server, connect(server.url) as client:
        Namespace(client, "default").configure(EngineConfig())
        monkeypatch.setenv("RAGAUGE_SERVICE_WINDOWS", "5m,1h")
        assert run(["reconfigure", "--redis", server.url]) == 0
        assert "windows: ('1h', '24h', '7d') -> ('5m', '1h')" in capsys.readouterr().out
        assert Namespace(client, "default").configure(wanted) == wanted
