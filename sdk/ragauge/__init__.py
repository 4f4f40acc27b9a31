"""ragauge: rolling rank metrics of a production retriever, per query category.

>>> import ragauge
>>> @ragauge.retriever
... def search(query: str) -> list[str]:
...     return ["a", "b"]
>>> search("before init: a silent pass-through")
['a', 'b']
"""

from ragauge.capture import capture, disabled
from ragauge.feedback import feedback
from ragauge.manual import log
from ragauge.retriever import logged, retriever
from ragauge.state import flush, init, shutdown, stats

__all__ = [
    "capture",
    "disabled",
    "feedback",
    "flush",
    "init",
    "log",
    "logged",
    "retriever",
    "shutdown",
    "stats",
]
