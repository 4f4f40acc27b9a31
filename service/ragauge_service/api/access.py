"""Who asks, whether they may, and whether they ask too often."""

import math
from collections.abc import Callable
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from ragauge_service.api.keyring import Scope
from ragauge_service.api.parts import Given
from ragauge_service.api.problems import Problem

BEARER: Final = "bearer "


def needs(scope: Scope, *, in_query: bool = False) -> Any:
    """Return a dependency that lets pass who has ``scope`` and asks not too often.

    With ``in_query`` the key may stand in ``?api_key=``, since a browser's beacon carries no headers.
    """

    def check(request: Request, parts: Given) -> None:
        client = request.client.host if request.client else ""
        if parts.keyring:
            client = _allowed(request, parts, scope, in_query=in_query)
        if wait := parts.rates.wait(client):
            after = str(math.ceil(wait))
            raise Problem(429, f"too many requests: wait {wait:.1f} s", headers={"Retry-After": after})

    return Depends(check)


def _allowed(request: Request, parts: Given, scope: Scope, *, in_query: bool) -> str:
    secret = _secret(request, in_query=in_query)
    key = parts.keyring.find(secret) if secret else None
    if key is None:
        what = "'Authorization: Bearer KEY' wanted" if not secret else "this key is not known"
        raise Problem(401, f"API key: {what}", headers={"WWW-Authenticate": "Bearer"})
    if not key.may(scope):
        raise Problem(403, f"key {key.name!r} may {', '.join(sorted(key.scopes))}: {scope} wanted")
    return f"key:{key.name}"


def _secret(request: Request, *, in_query: bool) -> str:
    given = request.headers.get("authorization", "")
    if given.lower().startswith(BEARER):
        return given[len(BEARER) :].strip()
    return request.query_params.get("api_key", "") if in_query else ""


async def raw_body(request: Request) -> bytes:
    """Return a request's body as it came."""
    return await request.body()


Raw = Annotated[bytes, Depends(raw_body)]
Check = Callable[..., Any]
