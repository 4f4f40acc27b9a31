"""What the HTTP surface stands on; ``app.py`` makes it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from fastapi import Request

from ragauge_service.api.keys import Keys
from ragauge_service.api.producer import Producer
from ragauge_service.core.snapshot import Snapshot
from ragauge_service.exporter import Exporter
from ragauge_service.store.namespace import Namespace


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The parts that requests reach.

    ``snapshot`` returns what the monitor knows, or None before the first; ``ready`` returns None, or why
    this instance cannot serve yet.
    """

    namespace: Namespace
    producer: Producer
    exporter: Exporter
    snapshot: Callable[[], Snapshot | None]
    ready: Callable[[], str | None]
    keys: Keys = field(default_factory=Keys)


def surface_of(request: Request) -> Surface:
    """Return the surface that a request came to."""
    surface: Surface = request.app.state.surface
    return surface
