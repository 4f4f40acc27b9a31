"""The decorator: what it may be told, and how its type keeps the wrapped one's."""

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, Final, Generic, ParamSpec, Protocol, TypeVar, cast, overload

from ragauge.extract import extract as read
from ragauge.objects import CallableRetriever
from ragauge.record import Handle, Plan
from ragauge.wrapping import wrap

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")

Name = str | Callable[..., Any]
"""The name of an argument, or a callable that is given the call's arguments."""
Label = str | Callable[..., str | None]
"""A value, or a callable that is given the call's arguments and returns one."""
Extract = Callable[[Any], Any]

_OWN: Final = frozenset({"self", "cls"})


class Logged(Protocol, Generic[P, R_co]):
    """A wrapped retriever: called as before, or by ``logged`` for the result together with its handle."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the retriever."""
        ...

    def logged(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Return ``(result, handle)``; of an ``async def``, an awaitable of the two."""
        ...

    @overload
    def __get__(self, instance: None, owner: Any, /) -> "Logged[P, R_co]": ...

    @overload
    def __get__(self: "Logged[Concatenate[S, Q], R_co]", instance: S, owner: Any, /) -> "Logged[Q, R_co]": ...


@overload
def retriever(function: Callable[P, R_co], /) -> Logged[P, R_co]: ...


@overload
def retriever(
    *,
    name: str | None = None,
    query: Name = "query",
    query_id: Name | None = None,
    category: Label | None = None,
    variant: Label = "",
    version: Label = "",
    params: Mapping[str, Any] | Callable[..., Mapping[str, Any] | None] | None = None,
    k: int | Name | None = None,
    extract: Extract | None = None,
    chunk_to_doc: Mapping[Any, Any] | Callable[[Any], Any] | None = None,
    offset: int | Name | None = None,
    sample_rate: float | None = None,
) -> Callable[[Callable[P, R_co]], Logged[P, R_co]]: ...


def retriever(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    query: Name = "query",
    query_id: Name | None = None,
    category: Label | None = None,
    variant: Label = "",
    version: Label = "",
    params: Mapping[str, Any] | Callable[..., Mapping[str, Any] | None] | None = None,
    k: int | Name | None = None,
    extract: Extract | None = None,
    chunk_to_doc: Mapping[Any, Any] | Callable[[Any], Any] | None = None,
    offset: int | Name | None = None,
    sample_rate: float | None = None,
) -> Any:
    """Log what a retriever returns; nothing else about it changes.

    Wraps ``def``, ``async def``, generators of both kinds, methods, class and static methods in either
    order, and callable objects. ``query``, ``query_id``, ``k`` and ``offset`` name the arguments that hold
    them, or are callables of the call's arguments; ``category``, ``variant``, ``version`` and ``params`` are
    values, or such callables. ``extract`` says how ids are found in an unknown result: it returns ids, pairs
    of id and score, or a ``ragauge.extract.Found``. ``chunk_to_doc`` maps ids of chunks to those of
    documents. ``offset`` is the number of documents on the pages before.

    >>> @retriever(category=lambda query: "short" if len(query) < 9 else "long")
    ... def search(query: str) -> list[str]:
    ...     return ["a", "b"]
    >>> search("q")
    ['a', 'b']
    """
    settings = {
        "query": query,
        "query_id": query_id,
        "category": category,
        "variant": variant,
        "version": version,
        "params": params,
        "k": k,
        "chunk_to_doc": chunk_to_doc,
        "offset": offset,
        "sample_rate": sample_rate,
        "extract": _reading(extract),
    }

    def decorate(inner: Any) -> Any:
        plan = _plan(inner, name, settings)
        return wrap(inner, plan) if _is_function(inner) else CallableRetriever(inner, plan)

    return decorate if function is None else decorate(function)


def logged(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> tuple[R, Handle]:
    """Call any decorated retriever, a bound method too, and return its result with its handle.

    >>> @retriever
    ... def search(query: str) -> list[str]:
    ...     return ["a"]
    >>> logged(search, "q")[0]
    ['a']
    """
    owner = getattr(function, "__self__", None)
    bound = cast("Any", getattr(function, "__func__", function)).logged
    return bound(*args, **kwargs) if owner is None else bound(owner, *args, **kwargs)


def _plan(inner: Any, name: str | None, settings: Mapping[str, Any]) -> Plan:
    target = inner.__func__ if isinstance(inner, classmethod | staticmethod) else inner
    plan = Plan(name or getattr(target, "__name__", None) or type(target).__name__)
    for field, value in settings.items():
        setattr(plan, field, value)
    plan.signature = _places(target)
    if isinstance(plan.query, str):
        first = next((at for name, at in plan.signature.items() if name not in _OWN), (0, None))
        plan.place, default = plan.signature.get(plan.query, (first[0], None))
        plan.query_default = default
    else:
        plan.place = sys.maxsize
    labels = (plan.category, plan.variant, plan.version, plan.params)
    plan.dynamic = any(map(callable, labels)) or plan.k is not None or plan.offset is not None
    return plan


def _is_function(inner: Any) -> bool:
    kinds = (classmethod, staticmethod, functools.partial)
    return inspect.isroutine(inner) or inspect.isclass(inner) or isinstance(inner, kinds)


def _places(target: Any) -> dict[str, tuple[int, Any]]:
    """Return each argument's place among the positional ones and its default."""
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):  # a built-in that does not say
        return {}
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    found: dict[str, tuple[int, Any]] = {}
    for place, parameter in enumerate(parameters):
        at = place if parameter.kind in positional else len(parameters) + 1000
        default = None if parameter.default is inspect.Parameter.empty else parameter.default
        found[parameter.name] = (at, default)
    return found


def _reading(own: Extract | None) -> Extract | None:
    """Return an extractor whose answer is read like any result: ids, pairs, objects, or Found."""
    if own is None:
        return None
    return lambda result: read(own(result))
