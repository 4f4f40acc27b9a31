"""The pytest plugin: ``ragauge_evaluate`` holds a run to its thresholds from within a test suite.

    def test_retrieval_is_good_enough(ragauge_evaluate):
        ragauge_evaluate(my_retriever, "testset.json", minimum={"MRR@10": 0.6}, baseline="main.json")

Thresholds that are not given are those of ``[tool.ragauge.gate]`` in the project's pyproject.toml.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ragauge.offline.gate import Verdict


@pytest.fixture
def ragauge_evaluate(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Callable[..., "Verdict"]:
    """Return a function that gates a run: the test fails where ``ragauge gate`` would.

    Arguments are ``run``, ``judgments``, and by name ``baseline``, ``config`` (a TOML file), ``minimum``,
    ``max_drop``, ``category``, ``alpha``, ``violations``, and the options of ``evaluate``. The means
    become properties of the test, which JUnit reports carry.
    """

    def check(run: Any, judgments: Any, **options: Any) -> "Verdict":
        from ragauge.offline import gate as gates  # noqa: PLC0415 - loaded by tests that use it

        config = options.pop("config", None)
        default = request.config.rootpath / "pyproject.toml"
        path = Path(config) if config is not None else default if default.exists() else None
        thresholds = _thresholds(path, explicit=config is not None)
        names = ("minimum", "max_drop", "category", "alpha", "violations")
        given = {name: options.pop(name) for name in names if name in options}
        asked = gates.thresholds_of("ragauge_evaluate", given)
        thresholds = replace(thresholds, **{name: getattr(asked, name) for name in given})
        verdict = gates.gate(run, judgments, options.pop("baseline", None), thresholds, **options)
        for name, mean in verdict.result.means.items():
            record_property(f"ragauge.{name}", None if mean is None else mean.summary.mean)
        if not verdict.passed:
            pytest.fail(str(verdict), pytrace=False)
        return verdict

    return check


def _thresholds(path: Path | None, *, explicit: bool) -> Any:
    from ragauge.offline import gate as gates  # noqa: PLC0415

    if path is None:
        return gates.Thresholds()
    return gates.read_thresholds(path) if explicit else gates.of_pyproject(path)
