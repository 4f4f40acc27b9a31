"""Rolling means over exact windows, with their bounds and their denominators."""

from typing import Final

from ragauge_service.exporter.catalogue.metric import Metric
from ragauge_service.exporter.catalogue.traffic import SERIES

MEASURES: Final = {
    "MRR": ("ragauge_window_mrr", "Mean reciprocal rank"),
    "hit": ("ragauge_window_hit_rate", "Share of retrievals with a relevant document"),
    "nDCG": ("ragauge_window_ndcg", "Mean nDCG"),
    "recall": ("ragauge_window_recall", "Mean recall"),
    "P": ("ragauge_window_precision", "Mean precision"),
    "AP": ("ragauge_window_map", "Mean average precision"),
    "judged": ("ragauge_window_judged_documents_ratio", "Mean share of judged documents"),
}
"""The measures of a tally: the gauge that carries each, and what it is called in its help."""


def _gauges() -> list[Metric]:
    found: list[Metric] = []
    for name, words in MEASURES.values():
        for suffix, what in (("", ""), ("_lower", ", lower bound"), ("_upper", ", upper bound")):
            found.append(
                Metric(
                    name=name + suffix,
                    kind="gauge",
                    labels=(*SERIES, "k", "window"),
                    help=f"{words} at k over the window{what}{' of the 95 % interval' if suffix else ''}.",
                    query=_weighted(name + suffix),
                    series="internal series x cutoffs x windows",
                )
            )
    return found


def _weighted(name: str) -> str:
    """Return the mean over categories, weighted by what each was computed from."""
    count = 'ragauge_window_scored_retrievals{window="1h"}'
    on = "on (job, instance, category, retriever, variant, evidence, window) group_left ()"
    if name.endswith(("_lower", "_upper")):
        return f'{name}{{window="1h"}}'
    return (
        f"sum by (retriever, evidence, k)"
        f' ({name}{{window="1h"}} * {on} ({count} > 0)) / on (retriever, evidence) group_left ()'
        f" sum by (retriever, evidence) ({count} > 0)"
    )


def _count(name: str, words: str, query: str) -> Metric:
    return Metric(
        name=name,
        kind="gauge",
        labels=(*SERIES, "window"),
        help=words,
        query=query,
        series="internal series x windows",
    )


WINDOWS: Final = (
    *_gauges(),
    _count(
        "ragauge_window_scored_retrievals",
        "Scored retrievals in the window: the denominator that all means of a series share.",
        'sum by (category, window) (ragauge_window_scored_retrievals{evidence="judgments"})',
    ),
    _count(
        "ragauge_window_retrievals",
        "Retrievals in the window that could have been scored, judged or not.",
        "sum by (category, window) (ragauge_window_retrievals)",
    ),
    _count(
        "ragauge_window_judged_ratio",
        "Share of the window's retrievals whose query is judged.",
        'ragauge_window_judged_ratio{evidence="judgments", window="1h"}',
    ),
    _count(
        "ragauge_window_no_answer_retrievals",
        "Retrievals in the window whose query has, by its judgments, no answer.",
        "sum by (retriever, window) (ragauge_window_no_answer_retrievals)",
    ),
    _count(
        "ragauge_window_abstained_ratio",
        "Share of the no-answer retrievals in the window that abstained.",
        'ragauge_window_abstained_ratio{window="1h"}',
    ),
)
