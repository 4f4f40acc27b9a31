"""What users did with a retrieval: clicks, citations, conversions, dwell, thumbs."""

import logging
from typing import Final

from ragauge.events import Signal, SignalKind, partition_of_id
from ragauge.identity import now_ms
from ragauge.state import state

_log: Final = logging.getLogger("ragauge")


def feedback(
    retrieval_id: str,
    doc_id: str | None = None,
    kind: SignalKind = "click",
    *,
    value: float | None = None,
    rank: int | None = None,
) -> None:
    """Log a signal for a retrieval, from any process, at any time; never raises.

    ``value`` is seconds for ``dwell``.
    """
    client = state.client
    if client is None:
        return
    try:
        partition_of_id(retrieval_id)
        bytes.fromhex(retrieval_id)
    except (ValueError, TypeError):
        client.counts["dropped_bad_id"] += 1
        return
    client.put(
        Signal(retrieval_id=retrieval_id, doc_id=doc_id, kind=kind, value=value, rank=rank, at=now_ms())
    )
