"""What an operator should know or change about the store: one finding per question, with what to do."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from ragauge.errors import EnvironmentFault
from ragauge_service.core.changes import Changes
from ragauge_service.store.connection import Client
from ragauge_service.store.keys import ShardKeys
from ragauge_service.store.shard import START, ShardStore

Level = Literal["ok", "warning", "error"]

OLDEST: Final = (6, 2)
"""Streams trimmed by their smallest id, and ranges without their first entry, came with Redis 6.2."""

CLOCK_TOLERANCE_MS: Final = 2_000
MEMORY_WARNING: Final = 0.8


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer: how it stands, about what, and what to do; ``node`` is empty for the store as a whole."""

    level: Level
    subject: str
    what: str
    do: str = ""
    node: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What one server says of itself; ``skew_ms`` is its clock minus ours, ``config`` may be forbidden."""

    info: Mapping[str, Any]
    config: Mapping[str, str] | None
    skew_ms: int

    def setting(self, name: str) -> str | None:
        """Return one setting, or None where it could not be asked."""
        return None if self.config is None else self.config.get(name)


def examine(client: Client, *, now: Callable[[], float] = time.time) -> list[Finding]:
    """Return what stands well and what does not; ``now`` is this machine's clock in seconds."""
    findings: list[Finding] = []
    try:
        for node in client.nodes():
            name = node.url.rpartition("//")[2].rpartition("@")[2]
            findings += [replace(found, node=name) for found in judge(_ask(node, now))]
        if client.cluster:
            findings.append(_cluster(client.call("CLUSTER NODES")))
    except EnvironmentFault as error:
        return [
            *findings,
            Finding("error", "connection", str(error), "start the store, or correct its address"),
        ]
    return [*findings, _permissions(client)]


def judge(facts: Facts) -> list[Finding]:
    """Return the findings about one server."""
    checks = (_version, _persistence, _eviction, _memory, _clock)
    return [check(facts) for check in checks]


def _version(facts: Facts) -> Finding:
    name = "valkey" if "valkey_version" in facts.info else "redis"
    text = str(facts.info.get(f"{name}_version", "0"))
    if tuple(int(part) for part in text.split(".")[:2]) < OLDEST:
        return Finding("error", "version", f"{name} {text}", "upgrade to Redis 6.2 or Valkey 7.2 at least")
    return Finding("ok", "version", f"{name} {text}")


def _persistence(facts: Facts) -> Finding:
    if str(facts.info.get("aof_last_write_status", "ok")) != "ok":
        return Finding("error", "persistence", "the append-only file cannot be written", "free the disk")
    if int(facts.info.get("aof_enabled", 0)):
        if facts.setting("appendfsync") == "no":
            return Finding("warning", "persistence", "appendfsync is no", "set appendfsync everysec")
        return Finding(
            "ok", "persistence", f"append-only file, fsync {facts.setting('appendfsync') or 'unknown'}"
        )
    if facts.setting("save"):
        what = f"snapshots only (save {facts.setting('save')}): a crash takes back minutes"
        return Finding("warning", "persistence", what, "set appendonly yes")
    return Finding("error", "persistence", "nothing is kept on disk", "set appendonly yes")


def _eviction(facts: Facts) -> Finding:
    policy = str(facts.info.get("maxmemory_policy") or facts.setting("maxmemory-policy"))
    if policy == "noeviction":
        return Finding("ok", "eviction", policy)
    what = f"{policy}: a full server would silently delete tallies, judgments or streams"
    return Finding("error", "eviction", what, "set maxmemory-policy noeviction")


def _memory(facts: Facts) -> Finding:
    used, limit = int(facts.info.get("used_memory", 0)), int(facts.info.get("maxmemory", 0))
    if limit == 0:
        what = f"{_mib(used)} used, no limit: the system may kill the server instead of the server refusing"
        return Finding("warning", "memory", what, "set maxmemory to about three quarters of the machine's")
    what = f"{_mib(used)} of {_mib(limit)} used"
    if used > MEMORY_WARNING * limit:
        return Finding("warning", "memory", what, "raise maxmemory, or shorten the join and rescore horizons")
    return Finding("ok", "memory", what)


def _clock(facts: Facts) -> Finding:
    what = f"{facts.skew_ms / 1_000:+.1f} s to this machine"
    if abs(facts.skew_ms) <= CLOCK_TOLERANCE_MS:
        return Finding("ok", "clock", what)
    return Finding("warning", "clock", what, "let NTP set both clocks; the store's is the one that counts")


def _cluster(nodes: Mapping[str, Mapping[str, Any]]) -> Finding:
    """Judge a cluster by what one of its nodes knows of all."""
    masters = {str(node["node_id"]) for node in nodes.values() if "master" in node["flags"] and node["slots"]}
    covered = {str(node["master_id"]) for node in nodes.values() if "slave" in node["flags"]}
    failing = [place for place, node in nodes.items() if "fail" in str(node["flags"]).split(",")]
    what = f"{len(masters)} masters, {len(masters & covered)} of them with a replica"
    if failing:
        return Finding(
            "error", "cluster", f"{what}; not reachable: {', '.join(failing)}", "start these nodes"
        )
    if masters - covered:
        return Finding("warning", "cluster", what, "give every master a replica on another machine")
    return Finding("ok", "cluster", what)


def _permissions(client: Client) -> Finding:
    """Do everything that a worker does on a shard that no namespace can have, and clean up."""
    keys = ShardKeys("doctor", 0)
    shard = ShardStore(client, keys)
    try:
        epoch = shard.lease.acquire("doctor", 1_000) or 0
        offset = shard.append("doctor", 1, 0, b"").value
        shard.read(START, 1, block_ms=1)
        shard.commit(epoch=epoch, previous=shard.state().offset, offset=offset, changes=Changes())
        names = [keys.lease, keys.state, keys.versions, keys.events]
        client.call("DEL", *names, f"{keys.events.removesuffix('events')}producer:doctor")
    except EnvironmentFault as error:
        return Finding(
            "error", "permissions", str(error), "use the user ragauge-service of deploy/redis/users.acl"
        )
    return Finding("ok", "permissions", "may do all that a worker does")


def _ask(node: Client, now: Callable[[], float]) -> Facts:
    before = now()
    seconds, micros = _pair(node.call("TIME"))
    skew = seconds * 1_000 + micros // 1_000 - (before + now()) * 500
    return Facts(node.call("INFO"), _config(node), round(skew))


def _config(node: Client) -> Mapping[str, str] | None:
    try:
        return {
            name: value
            for pattern in ("append*", "save", "maxmemory*")
            for name, value in node.call("CONFIG GET", pattern).items()
        }
    except EnvironmentFault:
        return None


def _pair(answer: Sequence[Any]) -> tuple[int, int]:
    return int(answer[0]), int(answer[1])


def _mib(size: int) -> str:
    return f"{size / 2**20:.0f} MiB"
