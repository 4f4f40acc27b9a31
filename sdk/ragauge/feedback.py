"""What users did with a retrieval: clicks, citations, conversions, dwell, thumbs."""

import math
from typing import Any, Final

from ragauge.events import SIGNAL_KINDS, Signal, SignalKind
from ragauge.identity import now_ms
from ragauge.scope import OFF, current
from ragauge.state import state

MAX_ID_LENGTH: Final = 512
"""As ``ragauge.wire`` has it, which takes msgpack to import."""

_DIGITS: Final = frozenset("0123456789abcdef")


def feedback(
    retrieval_id: str,
    doc_id: str | int | None = None,
    kind: SignalKind = "click",
    *,
    value: float | None = None,
    rank: int | None = None,
    user: str | None = None,
) -> None:
    """Log a signal for a retrieval, from any process, at any time; never raises.

    ``value`` is seconds for ``dwell``. ``user`` is a pseudonym by which users who click on everything are
    set aside. A signal that cannot be used is counted (``dropped_bad_signal``) and otherwise ignored.
    """
    client = state.client
    if client is None or current.get() is OFF:
        return
    try:
        reason = _fault(retrieval_id, kind)
        if reason is not None:
            client.count(reason)
        else:
            client.put(_signal(retrieval_id, doc_id, kind, value, rank, user))
    except Exception:  # noqa: BLE001 - whatever was given, the caller goes on
        client.count("dropped_bad_signal")


def _fault(retrieval_id: Any, kind: Any) -> str | None:
    """Return why a signal cannot be used, or None. What was not logged, or sampled out, has an empty id."""
    if retrieval_id == "":
        return "dropped_not_logged"
    if not isinstance(retrieval_id, str) or len(retrieval_id) != 32 or not _DIGITS.issuperset(retrieval_id):
        return "dropped_bad_id"
    return None if kind in SIGNAL_KINDS else "dropped_bad_signal"


def _signal(retrieval_id: str, doc_id: Any, kind: SignalKind, value: Any, rank: Any, user: Any) -> Signal:
    number = None if value is None else float(value)
    return Signal(
        retrieval_id=retrieval_id,
        doc_id=None if doc_id is None or doc_id == "" else str(doc_id)[:MAX_ID_LENGTH],
        kind=kind,
        value=number if number is not None and math.isfinite(number) else None,
        rank=None if rank is None else int(rank),
        at=now_ms(),
        user=None if user is None else str(user)[:MAX_ID_LENGTH],
    )
