"""What most tests of the SDK need: everything is logged into memory."""

import os
from collections.abc import Iterator

import pytest

from ragauge.testing import MemoryTransport, recorded

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # before anything imports it: tests call nobody


@pytest.fixture
def memory() -> Iterator[MemoryTransport]:
    """Log into memory."""
    with recorded() as transport:
        yield transport
