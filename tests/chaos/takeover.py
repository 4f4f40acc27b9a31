"""How long a shard goes uncounted after kill -9 of its worker, with default settings, replay included.

``python tests/chaos/takeover.py [--runs 5] [--rate 2000] [--warm 30]``
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from scenarios import AOF  # noqa: E402 - its place is known only now
from scene import Scene  # noqa: E402 - the same

from servers import Server, wait_until  # noqa: E402 - the same

LIMIT_S = 10.0


def measure(directory: Path, rate: float, warm_s: float) -> float:
    """Return the seconds from the kill until every shard has been committed by the worker that is left."""
    with Scene(directory, Server(directory / "server", options=AOF)) as scene:
        doomed = scene.start_worker()
        scene.start_producer(rate)
        time.sleep(warm_s)
        scene.start_worker(wait=False)
        wait_until(
            lambda: len(scene.owned_by("w1")) == scene.shards // 2, "the second worker to take its share"
        )
        scene.keep_up()
        lost = scene.owned_by("w0")
        before = {shard: scene.namespace.shard(shard).state().version for shard in lost}
        doomed.kill()
        began = time.monotonic()
        wait_until(
            lambda: (
                all(scene.namespace.shard(shard).state().version > before[shard] for shard in lost)
                and scene.owned_by("w1") == list(range(scene.shards))
            ),
            "all shards to be counted again",
            120,
        )
        scene.keep_up()
        seconds = time.monotonic() - began
        outcome = scene.finish()
        assert outcome.right, outcome.wrong
        return seconds


def run(runs: int, rate: float = 2_000.0, warm_s: float = 30.0) -> int:
    """Print each takeover and return 0 when every one was fast enough and lost nothing."""
    taken: list[float] = []
    for number in range(runs):
        with tempfile.TemporaryDirectory(prefix="ragauge-takeover-") as directory:
            taken.append(measure(Path(directory), rate, warm_s))
        print(f"takeover run {number + 1}: {taken[-1]:.1f} s", flush=True)  # noqa: T201
    print(f"takeover: at most {max(taken):.1f} s, wanted under {LIMIT_S:.0f} s")  # noqa: T201
    return int(max(taken) >= LIMIT_S)


def main() -> int:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=2_000.0, help="events a second")
    parser.add_argument("--warm", type=float, default=30.0, help="seconds of events to replay")
    options = parser.parse_args()
    return run(options.runs, options.rate, options.warm)


if __name__ == "__main__":
    sys.exit(main())
