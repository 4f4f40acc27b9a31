"""A watch as bytes, in pieces: what changes every second apart from the hours that are closed.

The piece ``state`` holds the detectors (about 2 kB a row), a piece ``hour:N`` the reference of one hour. A
store writes the pieces that changed together with what it has seen of the shards.
"""

import zlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, cast

import msgpack
import numpy as np

from ragauge.errors import InputError
from ragauge_service.core.watch_state import WatchSettings, WatchState
from ragauge_service.core.watched import Watched

VERSION: Final = 1
STATE: Final = "state"
HOUR: Final = "hour:"
PARTS: Final = ("detectors", "recovery", "alarms", "dispersion", "guards")

Pieces = dict[str, bytes]


def dump(state: WatchState) -> Pieces:
    """Return all pieces of a watch.

    >>> sorted(dump(WatchState.fresh(WatchSettings())))
    ['state']
    """
    hours = {f"{HOUR}{hour}": _pack_hour(counts) for hour, counts in state.reference.hours.items()}
    return {STATE: _pack_state(state), **hours}


def changes(state: WatchState) -> dict[str, bytes | None]:
    """Return the pieces that changed since the last call, None for those to delete."""
    hours, changed = state.reference.hours, sorted(state.reference.changed)
    state.reference.changed.clear()
    pieces: dict[str, bytes | None] = {STATE: _pack_state(state)}
    for hour in changed:
        pieces[f"{HOUR}{hour}"] = _pack_hour(hours[hour]) if hour in hours else None
    return pieces


def load(settings: WatchSettings, pieces: Mapping[str, bytes]) -> WatchState:
    """Return the watch that was dumped, under these settings.

    Raises:
        InputError: another version, or another depth.
    """
    state = WatchState.fresh(settings)
    if STATE not in pieces:
        return state
    stored = cast("dict[str, Any]", msgpack.unpackb(pieces[STATE], strict_map_key=False))
    if stored.get("version") != VERSION or stored.get("depth") != settings.depth:
        raise InputError(
            f"detectors of version {stored.get('version')} and depth {stored.get('depth')}: "
            f"version {VERSION} and depth {settings.depth} wanted"
        )
    state.roster.restore([Watched(*key) for key in stored["keys"]])
    state.grow()
    _restore_state(state, stored)
    for name, body in pieces.items():
        if name.startswith(HOUR):
            _restore_hour(state, int(name.removeprefix(HOUR)), body)
    return state


def _pack_state(state: WatchState) -> bytes:
    arrays = {
        f"{name}.{part.name}": _pack(getattr(getattr(state, name), part.name))
        for name in PARTS
        for part in fields(getattr(state, name))
    }
    stored = {
        "version": VERSION,
        "depth": state.reference.outcomes - 1,
        "keys": [list(key) for key in state.roster.keys],
        "at": state.at,
        "marks": state.marks,
        "now": _pack(state.now),
        "arrays": arrays,
        "quarantine": {hour: _pack(held) for hour, held in state.reference.quarantine.items()},
        "first_hour": _pack(state.reference.first_hour),
        "traffic": state.traffic.hours,
        "traffic_first_at": state.traffic.first_at,
    }
    return cast("bytes", msgpack.packb(stored))


def _restore_state(state: WatchState, stored: dict[str, Any]) -> None:
    for key, packed in stored["arrays"].items():
        name, _, part = key.partition(".")
        setattr(getattr(state, name), part, _unpack(packed))
    state.at = stored["at"]
    state.marks = [(at, label) for at, label in stored["marks"]]
    state.now = _unpack(stored["now"])
    state.reference.quarantine = {hour: _unpack(held) for hour, held in stored["quarantine"].items()}
    state.reference.first_hour = _unpack(stored["first_hour"])
    state.traffic.hours = stored["traffic"]
    state.traffic.first_at = stored["traffic_first_at"]


def _restore_hour(state: WatchState, hour: int, body: bytes) -> None:
    counts = np.frombuffer(zlib.decompress(body), "<i4").reshape(-1, state.reference.outcomes)
    state.reference.restore(hour, counts.astype(np.int32))


def _pack_hour(counts: Any) -> bytes:
    return zlib.compress(counts.astype("<i4").tobytes(), 1)


def _pack(array: Any) -> list[Any]:
    return [array.dtype.str, list(array.shape), array.tobytes()]


def _unpack(packed: list[Any]) -> Any:
    kind, shape, body = packed
    return np.frombuffer(body, kind).reshape(shape).copy()
