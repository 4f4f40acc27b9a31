"""From what a retriever returned to document ids and scores; one file per family of shapes.

A shape that is not known gives None: the call is counted, its ids are never guessed. ``register`` adds
one's own.
"""

from ragauge.extract.reading import extract, register
from ragauge.record import Batch, Found

__all__ = ["Batch", "Found", "extract", "register"]
