"""A producer under test: keeps to the protocol, sends at a rate, and writes down what was acknowledged.

``python producer.py URL NAMESPACE NUMBER RATE ACKED_FILE RING`` sends until its standard input ends, then
sees to it that everything sent is in the stream, and prints how its entries were answered.
"""

import json
import os
import select
import sys
import time
from collections import Counter

from load import EVENTS, Writer

from ragauge_service.store.connection import connect
from ragauge_service.store.errors import StoreFull, StoreUnavailable
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore

PAUSE_S = 0.02


class Channel:
    """One producer's numbered entries on one shard, with a ring of what it sent last."""

    def __init__(self, store: ShardStore, writer: Writer, acked: int, ring: int) -> None:
        self._store = store
        self._writer = writer
        self._name = f"chaos{writer.producer}"
        self._acked = acked
        self._ring: dict[int, bytes] = {}
        self._keep = ring
        self.made = 0
        self.sent = 0
        self.answers: Counter[str] = Counter()

    def add(self) -> None:
        """Make one more entry."""
        self.made += 1
        self._ring[self.made] = self._writer.body(self.made)
        self._ring.pop(self.made - self._keep, None)

    def send(self) -> bool:
        """Send the next entry, if there is one; False when the store did not take it now."""
        if self.sent == self.made:
            return True
        seq = self.sent + 1
        try:
            answer = self._store.append(self._name, seq, time.time_ns() // 1_000_000, self._ring[seq])
        except StoreFull:
            self.answers["FULL"] += 1
            return False
        except StoreUnavailable:
            self.answers["UNAVAILABLE"] += 1
            return False
        self.answers[answer.status] += 1
        if answer.status in {"OK", "DUP"}:
            self.sent = max(seq, int(answer.value)) if answer.status == "DUP" else seq
            os.write(self._acked, b"%d %d\n" % (self._store.keys.shard, self.sent))
        else:  # GAP, or UNKNOWN when a failover lost even the first entry: from there again
            self.sent = int(answer.value) - 1
        return True

    def confirm(self) -> bool:
        """Return whether the last entry is in the stream; what a failover lost is sent again."""
        if self.sent == self.made:
            self.sent = max(0, self.sent - 1)
        return self.send() and self.sent == self.made


def main() -> None:
    """Send until standard input ends."""
    url, name, number, rate, acked_file, ring = sys.argv[1:]
    acked = os.open(acked_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    namespace = Namespace(connect(url), name)
    shards = namespace.config.shards
    channels = [
        Channel(namespace.shard(shard), Writer(int(number), shard, shards), acked, int(ring))
        for shard in range(shards)
    ]
    print("started", flush=True)  # noqa: T201 - its one word
    began = time.monotonic()
    run(channels, float(rate) / EVENTS)
    seconds = time.monotonic() - began
    for channel in channels:
        while not channel.confirm():
            time.sleep(PAUSE_S)
    answers = sum((channel.answers for channel in channels), Counter[str]())
    sent = sum(channel.made for channel in channels) * EVENTS
    print(json.dumps({"answers": answers, "rate": sent / seconds}), flush=True)  # noqa: T201 - and its last


def run(channels: list[Channel], entries_per_s: float) -> None:
    """Send one entry after the other, over all shards in turn, until standard input ends."""
    began, made = time.monotonic(), 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        channel = channels[made % len(channels)]
        channel.add()
        made += 1
        taken = channel.send()
        while taken and channel.sent < channel.made:
            taken = channel.send()
        ahead = made / entries_per_s - (time.monotonic() - began)
        if ahead > 0:
            time.sleep(ahead)


if __name__ == "__main__":
    main()
