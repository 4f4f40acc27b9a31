"""A difference is compared query by query, and chance is named where it may be the reason."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragauge.errors import InputError
from ragauge.offline.api import evaluate
from ragauge.offline.comparison import compare
from ragauge.offline.resampling import bootstrap, holm, sign_flip
from ragauge_service.cli import run as command_line

VALUES = st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=2, max_size=10)


@given(VALUES)
def test_few_queries_have_the_exact_chance_of_all_signs(values: list[float]) -> None:
    differences = np.array(values)
    found = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=2**12, alternative="two-sided"
    )
    ours = sign_flip(differences[:, None])[0]
    if np.any(differences != 0.0):
        assert ours == pytest.approx(found.pvalue, abs=0.01 if len(values) > 8 else 1e-9)
    else:
        assert ours == 1.0


def test_many_queries_have_the_chance_that_a_t_test_gives() -> None:
    differences = np.random.default_rng(1).normal(0.02, 0.1, size=(200, 2))
    theirs: Any = stats.ttest_1samp(differences, 0.0)
    assert sign_flip(differences) == pytest.approx(list(theirs.pvalue), abs=0.02)
    assert sign_flip(differences) == sign_flip(differences)


def test_the_interval_is_scipys_bca() -> None:
    differences = np.random.default_rng(2).exponential(0.2, size=(60, 1)) - 0.1
    theirs = stats.bootstrap((differences[:, 0],), np.mean, method="BCa", rng=np.random.default_rng(3))
    ours = bootstrap(differences)[0]
    assert ours.method == "bca"
    assert (ours.lower, ours.upper) == pytest.approx(tuple(theirs.confidence_interval), abs=0.006)


def test_one_query_says_nothing_and_equal_differences_leave_no_doubt() -> None:
    assert bootstrap(np.array([[0.5]]))[0].lower is None
    assert bootstrap(np.array([[0.5], [0.5]]))[0] == bootstrap(np.array([[0.5]] * 9))[0]


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=1))
def test_holm_is_no_smaller_than_p_and_no_larger_than_bonferroni(values: dict[str, float]) -> None:
    adjusted = holm(values)
    assert all(p <= adjusted[name] <= min(1.0, p * len(values)) + 1e-12 for name, p in values.items())
    ordered = [adjusted[name] for name, _ in sorted(values.items(), key=lambda item: item[1])]
    assert ordered == sorted(ordered)


def _category_lost(n: int = 40) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    names = ["codes"] * n + ["words"] * 2 * n
    judged = [{"query_id": f"q{at}", "category": name, "relevant": ["a"]} for at, name in enumerate(names)]
    before = {f"q{at}": ["a"] if at < n else ["x", "a"] for at in range(3 * n)}
    after = {f"q{at}": ["x", "y", "a"] if at < n else ["a"] for at in range(3 * n)}
    return before, after, judged


def test_a_better_mean_that_loses_a_category_is_seen() -> None:
    found = compare(*_category_lost(), k=[10])
    assert found.measures["MRR@10"].difference > 0.0
    codes = found.by["codes"]["MRR@10"]
    assert codes.difference == pytest.approx(-2 / 3)
    assert (codes.wins, codes.losses, codes.significant) == (0, 40, True)
    assert "codes lost: MRR@10" in str(found)
    assert found._repr_html_().count("<table>") == 2


def test_the_queries_that_moved_most_are_named() -> None:
    before, after = {"q1": ["a"], "q2": ["x", "a"]}, {"q1": ["x"], "q2": ["a"]}
    found = compare(before, after, {"q1": ["a"], "q2": ["a"]}, k=[5])
    moves = [(move.query, move.a, move.b) for move in found.moves["MRR@5"]]
    assert moves == [("q1", 1.0, 0.0), ("q2", 0.5, 1.0)]


def test_runs_that_answer_different_queries_are_refused() -> None:
    judged = {"q1": ["a"], "q2": ["a"]}
    with pytest.raises(InputError, match="answer different queries"):
        compare({"q1": ["a"], "q2": ["a"]}, {"q1": ["a"]}, judged)
    found = compare({"q1": ["a"], "q2": ["a"]}, {"q1": ["a"]}, judged, missing="zero")
    assert found.measures["hit@1"].losses == 1


@pytest.mark.parametrize("options", [{"k": [3]}, {"k": [5], "relevance_level": 2}])
def test_other_cutoffs_and_levels_are_refused(options: dict[str, Any]) -> None:
    judged = {"q1": {"a": 2}}
    with pytest.raises(InputError, match="not comparable"):
        compare(evaluate({"q1": ["a"]}, judged, k=[5]), evaluate({"q1": ["a"]}, judged, **options))


@pytest.mark.parametrize("style", [[], ["--json"], ["--markdown"]])
def test_the_command_shows_differences_by_category(
    style: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(tmp_path / name) for name in ("a.json", "b.json", "judgments.json")]
    for name, value in zip(names, _category_lost(8), strict=True):
        Path(name).write_text(json.dumps(value))
    assert command_line(["compare", *names, *style]) == 0
    printed = capsys.readouterr().out
    assert "codes" in printed
    if style == ["--json"]:
        found = json.loads(printed)
        assert found["by"]["category"]["codes"]["MRR@10"]["losses"] == 8
