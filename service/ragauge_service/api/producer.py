"""The service as a producer of its own: for what arrives without a sequence, and for judgments."""

import secrets
import threading
from collections.abc import Mapping, Sequence

from ragauge.events import Event, JudgmentsEvent, Retrieval, partition_of_id, shard_of
from ragauge.protocol import OK
from ragauge.wire import pack
from ragauge_service.api.bodies import now_ms
from ragauge_service.store.errors import StoreUnavailable
from ragauge_service.store.namespace import Namespace

BATCH = 500
"""Most events of one entry."""


class Producer:
    """Appends events to their shards, numbered per shard; safe to use from many threads.

    After an append whose outcome is unknown the shard gets a new producer id, since its caller is told
    and sends again: such events are delivered at least once.
    """

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace
        self._locks = [threading.Lock() for _ in range(namespace.config.shards)]
        self._marks: dict[int, tuple[str, int]] = {}

    @property
    def shards(self) -> int:
        """Return P."""
        return len(self._locks)

    def send(self, events: Mapping[int, Sequence[Event]]) -> None:
        """Append events by shard.

        Raises:
            StoreUnavailable: some may have been appended; send them all again.
        """
        for shard, batch in sorted(events.items()):
            for at in range(0, len(batch), BATCH):
                self._append(shard, pack(batch[at : at + BATCH]))

    def shard_of(self, event: Event, partition: int | None = None) -> int:
        """Return where an event belongs: by its retrieval's id, or by the partition of its query."""
        if isinstance(event, JudgmentsEvent):
            assert partition is not None  # noqa: S101 - judgments come with theirs
            return shard_of(partition, self.shards)
        own = event.id if isinstance(event, Retrieval) else event.retrieval_id
        return shard_of(partition_of_id(own), self.shards)

    def _append(self, shard: int, body: bytes) -> None:
        with self._locks[shard]:
            name, mark = self._marks.get(shard) or (f"api-{secrets.token_hex(8)}", 0)
            try:
                answer = self.namespace.shard(shard).append(name, mark + 1, now_ms(), body)
            except StoreUnavailable:
                self._marks.pop(shard, None)
                raise
            if answer.status == OK:
                self._marks[shard] = (name, mark + 1)
                return
            self._marks.pop(shard, None)  # our mark expired: begin again under a new id
            fresh = f"api-{secrets.token_hex(8)}"
            self.namespace.shard(shard).append(fresh, 1, now_ms(), body)
            self._marks[shard] = (fresh, 1)
