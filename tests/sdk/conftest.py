"""What most tests of the SDK need: everything is logged into memory."""

from collections.abc import Iterator

import pytest

from ragauge.testing import MemoryTransport, recorded


@pytest.fixture
def memory() -> Iterator[MemoryTransport]:
    """Log into memory."""
    with recorded() as transport:
        yield transport
