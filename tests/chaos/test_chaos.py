"""Short versions of the chaos: whatever is killed, cut or stopped, expected = counted.

Which branch fires is a matter of timing: `make chaos` sees to it that each does.
"""

from pathlib import Path
from random import Random

import pytest
from scenarios import Plan, play

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(600)]


SHORT = (
    "worker-killed",
    "worker-stopped",
    "connection-cut",
    "server-restarted",
    "memory-full",
    "replica-cut-off",
)
"""The others differ from these by what else is killed; they take a cluster's failover each."""


@pytest.mark.parametrize("name", SHORT)
def test_whatever_goes_wrong_everything_is_counted_once(name: str, tmp_path: Path) -> None:
    outcome = play(name, tmp_path, Plan(1_000.0, 0.5, Random(name)))
    assert outcome.right, outcome.wrong
    assert outcome.counted == outcome.expected > 0
