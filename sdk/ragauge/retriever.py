"""The decorator: times a call, notes its ids, and returns its result as it is."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast, overload

from ragauge.call import Call, Names
from ragauge.capture import note
from ragauge.client import Client
from ragauge.extract import Found, extract
from ragauge.state import state

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

Extract = Callable[[Any], Found | None]


class Logged(Protocol, Generic[P, R_co]):
    """A wrapped retriever: called as before, or by ``logged`` for the result together with its handle."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the retriever."""
        ...

    def logged(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Return ``(result, handle)``; of an ``async def``, an awaitable of the two."""
        ...


class _Recorder:
    """Turns the calls of one retriever into what is shipped; never raises."""

    def __init__(
        self, function: Callable[..., Any], names: Names, query: str, query_id: str | None, how: Extract
    ) -> None:
        self.names = names
        self.how = how
        parameters = list(inspect.signature(function).parameters)
        self.query = query
        self.place = parameters.index(query) if query in parameters else 0
        self.query_id = query_id

    def begin(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        query = kwargs.get(self.query, args[self.place] if len(args) > self.place else None)
        query_id = kwargs.get(self.query_id) if self.query_id else None
        return Call(
            self.names, query if type(query) is str else None, query_id if type(query_id) is str else None
        )

    def end(self, client: Client, call: Call, result: Any, took: float) -> None:
        call.latency_ms = took * 1e3
        try:
            found = self.how(result)
        except Exception:  # noqa: BLE001 - whatever a result does, the caller's call succeeded
            found = None
        if found is None:
            client.counts["unknown_shape"] += 1
        else:
            call.ids, call.total, call.scores = found
        client.put(call)
        note(call)

    def fail(self, client: Client, call: Call, error: BaseException, took: float) -> None:
        call.latency_ms = took * 1e3
        call.outcome = "error" if isinstance(error, Exception) else "cancelled"
        call.outcome = "timeout" if isinstance(error, TimeoutError) else call.outcome
        call.error_type = type(error).__name__
        client.put(call)


@overload
def retriever(function: Callable[P, R_co], /) -> Logged[P, R_co]: ...


@overload
def retriever(
    *,
    name: str | None = None,
    query: str = "query",
    query_id: str | None = None,
    category: str | None = None,
    variant: str = "",
    version: str = "",
    params: Mapping[str, Any] | None = None,
    extract: Extract = ...,
) -> Callable[[Callable[P, R_co]], Logged[P, R_co]]: ...


def retriever(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    query: str = "query",
    query_id: str | None = None,
    category: str | None = None,
    variant: str = "",
    version: str = "",
    params: Mapping[str, Any] | None = None,
    extract: Extract = extract,
) -> Any:
    """Log what a retriever returns, and nothing else about it changes.

    ``query`` and ``query_id`` name the arguments that hold them.
    """

    def wrap(inner: Callable[..., Any]) -> Any:
        names = Names(name or getattr(inner, "__name__", "default"), category, variant, version, params)
        recorder = _Recorder(inner, names, query, query_id, extract)
        if inspect.iscoroutinefunction(inner):
            return _wrap_async(inner, recorder)
        return _wrap(inner, recorder)

    return wrap if function is None else wrap(function)


def _wrap(inner: Callable[..., Any], recorder: _Recorder) -> Any:
    def logged(*args: Any, **kwargs: Any) -> tuple[Any, Call | None]:
        client = state.client
        if client is None:
            return inner(*args, **kwargs), None
        call = recorder.begin(args, kwargs)
        began = perf_counter()
        try:
            result = inner(*args, **kwargs)
        except BaseException as error:
            recorder.fail(client, call, error, perf_counter() - began)
            raise
        recorder.end(client, call, result, perf_counter() - began)
        return result, call

    @functools.wraps(inner)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return logged(*args, **kwargs)[0]

    cast("Any", wrapper).logged = logged
    return wrapper


def _wrap_async(inner: Callable[..., Awaitable[Any]], recorder: _Recorder) -> Any:
    async def logged(*args: Any, **kwargs: Any) -> tuple[Any, Call | None]:
        client = state.client
        if client is None:
            return await inner(*args, **kwargs), None
        call = recorder.begin(args, kwargs)
        began = perf_counter()
        try:
            result = await inner(*args, **kwargs)
        except BaseException as error:
            recorder.fail(client, call, error, perf_counter() - began)
            raise
        recorder.end(client, call, result, perf_counter() - began)
        return result, call

    @functools.wraps(inner)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return (await logged(*args, **kwargs))[0]

    cast("Any", wrapper).logged = logged
    return wrapper
