"""The shell around the core: reads stream entries, gives them to the core, commits what it returns."""

from ragauge_service.worker.loop import Emit, Worker, run_worker

__all__ = ["Emit", "Worker", "run_worker"]
