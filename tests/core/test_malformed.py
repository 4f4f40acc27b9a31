"""Nothing that stands in a stream stops a shard; and the quick check judges as the full one does."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.malformed import malformed_fields, malformed_row
from ragauge.errors import MalformedEventError
from ragauge.events import Event, Retrieval
from ragauge.wire import parse
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.entries import Entry, read_entry
from ragauge_service.core.joining import Joiner
from ragauge_service.core.packing import pack, unpack

NOW = 1_764_550_000_000

UNREAD = (9, 13, 15, 16, 17, 19, 20, 21, 22, 23, 24)
"""Fields that the core never reads (total, rate, scores, version, ...), or reads with its own care."""

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


def taken(joiner: Joiner, entry: Entry) -> None:
    """Give the core an entry, with every name admitted."""
    done = joiner.accept(entry)
    while done < len(entry.rows):
        unknown = joiner.unknown([entry])
        joiner.admit({kind: {name: name for name in names} for kind, names in unknown.items()})
        done = joiner.accept(entry, done)


def committed(joiner: Joiner) -> None:
    joiner.fill({key: {} for key in joiner.missing()})
    joiner.changes()


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_no_malformed_entry_raises_anything_but_what_is_counted(seed: int) -> None:
    """A poison entry that raised would be read again after every takeover, for ever."""
    rng, joiner = random.Random(seed), Joiner(EngineConfig())
    for number in range(5):
        fields = malformed_fields(rng, [malformed_row(rng) for _ in range(20)])
        try:
            taken(joiner, read_entry((NOW + number, 0), fields))
        except MalformedEventError:
            continue
    committed(joiner)


@given(rows=st.lists(st.lists(values, min_size=1, max_size=26), max_size=4))
@settings(max_examples=60, deadline=None)
def test_no_array_whatever_raises(rows: list[list[object]]) -> None:
    """Not even one that resembles no event at all."""
    joiner = Joiner(EngineConfig())
    read = unpack(pack(rows))
    taken(joiner, Entry((NOW, 0), 0, read))
    committed(joiner)
    assert len(joiner.rejected) >= sum(1 for row in read if not _parses(row))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=200, deadline=None)
def test_the_quick_check_accepts_what_the_full_one_does(seed: int) -> None:
    """Where it is more lenient, the field is one that the core does not read."""
    rng, joiner = random.Random(seed), Joiner(EngineConfig())
    rows = [row for _ in range(30) if isinstance(row := malformed_row(rng), list) and row]
    rows = unpack(pack(rows))
    taken(joiner, Entry((NOW, 0), 0, rows))
    rejected = [letter.row for letter in joiner.rejected]
    for row in rows:
        if any(row is letter for letter in rejected):
            with pytest.raises(MalformedEventError):
                parse(row)
        elif not _parses(row):
            fixed = parse([_usual(at, value) for at, value in enumerate(row[:25])])
            assert isinstance(fixed, Retrieval)


def _usual(at: int, value: object) -> object:
    usual = {9: 1, 13: 1.0, 15: 1.0, 16: None, 17: False, 20: "", **dict.fromkeys((19, 21, 22, 23, 24))}
    return usual[at] if at in UNREAD else value


def _parses(row: list[object]) -> Event | None:
    try:
        return parse(row)
    except MalformedEventError:
        return None
