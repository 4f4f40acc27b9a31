"""What a number is about: the words that label a series."""

from dataclasses import dataclass
from typing import Final

from ragauge.events import Evidence

OTHER: Final = "__other__"
"""The name under which everything beyond a registry's limit is counted together."""

DEFAULT_CATEGORY: Final = "default"


@dataclass(frozen=True, slots=True, order=True)
class Series:
    """A category of queries, asked of one retriever in one variant, judged by one kind of evidence."""

    category: str
    retriever: str
    variant: str
    evidence: Evidence
