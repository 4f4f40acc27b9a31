"""Leases by server time, with epochs that only grow; and who is alive."""

import pytest

from ragauge_service.store.connection import Client
from ragauge_service.store.lease import Lease, fair_share
from ragauge_service.store.namespace import Namespace
from servers import wait_until

pytestmark = pytest.mark.server


@pytest.fixture
def lease(namespace: Namespace) -> Lease:
    """Return a lease that nobody has acquired."""
    return namespace.lease("monitor")


def test_one_holds_it_and_the_others_wait(lease: Lease) -> None:
    epoch = lease.acquire("a", 60_000)
    assert epoch is not None
    assert lease.acquire("b", 60_000) is None
    assert (lease.owner(), lease.epoch()) == ("a", epoch)


def test_it_passes_on_when_it_is_released(lease: Lease) -> None:
    first = lease.acquire("a", 60_000)
    assert first is not None
    assert lease.release(first)
    second = lease.acquire("b", 60_000)
    assert second is not None
    assert second > first
    assert not lease.release(first)
    assert lease.owner() == "b"


def test_it_passes_on_when_it_runs_out(lease: Lease) -> None:
    first = lease.acquire("a", 30)
    second = wait_until(lambda: lease.acquire("b", 60_000), "the lease to run out")
    assert first is not None
    assert second > first
    assert not lease.renew(first)


def test_renewing_holds_on(lease: Lease, client: Client) -> None:
    epoch = lease.acquire("a", 60_000)
    assert epoch is not None
    before = int(client.call("HGET", lease.key, "until"))
    assert wait_until(
        lambda: lease.renew(epoch) and int(client.call("HGET", lease.key, "until")) > before, ""
    )


def test_a_released_lease_cannot_be_renewed(lease: Lease) -> None:
    epoch = lease.acquire("a", 60_000)
    assert epoch is not None
    lease.release(epoch)
    assert not lease.renew(epoch)


def test_acquiring_again_fences_ones_former_self(lease: Lease) -> None:
    """A worker that restarts under its old name must not be confused with the one that was killed."""
    first, second = lease.acquire("a", 60_000), lease.acquire("a", 60_000)
    assert first is not None
    assert second is not None
    assert second > first
    assert not lease.renew(first)


def test_an_epoch_lost_in_a_failover_is_not_granted_again(lease: Lease, client: Client) -> None:
    lost = lease.acquire("a", 60_000)
    client.call("DEL", lease.key)
    again = wait_until(lambda: lease.acquire("b", 60_000), "")
    assert lost is not None
    assert again >= lost
    assert lease.acquire("b", 60_000) != lost


def test_a_lease_from_before_the_clock_was_set_back_is_over(lease: Lease, client: Client) -> None:
    """Else nobody would count until the clock has caught up."""
    lease.acquire("a", 1_000)
    client.call("HINCRBY", lease.key, "until", 24 * 3_600_000)
    assert lease.acquire("b", 1_000) is not None


def test_the_living_are_counted_by_their_heartbeats(namespace: Namespace) -> None:
    owners = namespace.owners
    assert owners.beat("a", 60_000) == ("a",)
    assert owners.beat("b", 60_000) == ("a", "b")
    owners.leave("a")
    assert owners.alive() == ("b",)
    owners.beat("c", 1)
    wait_until(lambda: owners.beat("b", 60_000) == ("b",), "the dead to be forgotten")


def test_shares_cover_all_shards() -> None:
    for shards in range(1, 65):
        for alive in range(1, 20):
            share = fair_share(shards, alive)
            assert share * alive >= shards > (share - 1) * alive
