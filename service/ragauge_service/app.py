"""The program: the only place that wires the parts together and owns a clock."""

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any, Final

import uvicorn

from ragauge.errors import ConfigurationError, EnvironmentFault
from ragauge_service.api.application import create
from ragauge_service.api.inlet import Inlet
from ragauge_service.api.keyring import Keyring
from ragauge_service.api.parts import Parts
from ragauge_service.api.rates import Rates
from ragauge_service.census import Census
from ragauge_service.core.watch_state import WatchSettings, objectives_of
from ragauge_service.exporter import Counters, Exporter
from ragauge_service.monitor import Monitor
from ragauge_service.opening import store_of
from ragauge_service.settings import Settings
from ragauge_service.snapshots import NewestSnapshot
from ragauge_service.store.namespace import Namespace
from ragauge_service.supervisor import Supervisor, WorkerSpec

LOOPBACK: Final = ("127.", "::1", "localhost")
INTERRUPTED: Final = 130
GRACE_S: Final = 10
"""How long open requests may take once the end has been asked for."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What runs: the parts that must be asked whether all is well, and in what order they end."""

    settings: Settings
    namespace: Namespace
    snapshots: NewestSnapshot
    supervisor: Supervisor | None
    monitor: Monitor | None

    def missing(self) -> list[str]:
        """Return what is still missing before this instance does all that it is for."""
        found: list[str] = []
        try:
            if self.snapshots.latest() is None:
                found.append("no monitor has published yet")
        except EnvironmentFault as error:
            return [str(error)]
        if self.supervisor is not None and self.supervisor.alive < self.supervisor.wanted:
            found.append(f"{self.supervisor.alive} of {self.supervisor.wanted} workers run")
        return found


def serve(settings: Settings, announce: Callable[[str], None] = print) -> int:
    """Run an instance until it is told to end, and return its exit code.

    Raises:
        ConfigurationError: settings that cannot be used together, or that the namespace contradicts.
        EnvironmentFault: the port, the data directory or the store cannot be used.
    """
    keyring = _keyring(settings)
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    with ExitStack() as stack:
        listener = stack.enter_context(_listen(settings))
        client = stack.enter_context(store_of(settings))
        namespace = Namespace(client, settings.namespace)
        namespace.configure(settings.engine)
        exporter = Exporter(counters=Counters())
        running = _start(settings, namespace, exporter, stack)
        parts = Parts(
            namespace=namespace,
            inlet=Inlet(namespace),
            snapshots=running.snapshots,
            exporter=exporter,
            now_ms=namespace.now_ms,
            ready=running.missing,
            keyring=keyring,
            rates=Rates(settings.rate_limit),
            body_limit=settings.body_limit,
            surface="api" in settings.roles,
        )
        return _answer(parts, listener, partial(_announce, settings, listener, announce))


def _keyring(settings: Settings) -> Keyring:
    if settings.api_keys_file is not None:
        return Keyring.read(settings.api_keys_file)
    if not settings.host.startswith(LOOPBACK):
        raise ConfigurationError(
            f"RAGAUGE_SERVICE_HOST={settings.host!r} can be reached from other machines, so keys are wanted: "
            "make one with `ragauge keys add` and name its file in RAGAUGE_SERVICE_API_KEYS_FILE"
        )
    return Keyring()


@contextmanager
def _listen(settings: Settings) -> Generator[socket.socket]:
    """Bind the port before anything else is started."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
            listener.listen(1024)
        except OSError as error:
            place = f"{settings.host}:{settings.port}"
            raise EnvironmentFault(
                f"cannot listen on {place}: {error.strerror}; choose another --port"
            ) from None
        yield listener


def _start(settings: Settings, namespace: Namespace, exporter: Exporter, stack: ExitStack) -> Running:
    """Start what the roles name; ``stack`` ends it."""
    owner = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}"
    monitor = _monitor(settings, namespace, exporter, owner) if "monitor" in settings.roles else None
    if monitor is not None:
        stop = threading.Event()
        thread = threading.Thread(target=monitor.run, args=(stop,), name="ragauge-monitor")
        thread.start()
        stack.callback(thread.join)
        stack.callback(stop.set)
    supervisor = None
    if "worker" in settings.roles:
        config = settings.engine.to_json()
        place = (namespace.client.url, namespace.name)
        names = (f"{owner}-w{index}" for index in range(settings.workers))
        specs = [WorkerSpec(*place, name, config, settings.log_level) for name in names]
        supervisor = Supervisor(specs, exporter.counters.add)
        stack.callback(supervisor.stop)
        supervisor.start()
    newest = NewestSnapshot(namespace, lambda: monitor.latest if monitor else None, time.monotonic)
    running = Running(
        settings=settings, namespace=namespace, snapshots=newest, supervisor=supervisor, monitor=monitor
    )
    exporter.add_collector("service", partial(_gauges, running))
    if monitor is not None:
        census = Census(namespace, lambda: monitor.holds, time.monotonic)
        exporter.add_collector("census", census.gauges)
    return running


def _monitor(settings: Settings, namespace: Namespace, exporter: Exporter, owner: str) -> Monitor:
    watch = WatchSettings(
        depth=settings.depth,
        false_alarm_days=settings.false_alarm_days,
        learning=settings.learning,
        slack=settings.slack,
        objectives=objectives_of(settings.objectives),
    )
    return Monitor(namespace, watch, exporter.publish, owner=owner, clock=time.monotonic)


def _gauges(running: Running) -> Generator[tuple[str, tuple[str, ...], float]]:
    """Yield what this instance knows of itself."""
    if running.supervisor is not None:
        yield "ragauge_workers", (), running.supervisor.alive
        for shard in running.supervisor.progress:
            yield "ragauge_shard_lease_held", (str(shard.shard),), 1.0
            yield "ragauge_shard_lease_epoch", (str(shard.shard),), float(shard.epoch)
            yield "ragauge_open_retrievals", (str(shard.shard),), float(shard.open)
    if running.monitor is not None:
        yield "ragauge_monitor_lease_held", (), float(running.monitor.holds)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: how and in what order things end is decided here."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer, and say so."""
        await super().startup(sockets)
        if self.started:
            self._announce()


def _answer(parts: Parts, listener: socket.socket, announce: Callable[[], None]) -> int:
    """Answer requests until a signal comes; return the exit code that belongs to it."""
    config = uvicorn.Config(
        create(parts),
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_S,
        server_header=False,
        timeout_keep_alive=75,
    )
    server = _Server(config, announce)
    seen: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        server.force_exit = bool(seen)  # asked twice: do not wait for open requests
        server.should_exit = True
        seen.append(number)

    before: dict[int, Any] = {
        number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        asyncio.run(server.serve([listener]))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return INTERRUPTED if signal.SIGINT in seen else 0


def _announce(settings: Settings, listener: socket.socket, announce: Callable[[str], None]) -> None:
    host, port = listener.getsockname()[:2]
    place = f"[{host}]" if ":" in host else host
    store = "the store that was named" if settings.store_url else f"an embedded store in {settings.data_dir}"
    announce(f"ragauge: http://{place}:{port} ({', '.join(settings.roles)}) on {store}")
