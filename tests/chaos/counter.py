"""The smallest worker there can be, over the store's interface alone: it counts ranks per category.

It shows what a worker owes the store, and tells a fault of the store from one of the engine. Run as
``python counter.py URL NAMESPACE NAME ANSWERS_FILE``; every answer but OK is written down at once.
"""

import json
import os
import signal
import sys
import time
from collections import Counter
from contextlib import suppress

from load import relevant_rank

from ragauge.wire import unpack
from ragauge_service.core.changes import Changes, SlotKey
from ragauge_service.store.connection import connect
from ragauge_service.store.errors import StoreUnavailable
from ragauge_service.store.lease import fair_share
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import Entry, ShardStore

LEASE_MS = 3_000
COMMIT_S = 0.25
READ_S = 0.02
READ = 500
SLOT = SlotKey(1, 0)


class Held:
    """A shard that this worker holds: what it counted, up to where."""

    def __init__(self, store: ShardStore, epoch: int) -> None:
        self.store = store
        self.epoch = epoch
        self.offset = self.read = store.state().offset
        rows = store.load_slot(SLOT)
        self.counts = {category: Counter(json.loads(row)) for category, row in rows.items()}

    def take(self) -> None:
        """Count what is new in the stream."""
        for entry in self.store.read(self.read, READ):
            self.read = entry.id
            self._count(entry)

    def _count(self, entry: Entry) -> None:
        for row in unpack(entry.fields.get(b"b", b"\x90")):
            self.counts.setdefault(row[3], Counter())[str(relevant_rank(row[2][2:]))] += 1

    def commit(self) -> str:
        """Write what was counted; the answer is the script's."""
        if self.read == self.offset:
            return "OK"
        rows = {category: json.dumps(counts).encode() for category, counts in self.counts.items()}
        answer = self.store.commit(
            epoch=self.epoch, previous=self.offset, offset=self.read, changes=Changes(slots={SLOT: rows})
        )
        if answer == "OK":
            self.offset = self.read
        return answer


class Worker:
    """Takes its share of the shards, and lets go of each that it can no longer be sure of."""

    def __init__(self, namespace: Namespace, name: str, answers: int) -> None:
        self._namespace = namespace
        self._name = name
        self._answers = answers
        self._held: dict[int, Held] = {}
        self._renewed = self._committed = 0.0

    def step(self) -> None:
        """Do one round. After a fault nothing is forgotten: the scripts say what still holds."""
        for part in (self._read, self._commit, self._take_leases):
            with suppress(StoreUnavailable):
                part()
        time.sleep(READ_S)

    def _take_leases(self) -> None:
        if time.monotonic() - self._renewed < LEASE_MS / 4_000:
            return
        self._renewed = time.monotonic()
        alive = self._namespace.owners.beat(self._name, LEASE_MS)
        shards = self._namespace.config.shards
        share = fair_share(shards, len(alive))
        for index, held in list(self._held.items()):
            if len(self._held) > share or not held.store.lease.renew(held.epoch):
                held.store.lease.release(held.epoch)
                del self._held[index]
        for index in range(shards):
            if len(self._held) < share and index not in self._held:
                store = self._namespace.shard(index)
                if epoch := store.lease.acquire(self._name, LEASE_MS):
                    self._held[index] = Held(store, epoch)
                    self._note(f"ACQUIRED {index}")

    def _read(self) -> None:
        for held in self._held.values():
            held.take()

    def _commit(self) -> None:
        if time.monotonic() - self._committed < COMMIT_S:
            return
        self._committed = time.monotonic()
        for index, held in list(self._held.items()):
            if (answer := held.commit()) != "OK":
                self._note(answer)
                del self._held[index]

    def _note(self, answer: str) -> None:
        os.write(self._answers, f"{time.time():.3f} {answer}\n".encode())

    def close(self) -> None:
        """Give everything back."""
        for held in self._held.values():
            held.store.lease.release(held.epoch)
        self._namespace.owners.leave(self._name)


def main() -> None:
    """Count until SIGTERM."""
    url, name, owner, answers = sys.argv[1:]
    worker = Worker(
        Namespace(connect(url), name), owner, os.open(answers, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    )
    running = [True]
    signal.signal(signal.SIGTERM, lambda *_: running.clear())
    while running:
        worker.step()
    worker.close()


if __name__ == "__main__":
    main()
