"""What lies in the store, counted now and then by the instance that holds the monitor's lease."""

from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Any, Final

from ragauge_service.core.judged import unpack_versions
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore

Gauge = tuple[str, tuple[str, ...], float]

EVERY_S: Final = 5.0
JUDGMENTS_EVERY_S: Final = 60.0
"""Judgments change seldom, and their age is read from the records themselves."""

MOST_RECORDS: Final = 200_000
"""How many judgments a shard's newest one is looked for among."""


class Census:
    """Gauges of shards, judgments and store; ``clock`` is monotonic seconds, ``holds`` tells who counts."""

    def __init__(self, namespace: Namespace, holds: Callable[[], bool], clock: Callable[[], float]) -> None:
        self._namespace = namespace
        self._holds = holds
        self._clock = clock
        self._counted = self._judged = float("-inf")
        self._gauges: list[Gauge] = []
        self._judgments: list[Gauge] = []

    def gauges(self) -> Generator[Gauge]:
        """Yield the gauges, counted anew when they are old; nothing from an instance that is not the one.

        Raises:
            StoreUnavailable: the store does not answer; what it holds is unknown.
        """
        if not self._holds():
            return
        now = self._clock()
        if now >= self._counted + EVERY_S:
            self._gauges, self._counted = [*self._count()], now
        if now >= self._judged + JUDGMENTS_EVERY_S or not self._judgments:
            self._judgments, self._judged = [*self._count_judgments()], now
        yield from self._gauges
        yield from self._judgments

    def _count(self) -> Iterator[Gauge]:
        shards = self._shards()
        now = self._namespace.now_ms()
        yield "ragauge_shards", (), len(shards)
        yield "ragauge_dead_letter_entries", (), sum(len(shard.dead_letters) for shard in shards)
        for index, shard in enumerate(shards):
            yield from _of_shard(str(index), shard, now)
        yield from _memory(self._namespace.client.call("INFO", "memory"))
        deploys = [marker.at for marker in self._namespace.monitor.markers() if marker.kind == "deploy"]
        if deploys:
            yield "ragauge_deploy_timestamp_seconds", (), max(deploys) / 1_000

    def _count_judgments(self) -> Iterator[Gauge]:
        shards = self._shards()
        yield "ragauge_judged_queries", (), sum(shard.count_judgments() for shard in shards)
        newest = max((_newest(shard) for shard in shards), default=0)
        if newest:
            yield "ragauge_judgments_updated_timestamp_seconds", (), newest / 1_000

    def _shards(self) -> list[ShardStore]:
        return [self._namespace.shard(index) for index in range(self._namespace.config.shards)]


def _of_shard(name: str, shard: ShardStore, now: int) -> Iterator[Gauge]:
    """Yield how far a shard is behind: an idle one gets a tick each second, so its offset is never old."""
    kept = shard.retained()
    yield "ragauge_stream_entries", (name,), kept.entries
    yield "ragauge_stream_bytes", (name,), kept.bytes
    committed = int(shard.state().offset.partition("-")[0])
    if committed:
        yield "ragauge_shard_lag_seconds", (name,), max(0, now - committed) / 1_000


def _newest(shard: ShardStore) -> int:
    """Return when the newest judgment came, in Unix milliseconds; 0 without any."""
    records = islice(shard.iter_judgments(), MOST_RECORDS)
    return max((version.entry[0] for _, record in records for version in unpack_versions(record)), default=0)


def _memory(answer: Any) -> Iterator[Gauge]:
    """Yield what the server says of its memory, which it says as text or, through a client, as a mapping."""
    yield "ragauge_store_up", (), 1
    if isinstance(answer, bytes):
        answer = dict(line.split(b":", 1) for line in answer.split(b"\r\n") if b":" in line)
    fields = {_text(name): value for name, value in answer.items()} if isinstance(answer, dict) else {}
    for name, field in (("bytes", "used_memory"), ("limit_bytes", "maxmemory")):
        value = int(fields.get(field, 0))
        if value:
            yield f"ragauge_store_memory_{name}", (), value


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
