"""The worked examples of the field."""

import math

import pytest

from ragauge.measures import Judgments, score, summarise


def _scores(relevance: list[int], name: str) -> float:
    docs = [f"d{rank}" for rank in range(len(relevance))]
    return score(Judgments(dict(zip(docs, relevance, strict=True))), docs, name)[name] or 0.0


def _mean(lists: list[list[int]]) -> float:
    summary = summarise([_scores(relevance, "MRR") for relevance in lists])
    assert summary is not None
    return summary.mean


def test_four_lists_have_the_mrr_of_the_textbook() -> None:
    lists = [[0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 1, 0, 0]]
    assert _mean(lists) == pytest.approx(0.4583, abs=5e-5)


def test_a_miss_counts_in_the_mean() -> None:
    assert _mean([[0, 1], [1, 0], [0, 0]]) == 0.5


def test_ranks_2_4_and_1() -> None:
    assert _mean([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]) == pytest.approx(0.583, abs=5e-4)


def test_average_precision_of_three_hits() -> None:
    assert _scores([1, 0, 1, 0, 1], "AP") == pytest.approx(0.756, abs=5e-4)


def test_one_relevant_document_at_rank_2() -> None:
    assert _scores([0, 1], "nDCG") == pytest.approx(0.631, abs=5e-4)


def test_the_mean_is_rounded_once() -> None:
    summary = summarise([0.1] * 10)
    assert summary is not None
    assert summary.mean == math.fsum([0.1] * 10) / 10
