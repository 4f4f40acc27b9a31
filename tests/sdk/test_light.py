"""An application pays for what it uses."""

import subprocess
import sys


def test_importing_ragauge_stays_light() -> None:
    heavy = ("redis", "numpy", "pydantic", "opentelemetry", "polars", "click", "rich", "ssl")
    code = f"import ragauge, sys; sys.exit(' '.join(m for m in {heavy!r} if m in sys.modules) or 0)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
