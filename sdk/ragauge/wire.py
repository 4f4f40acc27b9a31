"""The bytes of a stream entry: a versioned msgpack array of events, each an append-only array.

An entry's fields: ``p`` producer, ``s`` sequence, ``v`` version, ``t`` sent_at in Unix milliseconds,
``b`` the events. Arrays only ever grow at the end; a reader ignores trailing fields that it does not
know and fills the ones that are missing with defaults.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast

import msgpack

from ragauge.errors import MalformedEventError, UnknownVersionError
from ragauge.events import (
    OUTCOMES,
    SIGNAL_KINDS,
    Event,
    JudgmentsEvent,
    JudgmentsMode,
    Retrieval,
    Signal,
)

VERSION: Final = 1
RETRIEVAL: Final = 1
SIGNAL: Final = 2
JUDGMENTS: Final = 3

MAX_ID_LENGTH: Final = 512
MAX_EVENTS: Final = 2_000
MAX_ENTRY_BYTES: Final = 4 * 1024 * 1024
MAX_TEXT_LENGTH: Final = 16_384
MAX_GRADES: Final = 10_000

MODES: Final[tuple[JudgmentsMode, ...]] = ("replace", "merge", "delete")


def retrieval_row(event: Retrieval) -> list[Any]:
    """Return a retrieval as its array; the positions are those that ``_RETRIEVAL`` names.

    >>> row = retrieval_row(Retrieval(id=32 * "0", key="i:q1", ids=("a", "b"), total=2))
    >>> parse(row).ids
    ('a', 'b')
    """
    return [
        RETRIEVAL,
        bytes.fromhex(event.id),
        event.key,
        event.category,
        event.retriever,
        event.variant,
        event.at,
        OUTCOMES.index(event.outcome),
        event.ids,
        event.total,
        event.offset,
        bytes.fromhex(event.parent) if event.parent else None,
        event.probe,
        event.sample_rate,
        event.batch,
        event.latency_ms,
        event.scores,
        event.distances,
        event.query,
        event.query_id,
        event.version,
        dict(event.params) or None,
        event.error_type,
        event.trace_id,
        event.span_id,
    ]


def signal_row(event: Signal) -> list[Any]:
    """Return a signal as its array.

    >>> parse(signal_row(Signal(retrieval_id=32 * "0", doc_id="d1"))).doc_id
    'd1'
    """
    return [
        SIGNAL,
        bytes.fromhex(event.retrieval_id),
        event.doc_id,
        SIGNAL_KINDS.index(event.kind),
        event.value,
        event.at,
        event.rank,
        event.user,
    ]


def judgments_row(event: JudgmentsEvent) -> list[Any]:
    """Return judgments as their array.

    >>> parse(judgments_row(JudgmentsEvent(key="i:q1", grades={"d1": 1}))).grades
    {'d1': 1}
    """
    return [
        JUDGMENTS,
        event.key,
        dict(event.grades),
        event.no_answer,
        event.forbidden,
        event.category,
        event.at,
        MODES.index(event.mode),
        event.query_id,
        event.query,
        event.source,
    ]


def row_of(event: Event) -> list[Any]:
    """Return any event as its array."""
    if isinstance(event, Retrieval):
        return retrieval_row(event)
    return signal_row(event) if isinstance(event, Signal) else judgments_row(event)


def pack(events: Iterable[Event]) -> bytes:
    """Return the ``b`` field of an entry.

    >>> [parse(row).key for row in unpack(pack([JudgmentsEvent(key="i:q1")]))]
    ['i:q1']
    """
    return pack_rows([row_of(event) for event in events])


def pack_rows(rows: Sequence[Sequence[Any]]) -> bytes:
    """Return the ``b`` field of an entry from arrays made by the ``*_row`` functions."""
    return cast("bytes", msgpack.packb(rows, use_bin_type=True))


def unpack(body: bytes) -> list[list[Any]]:
    """Return an entry's arrays, unchecked beyond being arrays that begin with a type; ``parse`` checks one.

    Raises:
        MalformedEventError: not msgpack, too large, or not an array of arrays.
    """
    if len(body) > MAX_ENTRY_BYTES:
        raise MalformedEventError(f"entry of {len(body)} bytes: at most {MAX_ENTRY_BYTES} wanted")
    try:
        rows = msgpack.unpackb(body, raw=False, strict_map_key=False, use_list=True)
    except Exception as error:  # noqa: BLE001 - msgpack raises many kinds on foreign bytes
        raise MalformedEventError(f"entry is not msgpack: {type(error).__name__}") from None
    if not isinstance(rows, list) or len(rows) > MAX_EVENTS:
        raise MalformedEventError(f"entry must be an array of at most {MAX_EVENTS} events")
    for index, row in enumerate(rows):
        if not isinstance(row, list) or not row:
            raise MalformedEventError(f"event {index}: must be an array, not {type(row).__name__}")
    return rows


def check_version(version: object) -> None:
    """Accept the version of an entry, or say that it is unknown.

    Raises:
        UnknownVersionError: another version than ours.

    >>> check_version(b"1")
    """
    if version not in (VERSION, str(VERSION), str(VERSION).encode()):
        raise UnknownVersionError(f"entry of version {version!r:.40}: version {VERSION} wanted")


def parse(row: Sequence[Any]) -> Event:
    """Return the checked event that an array stands for.

    Raises:
        MalformedEventError: a field is missing, of the wrong type, or over its limit.
    """
    if not row:
        raise MalformedEventError("event is an empty array")
    parser = _PARSERS.get(row[0]) if isinstance(row[0], int) else None
    if parser is None:
        raise MalformedEventError(f"event type {row[0]!r:.40}: 1, 2 or 3 wanted")
    return parser(row)


Check = Callable[[Any], bool]


def _text(limit: int) -> Check:
    return lambda value: isinstance(value, str) and 0 < len(value) <= limit


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124 - NaN


def _is_id(value: Any) -> bool:
    return isinstance(value, bytes) and len(value) == 16


def _short(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_ID_LENGTH


def _ids(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) <= 100 and all(map(_name, value))


def _scores(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) <= 100 and all(map(_number, value))


def _grades(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= MAX_GRADES
        and all(_name(doc) and isinstance(grade, int) and abs(grade) < 2**31 for doc, grade in value.items())
    )


def _names(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) <= MAX_GRADES and all(map(_name, value))


def _rate(value: Any) -> bool:
    return _number(value) and 0 < value <= 1


def _params(value: Any) -> bool:
    return isinstance(value, dict) and len(value) <= 64 and all(isinstance(key, str) for key in value)


def _bool(value: Any) -> bool:
    return isinstance(value, bool)


def _below(limit: int) -> Check:
    return lambda value: _count(value) and value < limit


_name = _text(MAX_ID_LENGTH)
_long = _text(MAX_TEXT_LENGTH)

# name, check, what was wanted, default of a trailing field that an older release did not write
_RETRIEVAL: Final[tuple[tuple[str, Check, str, Any], ...]] = (
    ("id", _is_id, "16 bytes", ...),
    ("key", _name, "a query key", ...),
    ("category", _maybe(_name), "a name or nil", ...),
    ("retriever", _name, "a name", ...),
    ("variant", _short, "a short text", ...),
    ("at", _count, "Unix milliseconds", ...),
    ("outcome", _below(len(OUTCOMES)), "an outcome's index", ...),
    ("ids", _ids, f"at most 100 ids of 1 to {MAX_ID_LENGTH} characters", ...),
    ("total", _count, "a count", ...),
    ("offset", _count, "a count", 0),
    ("parent", _maybe(_is_id), "16 bytes or nil", None),
    ("probe", _maybe(_name), "a round or nil", None),
    ("sample_rate", _rate, "a rate in (0, 1]", 1.0),
    ("batch", _maybe(_name), "an id or nil", None),
    ("latency_ms", _number, "milliseconds", 0.0),
    ("scores", _maybe(_scores), "at most 100 numbers or nil", None),
    ("distances", _bool, "a boolean", False),
    (
        "query",
        _maybe(lambda value: isinstance(value, str) and len(value) <= MAX_TEXT_LENGTH),
        "a text",
        None,
    ),
    ("query_id", _maybe(_name), "an id or nil", None),
    ("version", _short, "a short text", ""),
    ("params", _maybe(_params), "at most 64 named values or nil", None),
    ("error_type", _maybe(_short), "a short text or nil", None),
    ("trace_id", _maybe(_short), "a short text or nil", None),
    ("span_id", _maybe(_short), "a short text or nil", None),
)
_SIGNAL: Final[tuple[tuple[str, Check, str, Any], ...]] = (
    ("retrieval_id", _is_id, "16 bytes", ...),
    ("doc_id", _maybe(_name), "an id or nil", ...),
    ("kind", _below(len(SIGNAL_KINDS)), "a kind's index", ...),
    ("value", _maybe(_number), "a number or nil", None),
    ("at", _count, "Unix milliseconds", 0),
    ("rank", _maybe(_count), "a rank or nil", None),
    ("user", _maybe(_short), "a pseudonym or nil", None),
)
_JUDGMENTS: Final[tuple[tuple[str, Check, str, Any], ...]] = (
    ("key", _name, "a query key", ...),
    ("grades", _grades, "a map of document ids to integer grades", ...),
    ("no_answer", _bool, "a boolean", False),
    ("forbidden", _names, "document ids", ()),
    ("category", _maybe(_name), "a name or nil", None),
    ("at", _count, "Unix milliseconds", 0),
    ("mode", _below(len(MODES)), "a mode's index", 0),
    ("query_id", _maybe(_name), "an id or nil", None),
    ("query", _maybe(_long), "a text or nil", None),
    ("source", _short, "a short text", ""),
)

FIELDS: Final[Mapping[int, tuple[str, ...]]] = {
    kind: tuple(name for name, *_ in layout)
    for kind, layout in ((RETRIEVAL, _RETRIEVAL), (SIGNAL, _SIGNAL), (JUDGMENTS, _JUDGMENTS))
}
"""The names of an array's fields, behind the type it begins with."""


def _fields(what: str, layout: Sequence[tuple[str, Check, str, Any]], row: Sequence[Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for position, (name, check, wanted, default) in enumerate(layout, start=1):
        if position >= len(row):
            if default is ...:
                raise MalformedEventError(f"{what}: field {name!r} is missing")
            values[name] = default
        elif check(row[position]):
            values[name] = row[position]
        else:
            kind = type(row[position]).__name__
            raise MalformedEventError(f"{what}: field {name!r} must be {wanted}, not this {kind}")
    return values


def _parse_retrieval(row: Sequence[Any]) -> Retrieval:
    values = _fields("retrieval", _RETRIEVAL, row)
    values["id"] = values["id"].hex()
    values["parent"] = values["parent"].hex() if values["parent"] else None
    values["outcome"] = OUTCOMES[values["outcome"]]
    values["ids"] = tuple(values["ids"])
    values["scores"] = None if values["scores"] is None else tuple(map(float, values["scores"]))
    values["params"] = values["params"] or {}
    return Retrieval(**values)


def _parse_signal(row: Sequence[Any]) -> Signal:
    values = _fields("signal", _SIGNAL, row)
    values["retrieval_id"] = values["retrieval_id"].hex()
    values["kind"] = SIGNAL_KINDS[values["kind"]]
    return Signal(**values)


def _parse_judgments(row: Sequence[Any]) -> JudgmentsEvent:
    values = _fields("judgments", _JUDGMENTS, row)
    values["forbidden"] = tuple(values["forbidden"])
    values["mode"] = MODES[values["mode"]]
    return JudgmentsEvent(**values)


_PARSERS: Final[Mapping[int, Callable[[Sequence[Any]], Event]]] = {
    RETRIEVAL: _parse_retrieval,
    SIGNAL: _parse_signal,
    JUDGMENTS: _parse_judgments,
}
