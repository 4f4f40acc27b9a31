"""A worker as a process: ``python worker_process.py URL NAMESPACE OWNER CONFIG``, ended by SIGTERM."""

import signal
import sys
import threading

from ragauge_service.core.config import EngineConfig
from ragauge_service.worker import run_worker


def main() -> None:
    """Work until told to stop."""
    url, namespace, owner, config = sys.argv[1:]
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    run_worker(url, namespace, owner, EngineConfig.from_json(config), lambda _rows: None, stop)


if __name__ == "__main__":
    main()
