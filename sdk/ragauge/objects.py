"""Callable objects: an object around the object, which passes everything else on."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ragauge.record import Plan
from ragauge.wrapping import wrap


class CallableRetriever:
    """Calls an object and logs what it returns; its other attributes are the object's own."""

    def __init__(self, inner: Callable[..., Any], plan: Plan) -> None:
        functools.update_wrapper(self, inner, updated=())
        self._ragauge = (inner, plan)
        self._call = wrap(_called(inner), plan)
        self.logged = self._call.logged
        self.__signature__ = inspect.signature(inner)
        mark = getattr(inspect, "markcoroutinefunction", None)  # since 3.12
        if mark is not None and inspect.iscoroutinefunction(type(inner).__call__):
            mark(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object."""
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_ragauge"):
            raise AttributeError(name)
        return getattr(self._ragauge[0], name)

    def __reduce__(self) -> tuple[Any, ...]:
        return CallableRetriever, self._ragauge


def _called(inner: Any) -> Callable[..., Any]:
    """Return the object's call as a function of its own kind."""
    kind = type(inner).__call__
    if inspect.iscoroutinefunction(kind):

        async def call_async(*args: Any, **kwargs: Any) -> Any:
            return await inner(*args, **kwargs)

        return call_async

    def call(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    return call
