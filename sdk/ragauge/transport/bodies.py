"""Rows of the wire as the JSON objects of ``POST /v1/events``."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragauge.events import OUTCOMES, SIGNAL_KINDS
from ragauge.wire import FIELDS, MODES

_KINDS: Final[Mapping[int, str]] = {1: "retrieval", 2: "signal", 3: "judgments"}
_CHOICES: Final[Mapping[tuple[str, str], Sequence[str]]] = {
    ("retrieval", "outcome"): OUTCOMES,
    ("signal", "kind"): SIGNAL_KINDS,
    ("judgments", "mode"): MODES,
}


def json_of(row: Sequence[Any]) -> dict[str, Any]:
    """Return the body's object; what is None is left out, ids are hexadecimal.

    >>> from ragauge.events import Signal
    >>> from ragauge.wire import signal_row
    >>> json_of(signal_row(Signal(retrieval_id=32 * "0", doc_id="d", at=1)))["kind"]
    'click'
    """
    kind = _KINDS[row[0]]
    body: dict[str, Any] = {"type": kind}
    for name, value in zip(FIELDS[row[0]], row[1:], strict=False):
        if value is None:
            continue
        if type(value) is bytes:
            body[name] = value.hex()
        elif (kind, name) in _CHOICES:
            body[name] = _CHOICES[kind, name][value]
        else:
            body["relevant" if name == "grades" else name] = value
    return body
