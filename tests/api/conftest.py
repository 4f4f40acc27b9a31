"""One running service for all tests of the surface; each uses queries of its own."""

import secrets
from collections.abc import Iterator

import pytest

from harness.service import Service, running_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(tmp_path_factory.mktemp("api"), "--workers", "1") as service:
        yield service


@pytest.fixture
def name() -> str:
    """Return a name that no other test uses."""
    return f"n{secrets.token_hex(6)}"
