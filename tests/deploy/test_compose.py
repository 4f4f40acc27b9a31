"""The compose file is valid and hardened, and its commands run as its users on a read-only file system."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from harness.http import request
from harness.process import Process, free_port

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SCHEMA = Path(os.environ.get("RAGAUGE_SHARED", ROOT.parent / "shared")) / "schemas" / "compose-spec.json"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
EACH = pytest.mark.parametrize("name", SERVICES)


def test_it_is_valid_before_the_compose_specification() -> None:
    if not SCHEMA.exists():
        pytest.skip("the compose specification is not here")
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_text())).validate(COMPOSE)


@EACH
def test_a_service_may_write_nothing_but_its_volumes_and_gain_nothing(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] != "0"
    assert service["healthcheck"]["test"][0] == "CMD"
    mounted = [volume.split(":") for volume in service["volumes"]]
    assert all(source in COMPOSE["volumes"] or rest[-1] == "ro" for source, *rest in mounted)


@EACH
def test_a_service_is_pinned_and_reached_from_this_machine_only(name: str) -> None:
    service = SERVICES[name]
    image = service.get("image", "built:here")
    assert re.fullmatch(r"[\w/.-]+:[\w.-]+", image)
    assert not image.endswith(":latest")
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_no_password_stands_in_the_file() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    assert re.findall(r"(?i)(?:password|secret|token)\s*[:=]\s*[\"']?\w+", text) == []
    assert all(set(secret) == {"file"} for secret in COMPOSE["secrets"].values())


def test_every_file_that_is_mounted_is_in_the_repository() -> None:
    for service in SERVICES.values():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or (DEPLOY / source).resolve().exists()
    assert (DEPLOY / "prometheus" / "compose.yml").exists()


def contained(
    name: str,
    program: list[str],
    writable: list[Path],
    log: Path,
    shown: Mapping[Path, Path] | None = None,
    **env: str,
) -> Process:
    """Start a service's command as its user, without privileges, where only its volumes can be written.

    The image's program and paths are this machine's; everything else is the file's. ``shown`` are directories
    that the user may not reach, and the places where it sees them.
    """
    user, _, group = SERVICES[name]["user"].partition(":")
    for path in writable:
        path.mkdir(parents=True, exist_ok=True)
        os.chown(path, int(user), int(group))
    for path in shown or {}:
        path.mkdir()
    binds = [*(shown or {}).items(), *((path, path) for path in writable)]
    keep = " && ".join(f"mount --bind '{source}' '{target}'" for target, source in binds)
    lock = f"{keep} && mount -o remount,bind,ro /"
    drop = f"setpriv --reuid {user} --regid {group} --clear-groups --no-new-privs --bounding-set=-all"
    script = f'{lock} && exec {drop} -- "$@"'
    return Process(["unshare", "--mount", "sh", "-c", script, "sh", *program], log, env=env)


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a directory that other users may enter, which pytest's own is not."""
    path = Path("/var/tmp") / f"ragauge-compose-{os.getpid()}"  # noqa: S108 - removed below
    path.mkdir(mode=0o755)
    yield path
    shutil.rmtree(path)


def answers(url: str) -> bool:
    """Tell whether a server says that it is well."""
    return request("GET", url)[0] == 200


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may become the containers' users")


@needs_root
@pytest.mark.prometheus
def test_prometheus_runs_with_the_containers_command(place: Path) -> None:
    config = place / "config"
    shutil.copytree(DEPLOY / "prometheus", config)
    text = (config / "compose.yml").read_text()
    (config / "compose.yml").write_text(text.replace("/run/secrets/scrape_key", str(config / "key")))
    (config / "key").write_text("a key")
    port, data = free_port(), place / "data"
    paths = {"/etc/prometheus": str(config), "=/prometheus": f"={data}"}
    command = [replaced(word, paths) for word in SERVICES["prometheus"]["command"]]
    program = ["prometheus", *command, f"--web.listen-address=127.0.0.1:{port}"]
    run = contained("prometheus", program, [data], place / "log")
    try:
        run.wait_for(lambda: answers(f"http://127.0.0.1:{port}/-/ready"), "Prometheus")
    finally:
        run.stop()


@needs_root
@pytest.mark.prometheus
def test_alertmanager_runs_with_the_containers_command(place: Path) -> None:
    config = place / "config"
    shutil.copytree(DEPLOY / "alertmanager", config)
    port, data = free_port(), place / "data"
    paths = {"/etc/alertmanager": str(config), "=/alertmanager": f"={data}"}
    command = [replaced(word, paths) for word in SERVICES["alertmanager"]["command"]]
    name = shutil.which("prometheus-alertmanager") or "alertmanager"
    program = [name, *command, f"--web.listen-address=127.0.0.1:{port}"]
    run = contained("alertmanager", program, [data], place / "log")
    try:
        run.wait_for(lambda: answers(f"http://127.0.0.1:{port}/-/ready"), "Alertmanager")
    finally:
        run.stop()


@needs_root
@pytest.mark.server
def test_store_and_service_run_with_the_containers_commands(place: Path) -> None:
    """The service wants keys where others can reach it, so it gets a file of them."""
    store_port, port = free_port(), free_port()
    add = ["keys", "add", "prometheus", "--scope", "read", "--file", str(place / "api_keys")]
    made = subprocess.run(
        [sys.executable, "-m", "ragauge_service", *add], check=True, capture_output=True, text=True
    )
    (place / "api_keys").chmod(0o644)
    store = contained(
        "store",
        [
            "redis-server",
            *SERVICES["store"]["command"][1:-1],
            str(place / "store"),
            "--port",
            str(store_port),
        ],
        [place / "store"],
        place / "store.log",
    )
    environment = {
        **SERVICES["ragauge"]["environment"],
        "RAGAUGE_SERVICE_STORE_URL": f"redis://127.0.0.1:{store_port}/0",
        "RAGAUGE_SERVICE_API_KEYS_FILE": str(place / "api_keys"),
        "RAGAUGE_SERVICE_DATA_DIR": str(place / "data"),
        "RAGAUGE_SERVICE_PORT": str(port),
        "HOME": str(place / "data"),
    }
    shown = {
        place / "python": Path(sys.base_prefix),
        place / "site": Path(sysconfig.get_path("purelib")),
        place / "sdk": ROOT / "sdk",
        place / "service": ROOT / "service",
    }
    environment["LD_LIBRARY_PATH"] = str(place / "python" / "lib")
    environment["PYTHONPATH"] = os.pathsep.join(str(path) for path in list(shown)[1:])
    interpreter = place / "python" / "bin" / f"python3.{sys.version_info.minor}"
    program = [str(interpreter), "-m", "ragauge_service", *SERVICES["ragauge"]["command"]]
    try:
        store.wait_for(lambda: "Ready to accept" in store.output, "the store")
        run = contained("ragauge", program, [place / "data"], place / "log", shown, **environment)
        try:
            run.wait_for(lambda: answers(f"http://127.0.0.1:{port}/readyz"), "the service")
            assert not answers(f"http://127.0.0.1:{port}/metrics")
            key = {"Authorization": f"Bearer {made.stdout.strip()}"}
            assert request("GET", f"http://127.0.0.1:{port}/metrics", headers=key)[0] == 200
        finally:
            run.stop()
    finally:
        store.stop()


def replaced(word: str, paths: dict[str, str]) -> str:
    """Return an argument with the container's paths replaced by this machine's."""
    for theirs, ours in paths.items():
        word = word.replace(theirs, ours)
    return word
