"""What the HTTP surface is given by the program around it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Protocol, cast

from fastapi import Depends, Request

from ragauge_service.api.inlet import Inlet
from ragauge_service.api.keyring import Keyring
from ragauge_service.api.rates import Rates
from ragauge_service.core.snapshot import Snapshot
from ragauge_service.store.namespace import Namespace


class Snapshots(Protocol):
    """Where the newest snapshot is."""

    def latest(self) -> Snapshot | None:
        """Return the monitor's newest snapshot, or None while there is none."""
        ...


class Renders(Protocol):
    """What answers ``GET /metrics``."""

    def render(self, accept: str = "", accept_encoding: str = "") -> tuple[bytes, str, str | None]:
        """Return the body, its content type, and its encoding."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the routes work with; ``ready`` returns what is still missing, nothing when all is well."""

    namespace: Namespace
    inlet: Inlet
    snapshots: Snapshots
    exporter: Renders
    now_ms: Callable[[], int]
    ready: Callable[[], list[str]] = list
    keyring: Keyring = field(default_factory=Keyring)
    rates: Rates = field(default_factory=Rates)
    body_limit: int = 4 * 1024 * 1024
    surface: bool = True
    """Whether all routes are served, or only health and metrics."""


def parts_of(request: Request) -> Parts:
    """Return the parts of the application that serves a request."""
    return cast("Parts", request.app.state.parts)


Given = Annotated[Parts, Depends(parts_of)]
