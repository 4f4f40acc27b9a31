"""The demo's queries and their ground truth, made from the documents and never from the retriever."""

import random
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragauge_service.demo import phrasing
from ragauge_service.demo.corpus import Document
from ragauge_service.demo.families import CATEGORIES, NO_ANSWER, category_of
from ragauge_service.demo.questions import UNANSWERABLE

PER_CATEGORY: Final = 120
EXACT: Final = 2
RELATED: Final = 1


@dataclass(frozen=True, slots=True)
class Query:
    """A question with what answers it: grade 2 the known item and its twins, grade 1 the class around it."""

    id: str
    text: str
    category: str
    relevant: Mapping[str, int]

    def judgment(self) -> dict[str, Any]:
        """Return its line of a judgments file.

        >>> Query("q", "how to poach an egg", "no_answer", {}).judgment()["no_answer"]
        True
        """
        return {
            "query_id": self.id,
            "query": self.text,
            "category": self.category,
            "relevant": dict(self.relevant),
            "no_answer": not self.relevant,
        }


def queries(corpus: Sequence[Document], *, seed: int, per_category: int = PER_CATEGORY) -> list[Query]:
    """Return the queries of every category, at most ``per_category`` each; the same for the same seed."""
    return [
        query for category in CATEGORIES for query in queries_of(category, corpus, seed=seed)[:per_category]
    ]


def queries_of(category: str, corpus: Sequence[Document], *, seed: int) -> list[Query]:
    """Return all queries of one category in a random order that ``seed`` fixes."""
    rng = random.Random(f"{seed}:{category}")
    if category == NO_ANSWER:
        asked: Iterable[tuple[str, Mapping[str, int]]] = ((text, {}) for text in UNANSWERABLE)
    else:
        asked = _known_items(category, corpus, rng)
    unique = dict(asked)
    shuffled = rng.sample(sorted(unique), len(unique))
    return [
        Query(f"{category}-{zlib.crc32(text.encode()):08x}", text, category, unique[text])
        for text in shuffled
    ]


def _known_items(
    category: str, corpus: Sequence[Document], rng: random.Random
) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield each phrase that ``category`` makes of its documents, with all the documents it is made of."""
    phrase = PHRASES[category]
    asked: dict[str, dict[str, int]] = defaultdict(dict)
    ids = {document.id for document in corpus}
    for document in corpus:
        if category_of(document.package) == category and (text := phrase(document, rng)):
            asked[text][document.id] = EXACT
    for text, relevant in asked.items():
        if len(relevant) <= 5:  # asked by more, it would ask for nothing in particular
            yield text, relevant | _around(relevant, ids)


def _around(relevant: Mapping[str, int], ids: set[str]) -> dict[str, int]:
    parents = {name.rpartition(".")[0] for name in relevant}
    return dict.fromkeys(sorted(parents & ids - relevant.keys()), RELATED)


PHRASES: Final[Mapping[str, Callable[[Document, random.Random], str | None]]] = {
    "identifiers": phrasing.identifier,
    "summaries": phrasing.summary,
    "errors": phrasing.error,
    "behaviour": phrasing.behaviour,
}
