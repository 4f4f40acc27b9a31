"""Who may do what: keys with scopes, and limits of requests."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.http import request
from harness.service import Service, running_service
from ragauge.errors import ConfigurationError
from ragauge_service.api.keyring import SCOPES, Keyring, new_key
from ragauge_service.api.rates import CLIENTS, Rates

EVENT = {"events": [{"query": "q", "ids": []}]}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, secrets: dict[str, str]) -> Iterator[Service]:
    """Run a service with a key for each scope."""
    directory = tmp_path_factory.mktemp("guarded")
    file, lines = directory / "keys", ["# name scopes digest"]
    for scope in SCOPES:
        key, secrets[scope] = new_key(f"my-{scope}", [scope])
        lines.append(key.line())
    file.write_text("\n".join(lines) + "\n")
    env = {"RAGAUGE_SERVICE_API_KEYS_FILE": str(file), "RAGAUGE_SERVICE_RATE_LIMIT": "100000"}
    with running_service(directory, env=env) as service:
        yield service


def status(service: Service, method: str, path: str, body: object = None, secret: str | None = None) -> int:
    headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
    return request(method, service.url + path, body, headers=headers)[0]


@pytest.mark.server
def test_each_scope_opens_its_own_doors(guarded: Service, secrets: dict[str, str]) -> None:
    doors = {
        "ingest": ("POST", "/v1/events", EVENT, {"ingest", "admin"}),
        "signal": ("POST", "/v1/signals", {"signals": []}, {"signal", "ingest", "admin"}),
        "read": ("GET", "/v1/quality", None, {"read", "admin"}),
        "metrics": ("GET", "/metrics", None, {"read", "admin"}),
        "admin": ("POST", "/v1/markers", {"text": "v1"}, {"admin"}),
    }
    for method, path, body, allowed in doors.values():
        assert status(guarded, method, path, body) == 401
        assert status(guarded, method, path, body, "rg_wrong") == 401
        opened = {scope for scope in SCOPES if status(guarded, method, path, body, secrets[scope]) < 400}
        assert opened == allowed, path


@pytest.mark.server
def test_a_refusal_says_what_was_wanted_and_health_needs_no_key(
    guarded: Service, secrets: dict[str, str]
) -> None:
    headers = {"Authorization": f"Bearer {secrets['read']}"}
    _, text = request("POST", guarded.url + "/v1/events", EVENT, headers=headers)
    assert json.loads(text)["detail"] == "key 'my-read' may read: ingest wanted"
    assert [status(guarded, "GET", path) for path in ("/healthz", "/readyz", "/")] == [200, 200, 200]
    beacon = f"/v1/signals?api_key={secrets['signal']}"
    assert status(guarded, "POST", beacon, {"signals": []}) == 202


@pytest.mark.server
def test_too_many_requests_are_told_to_wait(tmp_path: Path) -> None:
    with running_service(tmp_path, env={"RAGAUGE_SERVICE_RATE_LIMIT": "2"}) as service:
        answers = [request("GET", service.url + "/v1/quality") for _ in range(12)]
        assert 429 in {code for code, _ in answers}
        assert "wait" in json.loads(next(text for code, text in answers if code == 429))["detail"]


def test_a_bucket_fills_again_and_clients_do_not_share_one() -> None:
    now = [0.0]
    rates = Rates(10, clock=lambda: now[0])
    assert [rates.wait("a") for _ in range(21)][-1] == pytest.approx(0.1)
    assert rates.wait("b") == 0
    now[0] = 0.1
    assert rates.wait("a") == 0


def test_clients_beyond_the_limit_are_forgotten_not_kept() -> None:
    rates = Rates(1, clock=lambda: 0.0)
    for client in range(2 * CLIENTS):
        rates.wait(str(client))
    assert len(rates._buckets) == CLIENTS


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "no key in it"),
        ("name read", "name scopes digest"),
        ("name cook " + 64 * "0", "cook"),
        ("name read rg_secret", "not the key itself"),
        ("na/me read " + 64 * "0", "letters"),
    ],
)
def test_a_keys_file_that_cannot_be_used(tmp_path: Path, text: str, wanted: str) -> None:
    file = tmp_path / "keys"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=wanted):
        Keyring.read(file)
    with pytest.raises(ConfigurationError):
        Keyring.read(tmp_path / "none")
