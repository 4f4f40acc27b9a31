"""What a retriever call costs its caller: noting where it began, and what it returned.

Nothing here raises, blocks, takes a lock or writes a log line; the rest is the worker's. Records and
identities are plain tuples until the worker reads them: a named tuple costs its maker three times as much.
"""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ragauge.extract import extract
from ragauge.identity import numbers, partition_for, sampled
from ragauge.record import NOTHING, NOTHING_MORE, Batch, Handle, Identity, More, Plan
from ragauge.scope import OFF, Scope, current
from ragauge.tracing import current_trace, tracing

if TYPE_CHECKING:  # loaded by init, not by import
    from contextvars import Token

    from ragauge.client import Client

MAX_QUERY: Final = 16_384
"""Longer queries are known by their first characters: a queue of them must not fill the memory."""

_clock: Final = time.perf_counter
_wall: Final = time.time_ns


class Begun(Scope):
    """A call that has begun: the scope of what is called inside, and what is known at the beginning."""

    __slots__ = ("began", "client", "identity", "more", "plan", "queries", "span", "token")

    client: "Client"
    plan: Plan
    identity: tuple[int, int, str | None, str | None]
    queries: Sequence[Any] | None
    token: "Token[Scope | None] | None"
    began: float
    more: More
    span: Any


_new: Final = Begun.__new__


def begin(
    client: "Client", plan: Plan, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, nested: bool = True
) -> Begun | None:
    """Note the beginning of a call, or return None if it is not to be logged.

    ``nested`` is False for generators, whose frames outlive the context they began in.
    """
    try:
        outer = current.get()
        if outer is OFF:
            return None
        where: Any = plan.query
        if where in kwargs:
            query = kwargs[where]
        elif plan.place < len(args):
            query = args[plan.place]
        else:
            query = where(*args, **kwargs) if callable(where) else plan.query_default
        queries = None
        if type(query) is not str:
            query, queries = _other_query(query)
        elif len(query) > MAX_QUERY:
            query = query[:MAX_QUERY]
        if not client.keeps_query:
            query = None
        query_id = None if plan.query_id is None else _query_id(plan, args, kwargs)
        number = numbers.next()
        rate = plan.sample_rate or client.sample_rate
        if rate < 1.0 and not sampled(partition_for(query, query_id, number), rate):
            return None
        begun = _new(Begun)
        begun.outer = outer
        begun.captured = begun.last = None
        begun.client = client
        begun.plan = plan
        begun.queries = queries
        begun.more = _more(plan, args, kwargs, rate) if plan.dynamic or rate < 1.0 else NOTHING_MORE
        begun.identity = (number, _wall(), query, query_id)
        if tracing.span is not None:
            begun.more = _traced(begun.more)
        begun.span = None if client.spans is None else client.spans.begin(begun)
        begun.token = current.set(begun) if nested else None
        begun.began = _clock()
    except Exception:  # noqa: BLE001 - the call must go on, whatever happens to its log
        client.count("dropped_error")
        return None
    return begun


def end(begun: Begun, result: Any) -> Handle | None:
    """Note what a call returned; the handle only where somebody collects them."""
    took = _clock() - begun.began
    _leave(begun)
    try:
        plan = begun.plan
        found: Any = (plan.extract or extract)(result)
        if found is None:
            return _put(begun, (), 0, None, took, "ok", None, _unknown(begun, result))
        if plan.chunk_to_doc is not None or len(found) != 5:
            return _end_other(begun, found, took)
        ids, total, scores, distances, without_id = found
        more = begun.more
        if distances or without_id:
            more = more._replace(distances=distances, without_id=without_id)
        if begun.outer is not None or begun.span is not None:
            return _put(begun, ids, total, scores, took, "ok", None, more)
        begun.client.put((plan, begun.identity, ids, total, scores, took, "ok", None, begun.last, more))
    except Exception:  # noqa: BLE001 - whatever a result does, the caller's call succeeded
        begun.client.count("extract_error")
        return _put_safely(begun, took, "ok", None, _unknown(begun, result))
    return None


def fail(begun: Begun, error: BaseException) -> None:
    """Note that a call ended with an exception."""
    took = _clock() - begun.began
    _leave(begun)
    outcome = "error"
    if isinstance(error, TimeoutError):
        outcome = "timeout"
    elif not isinstance(error, Exception):  # asyncio's CancelledError, without importing asyncio for its name
        outcome = "cancelled"
    _put_safely(begun, took, outcome, type(error).__name__, begun.more)


def note(scope: Scope | None, handle: Handle) -> None:
    """Give a handle to every capture block around."""
    while scope is not None:
        if scope.captured is not None:
            scope.captured.append(handle)
        scope = scope.outer


def _leave(begun: Begun) -> None:
    if begun.span is not None:
        begun.span.leave()
    if begun.token is not None:
        try:
            current.reset(begun.token)
        except ValueError:  # ended in another context than it began in
            begun.token = None


def _queue(
    begun: Begun,
    ids: Sequence[Any],
    total: int,
    scores: Sequence[Any] | None,
    took: float,
    outcome: str,
    error_type: str | None,
    more: More,
) -> None:
    """Queue the record, with its candidates as parent."""
    outer = begun.outer
    parent = begun.last
    identity = begun.identity
    if outer is not None and outer.captured is None:  # inside another retriever: its candidates
        parent = parent or outer.last
        outer.last = identity
    record = (begun.plan, identity, ids, total, scores, took, outcome, error_type, parent, more)
    begun.client.put(record if begun.span is None else begun.span.end(record))


def _put(begun: Begun, ids: Sequence[Any], *rest: Any) -> Handle | None:
    """Queue the record, and give its handle to the blocks around."""
    _queue(begun, ids, *rest)
    outer = begun.outer
    if outer is None:
        return None
    handle = Handle(Identity(*begun.identity), ids)
    note(outer, handle)
    return handle


def _put_safely(begun: Begun, took: float, outcome: str, error_type: str | None, more: More) -> Handle | None:
    try:
        return _put(begun, (), 0, None, took, outcome, error_type, more)
    except Exception:  # noqa: BLE001 - as above
        begun.client.count("dropped_error")
        return None


def _end_other(begun: Begun, found: Any, took: float) -> Handle | None:
    """Note the answers to several queries, or chunks that stand for documents."""
    if type(found) is not Batch:
        ids, total, scores, distances, without_id = _mapped(begun.plan, found)
        more = begun.more._replace(distances=distances, without_id=without_id)
        return _put(begun, ids, total, scores, took, "ok", None, more)
    batch = format(begun.identity[0], "016x")
    queries = begun.queries or ()
    handles: list[Handle] = []
    for place, one in enumerate(found.found):
        query = queries[place] if place < len(queries) and isinstance(queries[place], str) else None
        number, at, own, query_id = begun.identity
        if place:
            number, query_id = numbers.next(), None
        text = query if begun.client.keeps_query else None
        begun.identity = (number, at, text if queries else own, query_id)
        ids, total, scores, distances, without_id = _mapped(begun.plan, one)
        more = begun.more._replace(distances=distances, without_id=without_id, batch=batch)
        _queue(begun, ids, total, scores, took, "ok", None, more)
        handles.append(Handle(Identity(*begun.identity), ids))
    handle = Handle(handles[0].identity, handles[0].ids, handles) if handles else NOTHING
    note(begun.outer, handle)
    return handle


def _mapped(plan: Plan, found: Any) -> Any:
    """Return the documents of chunks, if the decorator says how."""
    if plan.chunk_to_doc is None:
        return found
    mapping = plan.chunk_to_doc
    ids = [mapping.get(doc, doc) if isinstance(mapping, Mapping) else mapping(doc) for doc in found[0]]
    return (ids, *found[1:])


def _other_query(query: Any) -> tuple[str | None, Sequence[Any] | None]:
    """Return the text of a query that is no plain string, or the texts of a batch: nothing is walked."""
    if isinstance(query, str):
        return str.__str__(query)[:MAX_QUERY], None
    if type(query) is list or type(query) is tuple:
        return None, query
    text = getattr(query, "query_str", None) if type(query).__name__ == "QueryBundle" else None
    return text if type(text) is str else None, None


def _argument(plan: Plan, where: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return what a callable says of the call, or the argument that a name names."""
    if callable(where):
        return where(*args, **kwargs)
    if where in kwargs:
        return kwargs[where]
    place, default = plan.signature.get(where, (len(args), None))
    return args[place] if place < len(args) else default


def _query_id(plan: Plan, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    value = _argument(plan, plan.query_id, args, kwargs)
    if type(value) is int:
        return str(value)
    return value if type(value) is str and value else None


def _more(plan: Plan, args: tuple[Any, ...], kwargs: Mapping[str, Any], rate: float) -> More:
    """Return what the decorator's callables and argument names say of this call."""
    said: dict[str, Any] = {
        name: value(*args, **kwargs)
        for name in ("category", "variant", "version", "params")
        if callable(value := getattr(plan, name))
    }
    if plan.k is not None:
        k = plan.k if type(plan.k) is int else _argument(plan, plan.k, args, kwargs)
        if type(k) is int:
            fixed = {} if callable(plan.params) else plan.params or {}
            said["params"] = {**fixed, **(said.get("params") or {}), "k": k}
    offset = 0 if plan.offset is None else plan.offset
    if offset and type(offset) is not int:
        offset = _argument(plan, offset, args, kwargs)
    return More(said=said or None, offset=offset if type(offset) is int and offset > 0 else 0, rate=rate)


def _traced(more: More) -> More:
    trace = current_trace()
    return more if trace is None else more._replace(trace=trace)


def _unknown(begun: Begun, result: Any) -> More:
    kind = type(result)
    return begun.more._replace(unknown=f"{kind.__module__}.{kind.__qualname__}")
