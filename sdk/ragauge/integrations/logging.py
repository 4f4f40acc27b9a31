"""From what a framework's callback sees to a logged retrieval; the one way in for all integrations."""

import time
from collections.abc import Mapping
from typing import Any, Final, cast

from ragauge.extract import Batch, Found, extract
from ragauge.manual import log
from ragauge.record import NOTHING, Handle
from ragauge.state import state

OUTCOME_OF: Final[Mapping[str, Any]] = {
    "TimeoutError": "timeout",
    "CancelledError": "cancelled",
    "GeneratorExit": "cancelled",
    "KeyboardInterrupt": "cancelled",
}


def answered(result: Any, *, began: float, query: str | None, retriever: str, **more: Any) -> Handle:
    """Log a call that a framework has made; ``began`` is Unix seconds. Never raises."""
    client = state.client
    if client is None:
        return NOTHING
    try:
        answer = extract(result)
    except Exception:  # noqa: BLE001 - a foreign object
        answer = None
    if answer is None or isinstance(answer, Batch):
        client.count("unknown_shape")
        answer = Found((), 0)
    found = Found(*cast("Any", answer))
    return log(
        query=query,
        ids=found.ids,
        scores=found.scores,
        total=found.total,
        distances=found.distances,
        retriever=retriever,
        at=began,
        latency_ms=(time.time() - began) * 1e3,
        **more,
    )


def failed(
    error: BaseException | str, *, began: float, query: str | None, retriever: str, **more: Any
) -> Handle:
    """Log a call that ended with an exception, or with the name of one. Never raises."""
    name = error if isinstance(error, str) else type(error).__name__
    return log(
        query=query,
        retriever=retriever,
        at=began,
        latency_ms=(time.time() - began) * 1e3,
        outcome=OUTCOME_OF.get(name, "error"),
        error_type=name,
        **more,
    )
