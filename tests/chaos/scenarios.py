"""What can go wrong, one scenario each: what is done, on which store, and which branches must fire."""

import signal
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from scene import Outcome, Scene

from proxy import Proxy
from ragauge.protocol import stream_key
from servers import Cluster, Server, wait_until

FAKETIME: Final = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
"""Debian's libfaketime, or None where it is not installed."""

AOF: Final = ("--appendonly", "yes", "--appendfsync", "everysec")


@dataclass(frozen=True)
class Plan:
    """How hard a run is: events a second in all, seconds before, between and after the blows, its seed."""

    rate: float
    pace_s: float
    random: Random


Act = Callable[[Scene, Plan], None]


@dataclass(frozen=True)
class Scenario:
    """One thing that goes wrong."""

    act: Act
    cluster: bool
    fires: frozenset[str]


def steady(scene: Scene, plan: Plan, *, workers: int = 2, producers: int = 2) -> None:
    """Start workers and producers and let them run."""
    for _ in range(workers):
        scene.start_worker()
    for _ in range(producers):
        scene.start_producer(plan.rate / producers)
    run(plan)


def run(plan: Plan, times: float = 1.0) -> None:
    """Let everything run for about the plan's pace; never in step with commits and leases."""
    time.sleep(plan.pace_s * times * plan.random.uniform(0.8, 1.2))


def worker_killed(scene: Scene, plan: Plan) -> None:
    """Kill -9 one of two workers; the other one takes its shards."""
    steady(scene, plan)
    scene.workers[0].kill()
    run(plan)
    scene.start_worker()
    run(plan)


def worker_stopped(scene: Scene, plan: Plan) -> None:
    """Stop a worker past its lease, let another take over, and go on: what it then writes is refused."""
    steady(scene, plan, workers=1)
    (stopped,) = scene.workers
    holders = [scene.namespace.shard(shard).lease for shard in range(scene.shards)]
    scene.pause_worker(stopped)
    scene.start_worker()
    wait_until(lambda: all(lease.owner() == "w1" for lease in holders), "the other worker to take over")
    run(plan, 0.5)
    stopped.send(signal.SIGCONT)
    run(plan)


def producer_killed(scene: Scene, plan: Plan) -> None:
    """Kill -9 a producer; all that was acknowledged to it is counted."""
    steady(scene, plan)
    scene.kill_producer(scene.producers[0])
    run(plan)
    scene.start_producer(plan.rate / 2)
    run(plan)


def master_killed(scene: Scene, plan: Plan) -> None:
    """Kill -9 a master; its replica takes over, and it comes back as one."""
    steady(scene, plan)
    fail_over(scene, plan)
    run(plan)


def both_killed(scene: Scene, plan: Plan) -> None:
    """Kill -9 a master and a worker at once."""
    steady(scene, plan)
    scene.workers[0].kill()
    fail_over(scene, plan)
    scene.start_worker()
    run(plan)


def replica_cut_off(scene: Scene, plan: Plan) -> None:
    """Cut a replica off, go on, and kill its master: what was acknowledged in between is lost there.

    Killed before the next commit, workers that keep up find what they read LOST; after it, their commit is
    taken back and they find another OFFSET. Each is tried until it was seen, at most twice.
    """
    steady(scene, plan)
    for answer, lasting in (("LOST", 0.15), ("OFFSET", 1.5)):
        for _ in range(2):
            scene.settle()
            lose_the_newest(scene, plan, lasting)
            if answer in scene.answered():
                break


def lose_the_newest(scene: Scene, plan: Plan, lasting_s: float) -> None:
    """Fail over to a replica that has missed the last ``lasting_s`` seconds."""
    cluster = scene.cluster
    master = cluster.master_of(stream_key("default", 0))
    cluster.cut_off(cluster.replica_of(master), master)
    time.sleep(lasting_s)
    fail_over(scene, plan)


def connection_cut(scene: Scene, plan: Plan) -> None:
    """Cut connections of workers and producers again and again, within requests and before answers."""
    with ExitStack() as stack:
        proxy = stack.enter_context(Proxy(scene.server.port, seed=plan.random.randrange(1_000)))
        scene.start_worker(proxy.url)
        scene.start_worker(proxy.url)
        scene.start_producer(plan.rate / 2, proxy.url)
        scene.start_producer(plan.rate / 2, proxy.url)
        proxy.cut = 0.01
        run(plan, 3)
        proxy.cut = 0.0
        scene.notes["requests cut"], scene.notes["answers cut"] = proxy.cut_requests, proxy.cut_answers
        scene.end_producers()
        scene.catch_up()


def server_restarted(scene: Scene, plan: Plan) -> None:
    """Kill -9 the server and start it again from its append-only file."""
    steady(scene, plan)
    for _ in range(2):
        scene.server.kill()
        time.sleep(0.2)
        scene.server.start()
        run(plan)


def memory_full(scene: Scene, plan: Plan) -> None:
    """Let memory run full: producers wait, workers go on, and nothing acknowledged is lost."""
    steady(scene, plan)
    used = int(scene.server.call("INFO", "memory")["used_memory"])
    scene.server.call("CONFIG", "SET", "maxmemory", used)
    run(plan)
    scene.server.call("CONFIG", "SET", "maxmemory", 0)
    run(plan)


def clock_jumped(scene: Scene, plan: Plan) -> None:
    """Set the server's clock an hour forward, then two hours back."""
    steady(scene, plan)
    for offset in ("+3600s", "-3600s"):
        (scene.directory / "clock").write_text(offset)
        run(plan)


def fail_over(scene: Scene, plan: Plan) -> None:
    """Kill the master of the first shard, wait for its replica to serve, and bring it back."""
    cluster, key = scene.cluster, stream_key("default", 0)
    master = cluster.master_of(key)
    master.kill()
    scene.note_seconds("failover", lambda: cluster.master_of(key) is not master)
    run(plan, 0.5)
    master.start()
    wait_until(cluster.healthy, "the cluster to be whole again")


BRANCHES: Final = ("DUP", "GAP", "FENCED", "OFFSET", "LOST")
"""What must be seen to fire over all scenarios; single runs name what they force."""

SCENARIOS: Final[Mapping[str, Scenario]] = {
    "worker-killed": Scenario(worker_killed, cluster=False, fires=frozenset()),
    "worker-killed-cluster": Scenario(worker_killed, cluster=True, fires=frozenset()),
    "worker-stopped": Scenario(worker_stopped, cluster=False, fires=frozenset({"FENCED"})),
    "producer-killed": Scenario(producer_killed, cluster=False, fires=frozenset()),
    "connection-cut": Scenario(connection_cut, cluster=False, fires=frozenset({"DUP"})),
    "server-restarted": Scenario(server_restarted, cluster=False, fires=frozenset()),
    "memory-full": Scenario(memory_full, cluster=False, fires=frozenset({"FULL"})),
    "clock-jumped": Scenario(clock_jumped, cluster=False, fires=frozenset()),
    "master-killed": Scenario(master_killed, cluster=True, fires=frozenset()),
    "both-killed": Scenario(both_killed, cluster=True, fires=frozenset()),
    "replica-cut-off": Scenario(replica_cut_off, cluster=True, fires=frozenset({"GAP"})),
}


def play(name: str, directory: Path, plan: Plan) -> Outcome:
    """Run one scenario once and return what it came to; ``silent`` names what did not fire."""
    scenario = SCENARIOS[name]
    with Scene(directory, _servers(name, directory / "servers")) as scene:
        scenario.act(scene, plan)
        outcome = scene.finish()
    outcome.silent = scenario.fires - outcome.branches.keys()
    return outcome


def _servers(name: str, directory: Path) -> Server | Cluster:
    if SCENARIOS[name].cluster:
        return Cluster(directory)
    environment: dict[str, str] = {}
    if name == "clock-jumped":
        clock = directory.parent / "clock"
        clock.write_text("+0s")
        environment = {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
    return Server(directory, options=AOF, environment=environment)
