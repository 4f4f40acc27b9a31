"""The real worker as a process under test: what the store answers it is written down at once.

``python engine.py URL NAMESPACE NAME ANSWERS_FILE`` works until SIGTERM.
"""

import functools
import os
import signal
import sys
import time
from collections.abc import Callable
from threading import Event
from typing import Any

from ragauge_service.store.connection import connect
from ragauge_service.store.lease import Lease
from ragauge_service.store.namespace import Namespace
from ragauge_service.store.shard import ShardStore
from ragauge_service.worker import run_worker


def noting(file: int, call: Callable[..., Any], word: Callable[[Any], str | None]) -> Callable[..., Any]:
    """Return ``call`` so that what ``word`` makes of its answer is written down."""

    @functools.wraps(call)
    def noted(*arguments: Any, **named: Any) -> Any:
        answer = call(*arguments, **named)
        if said := word(answer):
            os.write(file, f"{time.time():.3f} {said}\n".encode())
        return answer

    return noted


def main() -> None:
    """Work until SIGTERM."""
    url, name, owner, answers = sys.argv[1:]
    file = os.open(answers, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    ShardStore.commit = noting(file, ShardStore.commit, lambda answer: answer)  # type: ignore[method-assign]
    Lease.acquire = noting(file, Lease.acquire, lambda epoch: epoch and "ACQUIRED")  # type: ignore[method-assign]
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with connect(url) as client:
        config = Namespace(client, name).config
    run_worker(url, name, owner, config, lambda _: None, stop)


if __name__ == "__main__":
    main()
