"""The doctor says what to change, and that all is well only when it is."""

from pathlib import Path

import pytest

from ragauge_service.store.connection import Client, connect
from ragauge_service.store.doctor import Facts, Finding, examine, judge
from ragauge_service.store.embedded import EmbeddedStore
from servers import Server

GOOD = Facts(
    info={
        "redis_version": "7.0.15",
        "aof_enabled": 1,
        "aof_last_write_status": "ok",
        "maxmemory_policy": "noeviction",
        "maxmemory": 1000 * 2**20,
        "used_memory": 100 * 2**20,
    },
    config={"appendfsync": "everysec", "save": "", "maxmemory-policy": "noeviction"},
    skew_ms=12,
)


def verdicts(findings: list[Finding]) -> dict[str, str]:
    return {finding.subject: finding.level for finding in findings}


def changed(*, skew_ms: int = 0, config: dict[str, str] | None = None, **info: object) -> dict[str, str]:
    facts = Facts({**GOOD.info, **info}, {**(GOOD.config or {}), **(config or {})}, skew_ms)
    return {subject: level for subject, level in verdicts(judge(facts)).items() if level != "ok"}


def test_a_good_server_is_found_good() -> None:
    assert set(verdicts(judge(GOOD)).values()) == {"ok"}


def test_each_fault_is_found_and_no_other() -> None:
    assert changed(redis_version="6.0.9") == {"version": "error"}
    assert changed(redis_version="7.2.4", valkey_version="9.1.2") == {}
    assert changed(aof_enabled=0) == {"persistence": "error"}
    assert changed(aof_enabled=0, config={"save": "3600 1"}) == {"persistence": "warning"}
    assert changed(aof_last_write_status="err") == {"persistence": "error"}
    assert changed(config={"appendfsync": "no"}) == {"persistence": "warning"}
    assert changed(maxmemory_policy="allkeys-lru") == {"eviction": "error"}
    assert changed(maxmemory=0) == {"memory": "warning"}
    assert changed(used_memory=900 * 2**20) == {"memory": "warning"}
    assert changed(skew_ms=-2_500) == {"clock": "warning"}


def test_every_fault_comes_with_what_to_do() -> None:
    bad = Facts({"redis_version": "5.0.0", "maxmemory_policy": "allkeys-lru"}, None, 9_999)
    assert all(finding.do for finding in judge(bad) if finding.level != "ok")


@pytest.mark.server
def test_the_embedded_server_needs_no_change(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path) as store, connect(store.url) as client:
        assert set(verdicts(examine(client)).values()) == {"ok"}


@pytest.mark.server
def test_it_asks_every_kind_of_server_and_leaves_nothing_behind(client: Client) -> None:
    found = verdicts(examine(client))
    assert found["version"] == found["clock"] == found["permissions"] == found["eviction"] == "ok"
    assert found.get("cluster", "ok") == "ok"
    assert not client.call("EXISTS", "ragauge:{doctor:0}:events")
    assert verdicts(examine(client)) == found


@pytest.mark.server
def test_a_clock_that_differs_is_found(client: Client) -> None:
    assert verdicts(examine(client, now=lambda: 1_000.0))["clock"] == "warning"


@pytest.mark.server
def test_a_server_that_is_gone_is_one_finding(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        client = connect(server.url)
    (finding,) = examine(client)
    assert (finding.level, finding.subject) == ("error", "connection")


@pytest.mark.server
def test_a_user_without_permissions_is_told_which_to_use(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        server.call("ACL", "SETUSER", "guest", "on", ">pw", "~*", "+ping", "+info", "+time")
        with connect(f"redis://guest:pw@127.0.0.1:{server.port}") as client:
            findings = {finding.subject: finding for finding in examine(client)}
    assert findings["permissions"].level == "error"
    assert "users.acl" in findings["permissions"].do
