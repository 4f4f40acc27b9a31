"""A million malformed stream events: the core sets them aside, and its memory stays flat.

``python tests/chaos/entries.py [COUNT]`` prints what was rejected, and the memory after each tenth.
"""

import random
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.malformed import malformed_fields, malformed_row
from ragauge.errors import MalformedEventError
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.entries import read_entry
from ragauge_service.core.joining import Joiner
from ragauge_service.core.naming import Kind
from ragauge_service.core.series import OTHER

AN_ENTRY = 50
START = 1_764_550_000_000
SETTLED = 0.3
"""After this share of the run the horizons have filled; from here on memory may not grow."""


class Fuzzed:
    """A shard that is given malformed entries, and commits like a worker would."""

    def __init__(self, seed: int = 7) -> None:
        self.rng = random.Random(seed)
        self.joiner = Joiner(EngineConfig(join_horizon_ms=20_000, rescore_horizon_ms=60_000))
        self.names: dict[Kind, set[str]] = {"category": set(), "retriever": set(), "variant": set()}
        self.entries = self.rejected = self.unreadable = 0

    def entry(self) -> None:
        """Give the core one entry, half a second later than the last."""
        self.entries += 1
        rows = [malformed_row(self.rng) for _ in range(AN_ENTRY)]
        fields = malformed_fields(self.rng, rows)
        try:
            entry = read_entry((START + 500 * self.entries, 0), fields)
        except MalformedEventError:
            self.unreadable += 1
            return
        done = self.joiner.accept(entry)
        while done < len(entry.rows):
            unknown = self.joiner.unknown([entry])
            self.joiner.admit({kind: self._admitted(kind, names) for kind, names in unknown.items()})
            done = self.joiner.accept(entry, done)
        if self.entries % 20 == 0:
            self.commit()

    def commit(self) -> None:
        """Take what changed, as a commit would."""
        self.rejected += len(self.joiner.rejected)
        self.joiner.rejected = []
        self.joiner.fill({key: {} for key in self.joiner.missing()})
        self.joiner.changes()

    def _admitted(self, kind: Kind, names: set[str]) -> dict[str, str]:
        known = self.names[kind]
        known.update(sorted(names)[: 20 - len(known)])
        return {name: name if name in known else OTHER for name in names}


def memory_mb() -> float:
    """Return the most memory that this process has had resident, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(count: int) -> int:
    """Fuzz, and return 1 if memory kept growing."""
    fuzzed, settled = Fuzzed(), 0.0
    entries = count // AN_ENTRY
    for number in range(1, entries + 1):
        fuzzed.entry()
        if number % max(1, entries // 10) == 0:
            _say(f"{number * AN_ENTRY:>9} events, {memory_mb():6.0f} MB")
        if number == int(SETTLED * entries):
            settled = memory_mb()
    fuzzed.commit()
    _say(f"rejected {fuzzed.rejected} events and {fuzzed.unreadable} whole entries of {entries}")
    return int(memory_mb() > 1.1 * settled + 8)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
