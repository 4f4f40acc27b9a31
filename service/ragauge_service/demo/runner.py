"""One run of the demo, from the first document to the last sentence."""

import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import ragauge
from ragauge_service.demo.corpus import documents
from ragauge_service.demo.families import CATEGORIES
from ragauge_service.demo.journal import Journal
from ragauge_service.demo.load import RATE, Load
from ragauge_service.demo.quality import Row, fetch, rows, worst
from ragauge_service.demo.queries import Query, queries
from ragauge_service.demo.regression import BROKEN, lost
from ragauge_service.demo.retriever import Index
from ragauge_service.demo.screen import Screen
from ragauge_service.demo.service import Service, check_port
from ragauge_service.demo.story import Story
from ragauge_service.demo.users import Users
from ragauge_service.demo.view import Trends, View

REFRESH: Final = 1.0
"""Seconds between two looks at the service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the command line asked for; ``seconds`` 0 is until interrupted, ``rate`` a second and category."""

    seconds: float = 0.0
    port: int = 8321
    seed: int = 1
    data_dir: Path | None = None
    log: Path | None = None
    rate: float = RATE
    regression_at: float = 50.0


class Demo:
    """The parts of one run, wired: retriever, load, users, and the service that watches them."""

    def __init__(self, plan: Plan, journal: Journal) -> None:
        self.plan = plan
        self.corpus = documents()
        self.queries = queries(self.corpus, seed=plan.seed)
        self.index = Index(self.corpus)
        self.story = Story(broken=BROKEN)
        self._journal = journal
        self._search: Any = ragauge.retriever(name="docs")(self.index.search)
        self._users = Users(_click, seed=plan.seed)
        self._load = Load(self.ask, self.queries, seed=plan.seed, rate=plan.rate)

    def ask(self, query: Query) -> None:
        """Ask one query as an application would, and show the answer to a user."""
        at = time.time_ns() // 1_000_000
        hits, handle = self._search.logged(query.text)
        ids = [hit["id"] for hit in hits]
        self._journal.write(query, ids, at=at)
        self._users.see(handle.id, ids, query.relevant)

    def run(self, service: Service, screen: Screen, stop: threading.Event) -> None:
        """Run the load and the users against a service that is ready, and show what it says."""
        service.judge(self.queries)
        ragauge.init(service.url)
        self._users.start()
        self._load.start()
        try:
            self._watch(service, screen, stop)
        finally:
            self._load.stop()
            self._users.stop()
            ragauge.shutdown()

    def _watch(self, service: Service, screen: Screen, stop: threading.Event) -> None:
        start, trends = time.monotonic(), Trends()
        elapsed = 0.0
        while not self._over(elapsed) and not stop.wait(REFRESH):
            elapsed = time.monotonic() - start
            service.check()
            seen = _look(service, self.story.latest)
            trends.see(seen, elapsed=elapsed)
            self.story.see(seen, elapsed=elapsed)
            self._regress(elapsed)
            screen.show(
                View(
                    url=service.url,
                    elapsed=elapsed,
                    rows=seen,
                    trends=trends.drawn(),
                    news=self.story.news(),
                )
            )

    def _over(self, elapsed: float) -> bool:
        return 0 < self.plan.seconds <= elapsed

    def _regress(self, elapsed: float) -> None:
        if self.story.regression is None and elapsed >= self.plan.regression_at:
            self.story.lost = self.index.delete(lost(self.corpus))
            self.story.regression = elapsed


def run(plan: Plan, screen: Screen, stop: threading.Event) -> Story:
    """Run the demo until its seconds are over or ``stop`` is set, and return what happened.

    Raises:
        RagaugeError: the port or the data directory is in use, or the service ended.
    """
    check_port(plan.port)
    with Journal(plan.log) as journal, _data_dir(plan) as data_dir:
        demo = Demo(plan, journal)
        with Service(port=plan.port, data_dir=data_dir) as service:
            service.wait_until_ready(stop)
            demo.run(service, screen, stop)
            if demo.story.regression is not None:
                demo.story.worst = worst(service.url, BROKEN)
        return demo.story


@contextmanager
def _data_dir(plan: Plan) -> Generator[Path]:
    """Return the directory that was asked for, which stays, or a temporary one, which goes."""
    if plan.data_dir is not None:
        plan.data_dir.mkdir(parents=True, exist_ok=True)
        yield plan.data_dir
        return
    with tempfile.TemporaryDirectory(prefix="ragauge-demo-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _look(service: Service, last: Sequence[Row]) -> Sequence[Row]:
    """Return what the service says now, or what it said last when it is busy."""
    try:
        return rows(fetch(service.url), CATEGORIES)
    except OSError:
        return last


def _click(retrieval_id: str, doc_id: str) -> None:
    ragauge.feedback(retrieval_id, doc_id=doc_id)
