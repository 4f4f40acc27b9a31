"""What goes wrong in the demo: half of the documents of one category's packages fall out of the index."""

import zlib
from collections.abc import Iterable
from typing import Final

from ragauge_service.demo.corpus import Document
from ragauge_service.demo.families import FAMILIES

BROKEN: Final = "errors"
"""The category that loses documents."""


def lost(corpus: Iterable[Document], category: str = BROKEN) -> frozenset[str]:
    """Return the ids that an ingest job loses: a fixed half of the documents of one category's packages.

    >>> lost([Document("turtle.Turtle", "turtle", "A turtle.")])
    frozenset()
    """
    return frozenset(
        document.id
        for document in corpus
        if document.package in FAMILIES[category] and zlib.crc32(document.id.encode()) % 2
    )
