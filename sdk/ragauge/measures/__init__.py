"""Measures of a ranking against judgments, as trec_eval defines them: pure, the one engine of ragauge.

A ``Judgments`` is compiled once from a query's grades and scores many rankings; a ``Scorer`` knows which
measures are wanted and how deep it must look. Nothing beyond the deepest cutoff is touched.

>>> scorer = Scorer.of("MRR@10", "nDCG@10", "recall@5")
>>> judgments = Judgments({"d7": 1})
>>> scores, duplicates, forbidden = scorer.score(judgments, ["d1", "d7", "d3"])
>>> scores.first, [round(value, 3) for value in scores.values]
(2, [0.5, 0.631, 1.0])
"""

from ragauge.measures.formulas import discount
from ragauge.measures.judgments import Grade, Judgments
from ragauge.measures.names import FAMILIES, Family, Measure, measures_of
from ragauge.measures.ranking import Rank, by_score, close_ranks, judged_only, to_documents
from ragauge.measures.scoring import STREAMED, RankScores, Scorer, score
from ragauge.measures.summary import Summary, quantile, summarise

__all__ = [
    "FAMILIES",
    "STREAMED",
    "Family",
    "Grade",
    "Judgments",
    "Measure",
    "Rank",
    "RankScores",
    "Scorer",
    "Summary",
    "by_score",
    "close_ranks",
    "discount",
    "judged_only",
    "measures_of",
    "quantile",
    "score",
    "summarise",
    "to_documents",
]
