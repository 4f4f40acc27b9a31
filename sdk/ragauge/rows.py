"""From what the caller noted to the row that travels: ids as text, query keys, limits of the wire."""

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragauge.counts import Counts
from ragauge.events import (
    MAX_IDS,
    OUTCOMES,
    Event,
    Retrieval,
    id_key,
    partition_of,
    partition_of_id,
    text_key,
)
from ragauge.identity import content_id, format_id, partition_for, source_of, suffix_of
from ragauge.record import Identity, More, Record
from ragauge.settings import Settings
from ragauge.wire import MAX_ID_LENGTH, RETRIEVAL, parse, row_of

_log: Final = logging.getLogger("ragauge")


class RowMaker:
    """Makes rows, in the worker."""

    def __init__(self, settings: Settings, counts: Counts) -> None:
        self._settings = settings
        self._counts = counts
        self._seen: set[str] = set()

    def row(self, item: Any) -> tuple[int, list[Any]] | None:
        """Return partition and row of a record or signal, or None if ``before_send`` keeps it back."""
        if type(item) is tuple:
            partition, row = self._retrieval(Record(*item))
        else:
            partition, row = partition_of_id(item.retrieval_id), row_of(item)
        if self._settings.before_send is None:
            return partition, row
        event = self._settings.before_send(parse(row))
        if event is None:
            self._counts.add("dropped_before_send")
            return None
        return _partition(event, partition), row_of(event)

    def _retrieval(self, record: Record) -> tuple[int, list[Any]]:
        plan, more = record.plan, record.more
        number, at, query, query_id = record.identity
        self._look_at(record, more)
        source = source_of(query, query_id)
        partition = partition_for(query, query_id, number) if source is None else partition_of(source)
        own = format_id(partition, suffix_of(at // 1_000_000, number))
        said = more.said or {}
        made = None if more.span is None else more.span(own, record)
        trace = made or more.trace or (None, None)
        return partition, [
            RETRIEVAL,
            bytes.fromhex(own),
            _key(query, query_id, own),
            _name(said.get("category") or _fixed(plan.category) or self._settings.category),
            _name(plan.name) or "default",
            _name(said.get("variant") or _fixed(plan.variant)) or "",
            at // 1_000_000,
            OUTCOMES.index(record.outcome),  # type: ignore[arg-type] - written by us
            self._ids(record.ids),
            record.total,
            more.offset,
            _parent(record.parent),
            more.probe,
            more.rate,
            more.batch,
            record.took * 1e3,
            _scores(record.scores),
            more.distances,
            query if self._settings.capture_query == "text" else None,
            _name(query_id),
            _name(said.get("version") or _fixed(plan.version)) or "",
            _params(said.get("params") or _fixed(plan.params)),
            _name(record.error_type),
            *trace,
        ]

    def _look_at(self, record: Record, more: More) -> None:
        """Count what is odd about a call, and name an unknown shape once."""
        if more.without_id:
            self._counts.add("ids_from_content", more.without_id)
        if more.unknown is None:
            return
        self._counts.add("unknown_shape")
        if more.unknown not in self._seen and len(self._seen) < 100:
            self._seen.add(more.unknown)
            _log.warning(
                "ragauge: no document ids were found in a %s that %s returned; say how to find them:"
                " @ragauge.retriever(extract=lambda result: [hit.id for hit in result])",
                more.unknown,
                record.plan.name,
            )

    def _ids(self, ids: Sequence[Any]) -> list[str]:
        texts = [doc if type(doc) is str else _text_of(doc) for doc in ids[:MAX_IDS]]
        for place, text in enumerate(texts):
            if not 0 < len(text) <= MAX_ID_LENGTH:
                self._counts.add("ids_replaced")
                texts[place] = _stand_in(text, place)
        return texts


def _text_of(doc: Any) -> str:
    """Return an id as text; what is no text, number or UUID stands empty in its place."""
    if isinstance(doc, str | int) or type(doc).__name__ == "UUID" or type(doc).__module__ == "numpy":
        return str(doc)
    return ""


def _stand_in(text: str, place: int) -> str:
    """Return a unique name for an id that is empty or too long: its rank must stay taken."""
    return content_id(text) if text else f"ragauge:no-id:{place}"


def _key(query: str | None, query_id: str | None, own: str) -> str:
    if query_id is not None:
        return id_key(query_id)[:MAX_ID_LENGTH]
    key = text_key(query) if query is not None and source_of(query, None) else None
    return key or f"r:{own}"


def _fixed(value: Any) -> Any:
    return None if callable(value) else value


def _name(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)[:MAX_ID_LENGTH]


def _parent(parent: Any) -> bytes | None:
    if parent is None:
        return None
    return bytes.fromhex(parent if isinstance(parent, str) else Identity(*parent).id)


def _scores(scores: Sequence[Any] | None) -> list[float] | None:
    """Return scores as numbers; none at all when one of them is no number, since their places count."""
    if scores is None:
        return None
    try:
        numbers = [float(score) for score in scores[:MAX_IDS]]
    except (TypeError, ValueError):
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def _params(params: Any) -> dict[str, Any] | None:
    if not isinstance(params, Mapping) or not params:
        return None
    pairs = list(params.items())[:64]
    return {
        str(name): value if type(value) in {str, int, float, bool} else str(value) for name, value in pairs
    }


def _partition(event: Event, fallback: int) -> int:
    return partition_of_id(event.id) if isinstance(event, Retrieval) else fallback
