"""The application: its routes, what stands before them, and how their errors are told."""

from typing import Any, Final

from fastapi import APIRouter, FastAPI
from pydantic import TypeAdapter

from ragauge_service import __version__
from ragauge_service.api import events, failures, health, judgments, markers, page, problems, quality, signals
from ragauge_service.api.bodies import Bodies
from ragauge_service.api.event_bodies import EVENT, SignalIn
from ragauge_service.api.parts import Parts

PLACE: Final = "#/components/schemas/{model}"
ABOUT: Final = (
    "Takes what a retriever returned, what is known to be right, and what users did; answers how good it is."
)


def create(parts: Parts) -> FastAPI:
    """Return the application that serves ``parts``."""
    app = FastAPI(title="ragauge", version=__version__, description=ABOUT)
    app.state.parts = parts
    for router in _routers(parts):
        app.include_router(router)
    problems.install(app)
    app.add_middleware(Bodies, limit=parts.body_limit)
    _complete(app)
    return app


def _routers(parts: Parts) -> list[APIRouter]:
    if not parts.surface:
        return [health.router]
    named = (events, signals, judgments, quality, failures, markers, health, page)
    return [module.router for module in named]


def _complete(app: FastAPI) -> None:
    """Add to the schema the parts of bodies that are checked one by one."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            known = schema.setdefault("components", {}).setdefault("schemas", {})
            known.update(_schemas())
            for body, part, name in (("Events", "events", "Event"), ("Signals", "signals", "SignalIn")):
                if body in known:
                    known[body]["properties"][part]["items"] = {"$ref": PLACE.format(model=name)}
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = {}
    adapters: tuple[tuple[str, TypeAdapter[Any]], ...] = (
        ("Event", EVENT),
        ("SignalIn", TypeAdapter(SignalIn)),
        ("Signals", TypeAdapter(signals.Signals)),
    )
    for name, adapter in adapters:
        schema = adapter.json_schema(ref_template=PLACE)
        found |= schema.pop("$defs", {})
        found[name] = schema
    return found
