"""Rankings: the order of scored documents, duplicates, chunks mapped to documents."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from ragauge.errors import MeasureError

Rank = int
"""A 1-based position in a list of distinct documents."""

D = TypeVar("D", bound=Hashable)


def by_score(scores: Mapping[str, float]) -> list[str]:
    """Return the documents by score descending, equal scores by document id descending, as trec_eval does.

    Infinite scores are ordered like any other.

    Raises:
        MeasureError: a score is NaN, so there is no order.

    >>> by_score({"da": 1.0, "db": 1.0, "dc": 2.0})
    ['dc', 'db', 'da']
    """
    for doc, value in scores.items():
        if math.isnan(value):
            raise MeasureError(f"document {doc!r}: the score must be a number, not NaN")
    return [doc for _, doc in sorted(((value, doc) for doc, value in scores.items()), reverse=True)]


def close_ranks(ids: Iterable[D], depth: int | None = None) -> tuple[list[D], int]:
    """Return the first ``depth`` distinct documents and how many duplicates stood between them.

    A document keeps its first place and later ranks close up. Nothing is read once ``depth`` is reached.

    >>> close_ranks(["a", "a", "b", "c", "c"], 2)
    (['a', 'b'], 1)
    """
    kept: dict[D, None] = {}
    duplicates = 0
    for doc in ids:
        if doc in kept:
            duplicates += 1
            continue
        kept[doc] = None
        if len(kept) == depth:
            break
    return list(kept), duplicates


def to_documents(chunks: Iterable[str], document_of: Callable[[str], str]) -> list[str]:
    """Return the documents of ranked chunks, each at the place of its first chunk; k then counts documents.

    >>> to_documents(["D1#0", "D1#1", "D2#0"], lambda chunk: chunk.partition("#")[0])
    ['D1', 'D2']
    """
    return list(dict.fromkeys(map(document_of, chunks)))


def judged_only(ids: Iterable[D], grades: Mapping[D, float]) -> list[D]:
    """Return the condensed list: only the judged documents, ranks closed up (trec_eval -J).

    >>> judged_only(["u", "a", "v", "b"], {"b": 0, "a": 1})
    ['a', 'b']
    """
    return [doc for doc in ids if doc in grades]
