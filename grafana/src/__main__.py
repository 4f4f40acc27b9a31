"""Write the dashboards' JSON; with ``--check``, only say whether the files are what would be written."""

import json
import sys
from pathlib import Path

from grafana.src.category import category
from grafana.src.overview import overview
from grafana.src.service import service
from grafana.src.trust import trust
from grafana.src.variants import variants
from grafana_foundation_sdk.cog.encoder import JSONEncoder

FOLDER = Path(__file__).resolve().parents[1] / "dashboards"


def texts() -> dict[Path, str]:
    """Return what each file has to hold."""
    boards = [overview(), category(), variants(), trust(), service()]
    return {
        FOLDER / f"{board.uid}.json": json.dumps(board, cls=JSONEncoder, indent=2, sort_keys=True) + "\n"
        for board in boards
    }


def main() -> int:
    """Write or check, and return the exit code."""
    wanted = texts()
    if "--check" not in sys.argv:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [p.name for p, text in wanted.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    surplus = [path.name for path in FOLDER.glob("*.json") if path not in wanted]
    for name in [*stale, *surplus]:
        print(f"{name}: not what grafana/src writes; run `make dashboards`")
    return 1 if stale or surplus else 0


if __name__ == "__main__":
    sys.exit(main())
