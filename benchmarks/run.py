"""Run every benchmark of this folder, or those that are named: ``python benchmarks/run.py sdk engine``.

Each is a script of its own, which times ours and its peers in one run and prints ratios.
"""

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(names: list[str]) -> int:
    """Run the benchmarks and return 1 if one of them failed."""
    known = {
        path.stem: path for path in sorted(HERE.glob("*.py")) if path.stem != "run" and path.stem[0] != "_"
    }
    if unknown := [name for name in names if name not in known]:
        print(f"no benchmark {', '.join(unknown)}: one of {', '.join(known)} wanted", file=sys.stderr)
        return 2
    failed = [name for name in names or known if not _passes(known[name])]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _passes(script: Path) -> bool:
    began = time.monotonic()
    print(f"\n=== {script.stem} ===", flush=True)
    code = subprocess.run([sys.executable, str(script)], check=False).returncode
    print(f"--- {script.stem}: {time.monotonic() - began:.0f} s, exit code {code}", flush=True)
    return code == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
