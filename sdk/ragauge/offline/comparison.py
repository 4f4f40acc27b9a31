"""Compare two runs on the same queries: how much, how sure, where, and on which queries."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from ragauge.errors import InputError
from ragauge.offline.api import evaluate
from ragauge.offline.inputs import JudgmentsInput, RunInput, questions_from
from ragauge.offline.resampling import Array, Bounds, Method, bootstrap, holm, sign_flip
from ragauge.offline.results import Result
from ragauge.offline.settings import CUTOFFS, By

SCHEMA: Final = "ragauge.compare/1"
ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure in two runs, B minus A; ``p`` is adjusted over categories where it is one of several.

    ``relative`` is None when A's mean is 0.
    """

    a: float
    b: float
    difference: float
    relative: float | None
    lower: float | None
    upper: float | None
    method: Method
    p: float
    wins: int
    losses: int
    ties: int
    n: int

    @property
    def significant(self) -> bool:
        """Return whether chance is an unlikely reason for the difference."""
        return self.p < ALPHA


@dataclass(frozen=True, slots=True)
class Move:
    """A query whose value changed."""

    query: str
    a: float
    b: float


@dataclass(frozen=True)
class Comparison:
    """Two runs over the same queries; prints as a table, and renders as HTML in a notebook."""

    a: Result
    b: Result
    measures: Mapping[str, Difference]
    by: Mapping[str, Mapping[str, Difference]]
    moves: Mapping[str, tuple[Move, ...]]
    grouped_by: str = "category"

    def __str__(self) -> str:
        from ragauge.offline.comparing import plain  # noqa: PLC0415 - rich is loaded only to print

        return plain(self)

    def _repr_html_(self) -> str:
        from ragauge.offline.comparing import html  # noqa: PLC0415

        return html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``ragauge compare --json`` prints."""
        return {
            "schema": SCHEMA,
            "a": self.a.source,
            "b": self.b.source,
            "relevance_level": self.a.relevance_level,
            "queries": len(self.a.scored),
            "measures": {name: asdict(found) for name, found in self.measures.items()},
            "by": {
                self.grouped_by: {
                    group: {name: asdict(found) for name, found in measures.items()}
                    for group, measures in self.by.items()
                }
            },
            "moves": {name: [asdict(move) for move in moves] for name, moves in self.moves.items()},
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Return ``to_dict`` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)


def compare(
    run_a: RunInput,
    run_b: RunInput,
    judgments: JudgmentsInput = None,
    k: Iterable[int] = CUTOFFS,
    by: By = "category",
    **options: Any,
) -> Comparison:
    """Compare two runs, or two results of ``evaluate``, query by query.

    ``options`` are those of ``evaluate``.

    Raises:
        InputError: the runs answer different queries, or the results have other cutoffs or levels.

    >>> found = compare(
    ...     {"q1": ["a"], "q2": ["x"]}, {"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["b"]}, [1]
    ... )
    >>> found.measures["MRR@1"].difference, found.measures["MRR@1"].wins
    (0.5, 1)
    """
    if isinstance(run_a, Result) and isinstance(run_b, Result):
        return compared(run_a, run_b)
    questions = questions_from(
        judgments, split=options.pop("split", None), format=options.pop("judgments_format", None)
    )
    cutoffs = list(k)
    options["intervals"] = False
    a, b = (evaluate(run, questions, cutoffs, by, **options) for run in (run_a, run_b))
    return compared(a, b)


def compared(a: Result, b: Result, moves: int = 5) -> Comparison:
    """Return the comparison of two results.

    Raises:
        InputError: they are not comparable.
    """
    _check(a, b)
    names = [str(measure) for measure in a.measures]
    left, right = _table(a), _table(b)
    by = {group: _differences(names, left[rows], right[rows]) for group, rows in _groups(a).items()}
    whole = _differences(names, left, right)
    moved = {name: _moves(a, left[:, at], right[:, at], most=moves) for at, name in enumerate(names)}
    return Comparison(a, b, whole, _adjusted(by, names), moved, a.grouped_by)


def _check(a: Result, b: Result) -> None:
    if a.measures != b.measures:
        left, right = (", ".join(map(str, side.measures)) for side in (a, b))
        raise InputError(f"not comparable: {a.source} has {left}; {b.source} has {right}")
    if a.relevance_level != b.relevance_level:
        raise InputError(f"not comparable: relevance levels {a.relevance_level} and {b.relevance_level}")
    for left, right in ((a, b), (b, a)):
        missing = [one.query for one in left.violations if one.kind == "missing"]
        answered = {one.query for one in right.violations if one.kind == "missing"}
        only = [query for query in missing if query not in answered]
        if only or {one.query for one in left.scored} != {one.query for one in right.scored}:
            named = only[0] if only else "some"
            raise InputError(
                f"not comparable: {a.source} and {b.source} answer different queries "
                f"({left.source} lacks {len(only)}, such as {named!r}); --missing zero counts them as empty"
            )


def _table(result: Result) -> Array:
    """Return queries (sorted) by measures; an empty list's judged share counts 0."""
    ordered = sorted(result.scored, key=lambda scored: scored.query)
    rows = [[value or 0.0 for value in scored.values] for scored in ordered]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(result.measures))


def _groups(result: Result) -> dict[str, list[int]]:
    member = {scored.query: group for group, part in result.groups.items() for scored in part.scored}
    queries = sorted(scored.query for scored in result.scored)
    rows: dict[str, list[int]] = {}
    for at, query in enumerate(queries):
        if query in member:
            rows.setdefault(member[query], []).append(at)
    return dict(sorted(rows.items()))


def _differences(names: list[str], left: Array, right: Array) -> dict[str, Difference]:
    if not len(left):
        return {}
    differences = right - left
    bounds, chances = bootstrap(differences), sign_flip(differences)
    return {
        name: _difference(left[:, at], right[:, at], bounds[at], chances[at]) for at, name in enumerate(names)
    }


def _difference(a: Array, b: Array, bounds: Bounds, p: float) -> Difference:
    mean_a, mean_b = float(a.mean()), float(b.mean())
    wins, losses = int((b > a).sum()), int((b < a).sum())
    return Difference(
        a=mean_a,
        b=mean_b,
        difference=mean_b - mean_a,
        relative=(mean_b - mean_a) / mean_a if mean_a else None,
        lower=bounds.lower,
        upper=bounds.upper,
        method=bounds.method,
        p=p,
        wins=wins,
        losses=losses,
        ties=len(a) - wins - losses,
        n=len(a),
    )


def _adjusted(
    by: Mapping[str, Mapping[str, Difference]], names: Iterable[str]
) -> dict[str, dict[str, Difference]]:
    """Return the groups' differences with p values adjusted over the groups, measure by measure."""
    found: dict[str, dict[str, Difference]] = {group: {} for group in by}
    for name in names:
        adjusted = holm({group: measures[name].p for group, measures in by.items()})
        for group, measures in by.items():
            found[group][name] = replace(measures[name], p=adjusted[group])
    return found


def _moves(a: Result, left: Array, right: Array, *, most: int) -> tuple[Move, ...]:
    queries = sorted(scored.query for scored in a.scored)
    order = np.argsort(-np.abs(right - left), kind="stable")[:most]
    found = (Move(queries[at], float(left[at]), float(right[at])) for at in map(int, order))
    return tuple(move for move in found if move.a != move.b)
