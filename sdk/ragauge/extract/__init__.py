"""From what a retriever returned to document ids and scores; one file per family of shapes."""

from ragauge.extract.plain import Found, extract

__all__ = ["Found", "extract"]
