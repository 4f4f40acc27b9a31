"""ragauge: rolling rank metrics of a production retriever, per query category.

>>> import ragauge
>>> @ragauge.retriever
... def search(query: str) -> list[str]:
...     return ["a", "b"]
>>> search("before init: a silent pass-through")
['a', 'b']
"""

from typing import TYPE_CHECKING, Any

from ragauge.capture import capture, disabled
from ragauge.feedback import feedback
from ragauge.manual import log
from ragauge.retriever import logged, retriever
from ragauge.state import flush, init, shutdown, stats

if TYPE_CHECKING:
    from ragauge.offline.api import evaluate
    from ragauge.offline.comparison import compare

__all__ = [
    "capture",
    "compare",
    "disabled",
    "evaluate",
    "feedback",
    "flush",
    "init",
    "log",
    "logged",
    "retriever",
    "shutdown",
    "stats",
]


def __getattr__(name: str) -> Any:
    """Load the offline engine when it is first asked for: an application that only logs never does."""
    if name == "evaluate":
        from ragauge.offline.api import evaluate  # noqa: PLC0415

        return evaluate
    if name == "compare":
        from ragauge.offline.comparison import compare  # noqa: PLC0415

        return compare
    raise AttributeError(f"module 'ragauge' has no attribute {name!r}")
