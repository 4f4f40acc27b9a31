"""A gate: thresholds that a run must hold, and a baseline that it must not fall behind."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from ragauge.errors import ConfigurationError
from ragauge.measures import Measure
from ragauge.offline.api import evaluate
from ragauge.offline.comparison import ALPHA, Comparison, Difference, compared
from ragauge.offline.inputs import JudgmentsInput, RunInput, questions_from
from ragauge.offline.results import Result

ANY: Final = "*"
_KEYS: Final = {"minimum", "max_drop", "alpha", "violations", "category", "relevance_level", "measures"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What a gate demands.

    ``minimum``: the least mean by measure; ``category`` the same within a category. ``max_drop``: how far
    a mean may fall behind the baseline when the drop is significant (p below ``alpha``), by measure or
    ``*``; significant drops of a category count too. ``violations``: how many broken rules are allowed.
    """

    minimum: Mapping[str, float] = field(default_factory=dict[str, float])
    category: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, dict[str, float]])
    max_drop: Mapping[str, float] = field(default_factory=lambda: {ANY: 0.0})
    alpha: float = ALPHA
    violations: int = 0
    relevance_level: float = 1
    measures: tuple[str, ...] = ("MRR@10", "hit@5", "nDCG@10", "recall@10")

    def named(self) -> list[str]:
        """Return every measure that is named anywhere, each once."""
        parts = (self.measures, self.minimum, *self.category.values(), self.max_drop)
        return [name for name in dict.fromkeys(name for part in parts for name in part) if name != ANY]


@dataclass(frozen=True, slots=True)
class Check:
    """One demand: whether it is held, and what was found."""

    name: str
    passed: bool
    message: str

    def __str__(self) -> str:
        return f"{'ok  ' if self.passed else 'FAIL'} {self.name}: {self.message}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of a gate; ``comparison`` is None without a baseline."""

    result: Result
    comparison: Comparison | None
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Return whether every check is held."""
        return all(check.passed for check in self.checks)

    @property
    def violated(self) -> bool:
        """Return whether more rules were broken than allowed."""
        return not self.checks[0].passed

    def __str__(self) -> str:
        lines = map(str, self.checks)
        return "\n".join([*lines, "gate passed" if self.passed else "gate failed"])

    def to_dict(self) -> dict[str, Any]:
        """Return what ``ragauge gate --json`` prints."""
        return {
            "schema": "ragauge.gate/1",
            "passed": self.passed,
            "checks": [asdict(check) for check in self.checks],
            "evaluation": self.result.to_dict(),
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
        }


def read_thresholds(path: Path | None) -> Thresholds:
    """Return the thresholds of ``[tool.ragauge.gate]`` in a pyproject, or of a TOML file as a whole.

    Without a path, ``pyproject.toml`` here is read if it has that table.

    Raises:
        ConfigurationError: the file or a setting cannot be used.
    """
    if path is None:
        here = Path("pyproject.toml")
        return of_pyproject(here) if here.exists() else Thresholds()
    table = _table(path)
    if table is None:
        raise ConfigurationError(f"{path}: a table [tool.ragauge.gate] is wanted")
    return thresholds_of(str(path), table)


def of_pyproject(path: Path) -> Thresholds:
    """Return the thresholds of a pyproject that may have none.

    Raises:
        ConfigurationError: it cannot be read, or a setting cannot be used.
    """
    return thresholds_of(str(path), _table(path) or {})


def _table(path: Path) -> dict[str, Any] | None:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: no TOML: {error}") from None
    if "tool" in content or path.name == "pyproject.toml":
        return content.get("tool", {}).get("ragauge", {}).get("gate")
    return content


def thresholds_of(source: str, table: Mapping[str, Any]) -> Thresholds:
    """Return checked thresholds.

    Raises:
        ConfigurationError: a key is unknown or a value is not a number.

    >>> thresholds_of("t", {"minimum": {"mrr@10": 0.5}}).minimum
    {'MRR@10': 0.5}
    """
    if unknown := sorted(set(table) - _KEYS):
        raise ConfigurationError(f"{source}: no key {unknown[0]!r}; known are {', '.join(sorted(_KEYS))}")
    found: dict[str, Any] = dict(table)
    for name in ("minimum", "max_drop"):
        if name in found:
            found[name] = _numbers(f"{source}: {name}", found[name])
    if "category" in found:
        found["category"] = {
            group: _numbers(f"{source}: category.{group}", values)
            for group, values in _mapping(f"{source}: category", found["category"]).items()
        }
    for name in ("alpha", "violations", "relevance_level"):
        if name in found and (isinstance(found[name], bool) or not isinstance(found[name], int | float)):
            raise ConfigurationError(f"{source}: {name}: a number is wanted, not {found[name]!r}")
    if "measures" in found:
        found["measures"] = tuple(str(Measure.parse(name)) for name in found["measures"])
    return Thresholds(**found)


def _mapping(where: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{where}: a table is wanted, not {value!r:.40}")
    return cast("Mapping[str, Any]", value)


def _numbers(where: str, value: object) -> dict[str, float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {ANY: float(value)}
    found: dict[str, float] = {}
    for name, bound in _mapping(where, value).items():
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise ConfigurationError(f"{where}.{name}: a number is wanted, not {bound!r:.40}")
        found[name if name == ANY else str(Measure.parse(name))] = float(bound)
    return found


def gate(
    run: RunInput,
    judgments: JudgmentsInput,
    baseline: RunInput = None,
    thresholds: Thresholds | None = None,
    **options: Any,
) -> Verdict:
    """Return whether a run holds its thresholds and does not fall behind a baseline run.

    ``options`` are those of ``evaluate``.

    Raises:
        InputError: something cannot be read, or the runs are not comparable.

    >>> gate({"q": ["a"]}, {"q": {"a": 1}}, thresholds=Thresholds(minimum={"MRR@10": 0.9})).passed
    True
    """
    wanted = thresholds or Thresholds()
    questions = questions_from(
        judgments, split=options.pop("split", None), format=options.pop("judgments_format", None)
    )
    shared: dict[str, Any] = {
        "by": "category",
        "relevance_level": wanted.relevance_level,
        "measures": wanted.named(),
        **options,
    }
    result = evaluate(run, questions, **shared)
    comparison = None if baseline is None else compared(evaluate(baseline, questions, **shared), result)
    return Verdict(result, comparison, tuple(_checks(wanted, result, comparison)))


def _checks(wanted: Thresholds, result: Result, comparison: Comparison | None) -> Iterator[Check]:
    broken = result.violations
    first = f": {broken[0]}" if broken else ""
    yield Check(
        "violations", len(broken) <= wanted.violations, f"{len(broken)}, at most {wanted.violations}{first}"
    )
    for name, least in wanted.minimum.items():
        yield _minimum(name, result.mean(name), least)
    for group, bounds in wanted.category.items():
        part = result.groups.get(group)
        for name, least in bounds.items():
            mean = part.means[name] if part else None
            yield _minimum(f"{group}: {name}", mean.summary.mean if mean else None, least)
    if comparison is not None:
        yield from _drops(wanted, "", comparison.measures)
        for group, measures in comparison.by.items():
            yield from _drops(wanted, f"{group}: ", measures)


def _minimum(name: str, mean: float | None, least: float) -> Check:
    if mean is None:
        return Check(f"{name} minimum", passed=False, message=f"nothing was scored, at least {least} wanted")
    return Check(f"{name} minimum", mean >= least, f"{mean:.4f}, at least {least}")


def _drops(wanted: Thresholds, prefix: str, measures: Mapping[str, Difference]) -> Iterable[Check]:
    for name, found in measures.items():
        allowed = wanted.max_drop.get(name, wanted.max_drop.get(ANY))
        if allowed is None:
            continue
        failed = found.p < wanted.alpha and -found.difference > allowed
        message = f"{found.difference:+.4f} (p {found.p:.4f}), a significant drop of at most {allowed}"
        yield Check(f"{prefix}{name} drop", not failed, message)
