"""One wrapper for each kind of callable, so that its kind is kept."""

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, cast

from ragauge.calling import begin, end, fail
from ragauge.flowing import Flow, Tap
from ragauge.record import NOTHING, Handle, Plan
from ragauge.scope import Scope, current
from ragauge.state import state


def wrap(inner: Any, plan: Plan) -> Any:
    """Return a callable of the same kind that logs its calls."""
    if isinstance(inner, classmethod | staticmethod):
        return type(cast("Any", inner))(wrap(inner.__func__, plan))
    if inspect.isasyncgenfunction(inner):
        return _finished(_wrap_async_generator(inner, plan), inner, _logged_later)
    if inspect.isgeneratorfunction(inner):
        return _finished(_wrap_generator(inner, plan), inner, _logged_later)
    if inspect.iscoroutinefunction(inner):
        return _finished(_wrap_async(inner, plan), inner, _logged_async)
    return _finished(_wrap(inner, plan), inner, _logged)


def _wrap(inner: Callable[..., Any], plan: Plan) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        client = state.client
        if client is None:
            return inner(*args, **kwargs)
        begun = begin(client, plan, args, kwargs)
        if begun is None:
            return inner(*args, **kwargs)
        try:
            result = inner(*args, **kwargs)
        except BaseException as error:
            fail(begun, error)
            raise
        end(begun, result)
        return result

    return wrapper


def _wrap_async(inner: Callable[..., Any], plan: Plan) -> Any:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        client = state.client
        if client is None:
            return await inner(*args, **kwargs)
        begun = begin(client, plan, args, kwargs)
        if begun is None:
            return await inner(*args, **kwargs)
        try:
            result = await inner(*args, **kwargs)
        except BaseException as error:
            fail(begun, error)
            raise
        end(begun, result)
        return result

    return wrapper


def _wrap_generator(inner: Callable[..., Generator[Any, Any, Any]], plan: Plan) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        client = state.client
        begun = None if client is None else begin(client, plan, args, kwargs, nested=False)
        if begun is None:
            return (yield from inner(*args, **kwargs))
        tap = Tap(inner(*args, **kwargs))
        try:
            value = yield from tap
        except BaseException as error:
            tap.flow.stopped(begun, error)
            raise
        tap.flow.done(begun)
        return value

    return wrapper


def _wrap_async_generator(inner: Callable[..., AsyncGenerator[Any, Any]], plan: Plan) -> Any:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        client = state.client
        begun = None if client is None else begin(client, plan, args, kwargs, nested=False)
        source, flow = inner(*args, **kwargs), Flow()
        try:
            item = await source.__anext__()
            while True:
                flow.see(item)
                try:
                    sent = yield item
                except GeneratorExit:
                    await source.aclose()
                    raise
                except BaseException as error:  # noqa: BLE001 - relayed
                    item = await source.athrow(error)
                else:
                    item = await source.asend(sent)
        except StopAsyncIteration:
            flow.done(begun)
        except BaseException as error:
            flow.stopped(begun, error)
            raise

    return wrapper


def _finished(wrapper: Any, inner: Any, logged: Callable[[Any], Any]) -> Any:
    functools.update_wrapper(wrapper, inner)
    wrapper.logged = logged(wrapper)
    return wrapper


def _logged(wrapper: Callable[..., Any]) -> Any:
    @functools.wraps(wrapper)
    def logged(*args: Any, **kwargs: Any) -> tuple[Any, Handle]:
        handles: list[Handle] = []
        token = current.set(Scope(current.get(), handles))
        try:
            result = wrapper(*args, **kwargs)
        finally:
            current.reset(token)
        return result, _own(handles)

    return logged


def _logged_async(wrapper: Callable[..., Any]) -> Any:
    @functools.wraps(wrapper)
    async def logged(*args: Any, **kwargs: Any) -> tuple[Any, Handle]:
        handles: list[Handle] = []
        token = current.set(Scope(current.get(), handles))
        try:
            result = await wrapper(*args, **kwargs)
        finally:
            current.reset(token)
        return result, _own(handles)

    return logged


def _logged_later(wrapper: Callable[..., Any]) -> Any:
    """Return ``logged`` of a generator: its handle is complete when the generator has ended."""

    @functools.wraps(wrapper)
    def logged(*args: Any, **kwargs: Any) -> tuple[Any, Handle]:
        del args, kwargs
        raise TypeError("a generator has no handle before it has ended: use ragauge.capture() around it")

    return logged


def _own(handles: list[Handle]) -> Handle:
    """Return the call's own handle, the last one; of a batch call, one that holds them all."""
    return handles[-1] if handles else NOTHING
