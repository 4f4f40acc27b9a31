"""Stream entries as no producer of ours writes them: valid ones with fields replaced, cut, added; noise."""

import random
from typing import Any

import msgpack

from ragauge.events import JudgmentsEvent, Retrieval, Signal
from ragauge.wire import row_of
from ragauge_service.core.packing import pack

ID = "00" * 16
HUGE = 2**63

VALID = [
    row_of(Retrieval(id=ID, key="i:q1", ids=("a", "b"), total=2, at=1_764_550_000_000, trace_id="t")),
    row_of(Retrieval(id=ID, key="i:q2", category="c", ids=(), parent=ID, offset=0, query="how", batch="b")),
    row_of(Signal(retrieval_id=ID, doc_id="a", at=1)),
    row_of(JudgmentsEvent(key="i:q1", grades={"a": 1, "b": 0}, forbidden=("z",), category="c")),
]

ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3,
    4,
    255,
    HUGE,
    -HUGE,
    0.0,
    -1.5,
    float("nan"),
    float("inf"),
    -float("inf"),
    "",
    "x",
    "\x1f",
    "\x00",
    "i:q1",
    "x" * 513,
    "\u00e9" * 300,
    b"",
    b"x",
    b"\x00" * 16,
    b"\xff" * 17,
    [],
    [[]],
    [""],
    ["a", "a"],
    ["a"] * 101,
    [None],
    [1, 2],
    ["a", 1],
    {},
    {"a": 1},
    {"a": "b"},
    {"a": None},
    {1: 2},
    {"": 1},
    {"a": HUGE},
    {"a": -5},
    {"a": 1.5},
    msgpack.ExtType(5, b"xy"),
    msgpack.Timestamp(1, 2),
]


def malformed_row(rng: random.Random) -> Any:
    """Return an array that is nearly, or not at all, an event."""
    row: list[Any] = list(rng.choice(VALID))
    if isinstance(row[1], bytes):
        row[1] = rng.randbytes(16)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 8))):
        row[rng.randrange(len(row))] = rng.choice(ODD)
    turn = rng.random()
    if turn < 0.1:
        row = row[: rng.randrange(1, len(row) + 1)]
    elif turn < 0.2:
        row += rng.choices(ODD, k=rng.randrange(1, 4))
    elif turn < 0.2005:
        return rng.choice(ODD)
    return row


def malformed_fields(rng: random.Random, rows: list[Any]) -> dict[bytes, bytes]:
    """Return a stream entry's fields around rows; sometimes these, too, are wrong."""
    body = pack(rows)
    fields = {b"p": b"p", b"s": b"1", b"v": b"1", b"t": b"1764550000000", b"b": body}
    turn = rng.random()
    if turn < 0.02:
        at = rng.randrange(len(body))
        fields[b"b"] = body[:at] + rng.randbytes(rng.randrange(1, 9)) + body[at + rng.randrange(9) :]
    elif turn < 0.03:
        fields[b"b"] = rng.randbytes(rng.randrange(64))
    elif turn < 0.05:
        name = rng.choice((b"v", b"t", b"b", b"p"))
        fields[name] = rng.choice((b"", b"2", b"x", b"-1", b"9" * 30, b"\xff"))
    elif turn < 0.06:
        del fields[rng.choice((b"v", b"t", b"b", b"p"))]
    return fields
