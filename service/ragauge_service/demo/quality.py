"""What the service says, as the demo shows it: the rows of ``GET /v1/quality``, one a category."""

import json
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

WINDOW: Final = "2m"
"""The window that the demo shows: short, because the whole demo is."""

MRR: Final = "MRR@10"
HIT: Final = "hit@5"
NDCG: Final = "nDCG@10"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One category: measures by judgments, MRR@10 by clicks beside them; None where nothing was scored.

    ``state`` is the worst of its detectors; ``baseline``, ``size`` and ``onset`` (Unix milliseconds) are that
    detector's.
    """

    category: str
    retrievals: int
    mrr: float | None = None
    hit: float | None = None
    ndcg: float | None = None
    clicks: float | None = None
    state: str | None = None
    baseline: float | None = None
    size: float | None = None
    onset: int | None = None


WORST_FIRST: Final = ("alarm", "held", "learning", "ok")


def fetch(url: str, *, window: str = WINDOW, timeout: float = 5.0) -> Mapping[str, Any]:
    """Return the JSON of ``GET /v1/quality`` from a service on loopback.

    Raises:
        OSError: the service does not answer.
    """
    with urllib.request.urlopen(f"{url}/v1/quality?window={window}", timeout=timeout) as answer:  # noqa: S310
        return json.load(answer)


def worst(url: str, category: str, *, limit: int = 5, timeout: float = 5.0) -> list[str]:
    """Return texts of queries that fail in a category, by ``GET /v1/failures``; none when it does not say."""
    address = f"{url}/v1/failures?category={category}&evidence=judgments"
    try:
        with urllib.request.urlopen(address, timeout=timeout) as answer:  # noqa: S310
            failures = json.load(answer)["failures"]
    except (OSError, ValueError, KeyError):
        return []
    texts = (str(one.get("query") or one.get("query_id") or one.get("key")) for one in failures)
    return list(dict.fromkeys(texts))[:limit]


def rows(quality: Mapping[str, Any], categories: Iterable[str]) -> list[Row]:
    """Return a row for each category, in that order, empty where the service has no series yet.

    >>> [row] = rows({"series": []}, ["errors"])
    >>> row.category, row.retrievals, row.mrr
    ('errors', 0, None)
    """
    series = quality["series"]
    return [_row(name, [one for one in series if one["category"] == name]) for name in categories]


def _row(category: str, series: Iterable[Mapping[str, Any]]) -> Row:
    found = {one["evidence"]: one for one in series}
    judged, clicked = found.get("judgments", {}), found.get("clicks", {})
    drop = _worst(one.get("drop") or {} for one in found.values())
    return Row(
        category=category,
        retrievals=judged.get("retrievals", 0),
        mrr=_value(judged, MRR),
        hit=_value(judged, HIT),
        ndcg=_value(judged, NDCG),
        clicks=_value(clicked, MRR),
        state=drop.get("state"),
        baseline=drop.get("baseline"),
        size=drop.get("size"),
        onset=drop.get("onset"),
    )


def _worst(drops: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    known = [drop for drop in drops if drop.get("state") in WORST_FIRST]
    return min(known, key=lambda drop: WORST_FIRST.index(drop["state"]), default={})


def _value(series: Mapping[str, Any], measure: str) -> float | None:
    found = (series.get("measures") or {}).get(measure) or {}
    return found.get("value")
