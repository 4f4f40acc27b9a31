"""The real corpus, read once a process: a few seconds of parsing."""

import pytest

from ragauge_service.demo.corpus import Document, documents


@pytest.fixture(scope="session")
def corpus() -> list[Document]:
    """Return the docstrings of the Python that runs the tests."""
    return documents()
