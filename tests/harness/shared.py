"""Reference data that lies beside the repository on some machines; tests that need it skip elsewhere."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("RAGAUGE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")


def shared(*parts: str) -> Path:
    """Return a file of the reference data, or skip the test."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference data {'/'.join(parts)} is not here", allow_module_level=True)
    return path
