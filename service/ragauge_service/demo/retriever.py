"""The retrieval application that is watched: BM25 over the documents, as anybody would write it."""

from collections.abc import Container, Sequence
from typing import Any, Final

import bm25s
import numpy as np

from ragauge_service.demo.corpus import Document
from ragauge_service.demo.words import words

TOP: Final = 10
LEAST: Final = 4.0
"""A best score below it is no answer, and the application says so with an empty list."""


class Index:
    """A BM25 index (Lù 2024, ``bm25s``), read from any number of threads.

    A document that is deleted is no longer found, but keeps counting in the statistics of the words, as in
    every engine that merges its segments later.
    """

    def __init__(self, corpus: Sequence[Document]) -> None:
        self._ids = [document.id for document in corpus]
        self._bm25 = bm25s.BM25()
        self._bm25.index(
            [words(f"{document.id} {document.text}") for document in corpus], show_progress=False
        )
        self._kept = np.ones(len(corpus), dtype=np.float32)

    def delete(self, lost: Container[str]) -> int:
        """Take documents out, from the next search on; return how many there were of them."""
        kept = np.array([name not in lost for name in self._ids], dtype=np.float32)
        self._kept = kept
        return len(kept) - int(kept.sum())

    def search(self, query: str, limit: int = TOP) -> list[dict[str, Any]]:
        """Return the best documents, best first, as ``{"id", "score"}``; none when the best is no answer."""
        known = [word for word in words(query) if word in self._bm25.vocab_dict]
        if not known:
            return []
        more = min(2 * limit, len(self._ids))  # so that equal scores are ordered by id at the cut too
        found, scores = self._bm25.retrieve([known], k=more, show_progress=False, weight_mask=self._kept)
        pairs = zip(scores[0].tolist(), (self._ids[at] for at in found[0].tolist()), strict=True)
        ranked = sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:limit]
        hits = [{"id": name, "score": score} for score, name in ranked if score > 0]
        return hits if hits and hits[0]["score"] >= LEAST else []
