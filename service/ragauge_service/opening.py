"""Opening a store: a server that is named, or the embedded one of a data directory."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

from ragauge_service.settings import Settings
from ragauge_service.store.connection import Client, connect
from ragauge_service.store.embedded import EmbeddedStore
from ragauge_service.store.namespace import Namespace


@contextmanager
def store_of(settings: Settings, *, attach: bool = False) -> Generator[Client]:
    """Yield a client of the server that was named, or else of one of our own in the data directory.

    Raises:
        EnvironmentFault: the server cannot be reached, or the data directory cannot be used.
    """
    with ExitStack() as stack:
        url = settings.store_url
        if url is None:
            url = stack.enter_context(EmbeddedStore(settings.data_dir, attach=attach)).url
        yield stack.enter_context(connect(url))


@contextmanager
def opened(**given: Any) -> Generator[Namespace]:
    """Yield the namespace that the settings name, beside a service that may be running on it."""
    settings = Settings.read(**given)
    with store_of(settings, attach=True) as client:
        yield Namespace(client, settings.namespace)
