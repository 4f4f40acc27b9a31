"""Run at a steady rate for minutes: the memory of every process must be flat after warm-up, the lag bounded.

``python tests/chaos/soak.py [--minutes 2] [--rate 20000]``; short horizons let the stream be trimmed.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from scenarios import AOF  # noqa: E402 - its place is known only now
from scene import Scene  # noqa: E402 - the same

from ragauge_service.core.config import EngineConfig  # noqa: E402 - the same
from servers import Server  # noqa: E402 - the same

SAMPLE_S = 5.0
GROWTH = 0.10
LAG_MS = 10_000
HORIZON_MS = 20_000
RING = 500


def rss_mib(pid: int) -> float:
    """Return how much memory a process has resident."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1_024 for line in lines if line.startswith("VmRSS"))


def soak(directory: Path, minutes: float, rate: float) -> list[str]:
    """Return what was not flat or not bounded."""
    config = EngineConfig(shards=8, join_horizon_ms=HORIZON_MS, rescore_horizon_ms=HORIZON_MS)
    with Scene(directory, Server(directory / "server", options=AOF), config=config) as scene:
        for _ in range(2):
            scene.start_worker()
        scene.start_producer(rate, ring=RING)
        watched = {"server": scene.server.pid}
        watched |= {f"worker {n}": worker.process.pid for n, worker in enumerate(scene.workers)}
        watched["producer"] = scene.producers[0].process.pid
        samples: dict[str, list[float]] = {name: [] for name in watched}
        lags: list[int] = []
        ends = time.monotonic() + minutes * 60
        while time.monotonic() < ends:
            time.sleep(SAMPLE_S)
            for name, pid in watched.items():
                samples[name].append(rss_mib(pid))
            lags.append(scene.lag_ms())
        return [*_growing(samples), *_lagging(lags)]


def _growing(samples: dict[str, list[float]]) -> list[str]:
    """Compare the second quarter, after warm-up, with the last one."""
    wrong: list[str] = []
    for name, sizes in samples.items():
        quarter = len(sizes) // 4
        early, late = max(sizes[quarter : 2 * quarter]), max(sizes[-quarter:])
        print(f"{name}: {early:.0f} MiB after warm-up, {late:.0f} MiB at the end")  # noqa: T201
        if late > early * (1 + GROWTH) + 2:
            wrong.append(f"{name} grew from {early:.0f} to {late:.0f} MiB")
    return wrong


def _lagging(lags: list[int]) -> list[str]:
    late = lags[len(lags) // 4 :]
    print(f"lag: at most {max(late)} ms, {sorted(late)[len(late) // 2]} ms in the middle")  # noqa: T201
    return [f"lag of {max(late)} ms"] if max(late) > LAG_MS else []


def run(minutes: float, rate: float) -> int:
    """Print what was measured and return 0 when all was flat and bounded."""
    with tempfile.TemporaryDirectory(prefix="ragauge-soak-") as directory:
        wrong = soak(Path(directory), minutes, rate)
    print("soak:", "; ".join(wrong) or "flat and bounded")  # noqa: T201
    return int(bool(wrong))


def main() -> int:
    """Soak as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--rate", type=float, default=10_000.0, help="events a second")
    options = parser.parse_args()
    return run(options.minutes, options.rate)


if __name__ == "__main__":
    sys.exit(main())
