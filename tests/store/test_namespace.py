"""What is chosen once per namespace, who is admitted by name, and what the monitor keeps."""

import time

import pytest

from ragauge.errors import ConfigurationError
from ragauge.protocol import config_key
from ragauge_service.core.changes import Changes
from ragauge_service.core.config import EngineConfig
from ragauge_service.core.series import OTHER
from ragauge_service.store.connection import Client
from ragauge_service.store.namespace import Namespace

pytestmark = pytest.mark.server


def test_the_first_worker_chooses_and_the_same_choice_is_accepted(namespace: Namespace) -> None:
    again = Namespace(namespace.client, namespace.name)
    assert again.configure(EngineConfig()) == EngineConfig() == again.config


def test_a_worker_that_differs_is_refused_and_told_what_to_do(namespace: Namespace) -> None:
    with pytest.raises(ConfigurationError, match=r"depth is 10, not 20.*RAGAUGE_NAMESPACE"):
        Namespace(namespace.client, namespace.name).configure(EngineConfig(depth=20))


def test_producers_find_the_number_of_shards(namespace: Namespace, client: Client) -> None:
    assert client.call("HGET", config_key(namespace.name), "shards") == b"16"


def test_a_namespace_without_workers_says_so(client: Client) -> None:
    with pytest.raises(ConfigurationError, match="no worker has started"):
        _ = Namespace(client, "nobody").config


@pytest.mark.parametrize("name", ["", "a{b", "a:b", "a b"])
def test_names_that_would_break_the_keys_are_refused(client: Client, name: str) -> None:
    with pytest.raises(ConfigurationError, match="namespace"):
        Namespace(client, name)


def test_a_shard_that_does_not_exist_is_refused(namespace: Namespace) -> None:
    with pytest.raises(ConfigurationError, match="0 to 15 wanted"):
        namespace.shard(16)


def test_a_changed_layout_starts_new_tallies_and_keeps_the_judgments(namespace: Namespace) -> None:
    shard = namespace.shard(0)
    epoch = shard.lease.acquire("w", 60_000)
    assert epoch is not None
    changes = Changes(matured={"a": b"1"}, judgments={"i:q": b"j"})
    last = shard.append("p", 1, 0, b"").value
    shard.commit(epoch=epoch, previous="0-0", offset=last, changes=changes)
    assert namespace.reconfigure(EngineConfig(depth=20)).depth == 20
    fresh = namespace.shard(0)
    assert fresh.load_matured() == {}
    assert fresh.changed_since(shard.state().version - 1).matured == {}
    assert fresh.load_judgments(["i:q"]) == {"i:q": b"j"}
    assert fresh.state().offset == last


def test_other_settings_change_without_losing_tallies(namespace: Namespace) -> None:
    namespace.reconfigure(EngineConfig(windows=("5m",)))
    assert namespace.shard(0).keys.layout == 1
    assert Namespace(namespace.client, namespace.name).config.windows == ("5m",)


def test_settings_do_not_change_under_workers_that_are_alive(namespace: Namespace) -> None:
    namespace.owners.beat("w1", 60_000)
    with pytest.raises(ConfigurationError, match="stop the workers first: w1"):
        namespace.reconfigure(EngineConfig(depth=20))
    namespace.owners.leave("w1")
    with pytest.raises(ConfigurationError, match="for good"):
        namespace.reconfigure(EngineConfig(shards=4))


def test_namespaces_do_not_see_each_other(namespace: Namespace) -> None:
    other = Namespace(namespace.client, namespace.name + "-staging")
    other.configure(EngineConfig(shards=2))
    namespace.shard(1).append("p", 1, 0, b"")
    assert other.shard(1).read("0-0", 1) == []


def test_names_beyond_the_limit_are_counted_together(client: Client, namespace: Namespace) -> None:
    small = Namespace(client, namespace.name + "-small")
    small.configure(EngineConfig(categories=2))
    assert small.admit("category", ["a", "b"]) == {"a": "a", "b": "b"}
    assert small.admit("category", ["c", "a", ""]) == {"c": OTHER, "a": "a", "": ""}
    another = Namespace(client, small.name)
    assert another.admit("category", ["d", "b"]) == {"d": OTHER, "b": "b"}
    assert another.registry("category").names() == ["a", "b"]
    assert another.admit("retriever", ["d"]) == {"d": "d"}


def test_the_clock_is_the_servers(namespace: Namespace) -> None:
    assert abs(namespace.now_ms() - time.time() * 1_000) < 5_000


def test_the_monitors_state_is_kept_under_its_epoch_only(namespace: Namespace) -> None:
    monitor, lease = namespace.monitor, namespace.lease("monitor")
    assert (monitor.load_monitor(), monitor.read_snapshot()) == ({}, None)
    epoch = lease.acquire("m1", 60_000)
    assert epoch is not None
    assert monitor.save_monitor(epoch, {"hour": b"1", "state": b"old"})
    assert monitor.save_monitor(epoch, {"hour": None, "state": b"state"})
    assert monitor.publish_snapshot(epoch, b"snapshot")
    lease.release(epoch)
    lease.acquire("m2", 60_000)
    assert not monitor.save_monitor(epoch, {"state": b"stale"})
    assert not monitor.publish_snapshot(epoch, b"stale")
    assert (monitor.load_monitor(), monitor.read_snapshot()) == ({"state": b"state"}, b"snapshot")


def test_markers_are_read_in_order(namespace: Namespace) -> None:
    first = namespace.monitor.mark("deploy", "v2", 1_000)
    namespace.monitor.mark("acknowledged", "known", 2_000)
    assert [marker.text for marker in namespace.monitor.markers()] == ["v2", "known"]
    (second,) = namespace.monitor.markers(first)
    assert (second.kind, second.at) == ("acknowledged", 2_000)
