"""Judged queries, and retrievals whose first relevant rank is known beforehand."""

import random
import secrets

from ragauge.events import JudgmentsEvent, Retrieval, id_key, partition_of
from ragauge_service.core.series import Series

QUERIES = 60
SERIES = Series("faq", "docs", "", "judgments")


def judgments() -> list[JudgmentsEvent]:
    """Return one relevant document for each query."""
    return [
        JudgmentsEvent(key=id_key(f"q{n}"), query_id=f"q{n}", grades={f"d{n}": 1}, category="faq")
        for n in range(QUERIES)
    ]


def retrieval(rng: random.Random, at: int) -> tuple[Retrieval, int]:
    """Return a retrieval, and the cell of the histogram in which it counts."""
    number, rank = rng.randrange(QUERIES), rng.randrange(11)
    ids = [f"x{n}" for n in range(12)]
    if rank < 10:
        ids[rank] = f"d{number}"
    id_ = f"{partition_of(f'q{number}'):04x}{secrets.token_hex(14)}"
    made = Retrieval(id=id_, key=id_key(f"q{number}"), retriever="docs", ids=tuple(ids), total=12, at=at)
    return made, rank
