"""The public surface keeps its types, for both checkers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.slow
def test_mypy_sees_the_wrapped_signature(tmp_path: Path) -> None:
    """An ignore that is not needed is an error too: what must be refused, is."""
    command = [sys.executable, "-m", "mypy", "--strict", "--warn-unused-ignores", "--follow-imports=silent"]
    command += ["--cache-dir", str(tmp_path), "--no-error-summary", str(HERE / "signatures.py")]
    done = subprocess.run(command, cwd=ROOT / "sdk", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_pyright_sees_the_wrapped_signature() -> None:
    program = shutil.which("pyright", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("pyright is not installed")
    command = [program, "--pythonpath", sys.executable, "-p", str(ROOT), str(HERE / "signatures.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
