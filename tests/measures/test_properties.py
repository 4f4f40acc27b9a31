"""What must hold of any ranking and any judgments, and what two other implementations say of them."""

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from ragauge.errors import JudgmentsError, MeasureError
from ragauge.measures import Judgments, Measure, Scorer, by_score, close_ranks, score

DOCS = st.sampled_from([f"d{number}" for number in range(12)])
GRADES = st.dictionaries(DOCS, st.integers(-1, 4), min_size=1)
RANKINGS = st.lists(DOCS, unique=True, max_size=12)
REPEATING = st.lists(DOCS, max_size=20)
CUTOFFS = (1, 3, 5, 10)
EVERY = [
    "MRR", "AP", "Rprec", "nDCG",
    *(f"{family}@{k}" for k in CUTOFFS for family in ("MRR", "hit", "P", "recall", "AP", "nDCG", "judged")),
    *(f"{family}@{k}" for k in CUTOFFS for family in ("ndcg_exp", "ap_min_r_k")),
]  # fmt: skip
WHOLE = {"MRR": "recip_rank", "AP": "map", "Rprec": "Rprec", "nDCG": "ndcg"}
TREC = WHOLE | {
    f"{ours}@{k}": f"{theirs}_{k}"
    for k in CUTOFFS
    for ours, theirs in {
        "hit": "success",
        "P": "P",
        "recall": "recall",
        "AP": "map_cut",
        "nDCG": "ndcg_cut",
    }.items()
}


@given(RANKINGS, GRADES, st.integers(1, 3))
def test_pytrec_eval_agrees(ranking: list[str], grades: dict[str, int], level: int) -> None:
    run = {"q": {doc: float(-rank) for rank, doc in enumerate(ranking)}}
    cuts = ",".join(map(str, CUTOFFS))
    wanted = {"recip_rank", "map", "Rprec", "ndcg"}
    wanted |= {f"{family}.{cuts}" for family in ("success", "P", "recall", "map_cut", "ndcg_cut")}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": grades}, wanted, relevance_level=level)
    theirs = evaluator.evaluate(run)["q"] if ranking else dict.fromkeys(TREC.values(), 0.0)
    ours = score(Judgments(grades, level=level), ranking, *TREC)
    assert ours == pytest.approx({name: theirs[trec] for name, trec in TREC.items()}, abs=1e-12)


@given(
    st.lists(DOCS, unique=True, min_size=1, max_size=12), st.dictionaries(DOCS, st.integers(0, 4), min_size=1)
)
def test_ir_measures_agrees(ranking: list[str], grades: dict[str, int]) -> None:
    names = {
        "RR@5": "MRR@5",
        "Judged@5": "judged@5",
        "Success@3": "hit@3",
        "nDCG@5": "nDCG@5",
        "AP@5": "AP@5",
    }
    names |= {"AP@5": "AP@5", "P@5": "P@5", "R@5": "recall@5", "Rprec": "Rprec"}
    qrels = [ir_measures.Qrel("q", doc, grade) for doc, grade in grades.items()]
    run = [ir_measures.ScoredDoc("q", doc, -float(rank)) for rank, doc in enumerate(ranking)]
    found = ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], qrels, run)
    theirs = {names[str(metric.measure)]: metric.value for metric in found}
    assert score(Judgments(grades), ranking, *names.values()) == pytest.approx(theirs, abs=1e-12)


@given(REPEATING, st.dictionaries(DOCS, st.floats(-2, 6), max_size=12))
def test_every_value_lies_between_0_and_1(ranking: list[str], grades: dict[str, float]) -> None:
    """Duplicates and missed documents are where others leave the range."""
    for value in score(Judgments(grades), ranking, *EVERY).values():
        assert value is None or 0.0 <= value <= 1.0 + 1e-12


@given(REPEATING, GRADES)
def test_only_an_empty_list_has_no_judged_share(ranking: list[str], grades: dict[str, int]) -> None:
    values = score(Judgments(grades), ranking, *EVERY)
    absent = {name for name, value in values.items() if value is None}
    assert absent == (set() if ranking else {name for name in EVERY if name.startswith("judged")})


@given(RANKINGS, GRADES, st.integers(0, 10))
def test_moving_a_better_document_up_never_lowers_a_measure(
    ranking: list[str], grades: dict[str, int], at: int
) -> None:
    if at + 1 >= len(ranking) or grades.get(ranking[at], 0) > grades.get(ranking[at + 1], 0):
        return
    names = [name for name in EVERY if not name.startswith("judged")]
    better = [*ranking[:at], ranking[at + 1], ranking[at], *ranking[at + 2 :]]
    before, after = (score(Judgments(grades), ids, *names) for ids in (ranking, better))
    assert all((after[name] or 0.0) >= (before[name] or 0.0) - 1e-12 for name in names)


@given(RANKINGS, GRADES)
def test_a_deeper_cutoff_never_loses_a_relevant_document(ranking: list[str], grades: dict[str, int]) -> None:
    for family in ("MRR", "hit", "recall", "AP"):
        values = [score(Judgments(grades), ranking, f"{family}@{k}")[f"{family}@{k}"] or 0.0 for k in CUTOFFS]
        assert values == sorted(values)


@given(REPEATING, GRADES)
def test_a_duplicate_is_as_if_it_were_not_there(ranking: list[str], grades: dict[str, int]) -> None:
    distinct = list(dict.fromkeys(ranking))
    assert score(Judgments(grades), ranking, *EVERY) == score(Judgments(grades), distinct, *EVERY)


@given(GRADES)
def test_the_best_ranking_scores_1(grades: dict[str, int]) -> None:
    best = sorted(grades, key=lambda doc: -grades[doc])
    wanted = 1.0 if max(grades.values()) > 0 else 0.0
    names = ["nDCG@1", "nDCG@10", "nDCG", "AP", "Rprec", "MRR", "ap_min_r_k@3", "ndcg_exp@5"]
    assert score(Judgments(grades), best, *names) == pytest.approx(dict.fromkeys(names, wanted))


@given(REPEATING, GRADES, st.lists(DOCS, max_size=3))
def test_hashes_of_ids_score_as_the_ids_do(
    ranking: list[str], grades: dict[str, int], forbidden: list[str]
) -> None:
    """The streaming worker keeps 8-byte hashes, not ids."""
    scorer = Scorer.streaming(5, (1, 3))
    by_id = scorer.score(Judgments(grades, forbidden=forbidden), ranking)
    hashed = Judgments({hash(doc): grade for doc, grade in grades.items()}, forbidden=map(hash, forbidden))
    assert scorer.score(hashed, [hash(doc) for doc in ranking]) == by_id


@given(REPEATING, GRADES, st.lists(DOCS, max_size=3))
def test_the_streaming_scorer_says_what_the_plain_one_says(
    ranking: list[str], grades: dict[str, int], forbidden: list[str]
) -> None:
    scorer = Scorer.streaming(10, CUTOFFS)
    scores, duplicates, ranks = scorer.score(Judgments(grades, forbidden=forbidden), ranking)
    distinct, closed = close_ranks(ranking, 10)
    first = [rank for rank, doc in enumerate(distinct, start=1) if grades.get(doc, 0) >= 1][:1]
    plain = score(Judgments(grades), ranking, *map(str, scorer.measures))
    assert scores.values == tuple(plain.values())
    assert ([] if scores.first is None else [scores.first]) == first
    assert ranks == tuple(rank for rank, doc in enumerate(distinct, start=1) if doc in forbidden)
    assert duplicates == closed


class Watched(list[str]):
    """A list that remembers how deep it was read."""

    deepest = 0

    def __getitem__(self, at: object) -> list[str]:  # type: ignore[override]
        assert isinstance(at, slice)
        self.deepest = max(self.deepest, at.stop)
        return super().__getitem__(at)


def test_nothing_beyond_the_deepest_cutoff_is_read() -> None:
    ranking = Watched(f"d{number}" for number in range(1000))
    Scorer.of("nDCG@10", "recall@3").score(Judgments({"d1": 1}), ranking)
    assert ranking.deepest == 10


def test_nothing_beyond_r_is_read_for_r_precision() -> None:
    ranking = Watched(f"d{number}" for number in range(1000))
    scores, _, _ = Scorer.of("Rprec").score(Judgments({"d0": 1, "d5": 1, "d1": 1}), ranking)
    assert (ranking.deepest, scores.values) == (3, (2 / 3,))


def test_patterns_beyond_the_limit_are_forgotten_and_scored_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long-lived worker meets ever new patterns; its memory must not grow with them."""
    monkeypatch.setattr("ragauge.measures.scoring._MOST_KEPT", 2)
    scorer = Scorer.of("MRR@10")
    values = [scorer.score(Judgments({"a": 1}), [*"xyzuvw"[:n], "a"])[0].values for n in range(6)]
    assert values == [(1 / rank,) for rank in range(1, 7)]
    assert len(scorer._known) <= 2


@pytest.mark.parametrize("level", [0, -1, float("nan"), float("inf")])
def test_a_relevance_level_is_a_number_above_0(level: float) -> None:
    with pytest.raises(JudgmentsError, match="above 0"):
        Judgments({"a": 1}, level=level)


@pytest.mark.parametrize("grade", [float("nan"), float("inf"), float("-inf")])
def test_a_grade_is_finite(grade: float) -> None:
    with pytest.raises(JudgmentsError, match="finite"):
        Judgments({"a": 1, "b": grade})


def test_a_grade_may_be_too_large_for_an_exponential_gain() -> None:
    with pytest.raises(JudgmentsError, match="at most 1023"):
        score(Judgments({"a": 5000}), ["a"], "ndcg_exp@5")
    assert score(Judgments({"a": 5000}), ["a"], "nDCG@5") == {"nDCG@5": 1.0}


def test_a_nan_score_has_no_order() -> None:
    with pytest.raises(MeasureError, match=r"'b'.*NaN"):
        by_score({"a": 1.0, "b": float("nan")})


@given(st.sampled_from(EVERY))
def test_a_measures_name_is_read_as_it_is_printed(name: str) -> None:
    assert str(Measure.parse(name)) == name
    assert Measure.parse(name.lower()) == Measure.parse(name)


@pytest.mark.parametrize("name", ["", "nDCG@", "nDCG@0", "foo@3", "P", "hit", "Rprec@3", "P@-1", "P@1.5"])
def test_a_name_that_is_no_measure_is_refused(name: str) -> None:
    with pytest.raises(MeasureError):
        Measure.parse(name)
