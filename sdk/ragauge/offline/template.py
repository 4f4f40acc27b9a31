"""The empty run of a test set: what a retriever has to fill in."""

import json
from collections.abc import Iterator

from ragauge.offline.data import Questions

PARAMS = ("model", "chunk_size", "filter", "candidate_limit")


def template(questions: Questions) -> Iterator[str]:
    """Yield the lines of a JSONL run: parameters first, then every question with no ids yet.

    >>> from ragauge.offline.data import Question
    >>> list(template(Questions({"q1": Question(id="q1", text="why?")})))[1]
    '{"query_id": "q1", "query": "why?", "ids": [], "latency_ms": null}'
    """
    yield json.dumps({"params": dict.fromkeys(PARAMS)})
    for question in questions.by_id.values():
        row = {"query_id": question.id, "query": question.text, "ids": [], "latency_ms": None}
        yield json.dumps(row, ensure_ascii=False)
