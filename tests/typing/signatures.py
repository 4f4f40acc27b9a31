"""Checked by pyright and mypy, not run: what the decorator keeps of a signature."""

from collections.abc import Coroutine
from typing import Any, assert_type

import ragauge
from ragauge.record import Handle


@ragauge.retriever
def plain(query: str, *, limit: int = 10) -> list[str]:
    return [query][:limit]


@ragauge.retriever(category="faq", k="limit")
async def coroutine(query: str, limit: int = 10) -> list[tuple[str, float]]:
    return [(query, 1.0)][:limit]


class Index:
    @ragauge.retriever
    def search(self, query: str) -> list[int]:
        return [len(query)]


def results() -> None:
    assert_type(plain("q", limit=3), list[str])
    assert_type(Index().search("q"), list[int])
    assert_type(ragauge.logged(plain, "q"), tuple[list[str], Handle])
    assert_type(ragauge.logged(Index().search, "q"), tuple[list[int], Handle])
    made: Coroutine[Any, Any, list[tuple[str, float]]] = coroutine("q", limit=3)
    made.close()


def refused() -> None:
    plain(3)  # type: ignore[arg-type]
    plain("q", depth=3)  # type: ignore[call-arg]
    Index().search()  # type: ignore[call-arg]
    ragauge.feedback("id", kind="like")  # type: ignore[arg-type]
    ragauge.init(capture_query="everything")  # type: ignore[arg-type]
