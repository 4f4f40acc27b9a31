"""An evaluation as something to look at: a table, JSON, HTML, data frames."""

import json
from typing import Any, Final

from ragauge.errors import InvariantViolation
from ragauge.measures import quantile
from ragauge.offline.evaluation import Evaluation, Mean, Part

SCHEMA: Final = "ragauge.evaluate/1"


class Result(Evaluation):
    """A run scored against judgments; prints as a table, and renders as HTML in a notebook."""

    def __str__(self) -> str:
        from ragauge.offline.report import plain  # noqa: PLC0415 - rich is loaded only to print

        return plain(self)

    def _repr_html_(self) -> str:
        from ragauge.offline.report import html  # noqa: PLC0415

        return html(self)

    def check(self) -> "Result":
        """Return itself if no rule was broken.

        Raises:
            InvariantViolation: one was; the message names the first query and document.
        """
        for violation in self.violations:
            others = len(self.violations) - 1
            more = f" (and {others} more)" if others else ""
            raise InvariantViolation(f"{self.source}: {violation}{more}")
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return what ``ragauge evaluate --json`` prints."""
        latencies = sorted(self.latencies.values())
        return {
            "schema": SCHEMA,
            "relevance_level": self.relevance_level,
            "counts": dict(self.counts),
            "measures": measures(self),
            "by": {self.grouped_by: {name: _part(part) for name, part in self.groups.items()}},
            "first_rank": self.first_ranks,
            "violations": [
                {"query": one.query, "doc": one.doc, "rank": one.rank, "kind": one.kind}
                for one in self.violations
            ],
            "latency_ms": {
                name: quantile(latencies, share) if latencies else None
                for name, share in (("p50", 0.5), ("p95", 0.95))
            },
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Return ``to_dict`` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per scored query."""
        return [
            {"query": scored.query, "category": scored.category, "first_rank": scored.first, **values}
            for scored, values in zip(self.scored, self.per_query.values(), strict=True)
        ]

    def to_pandas(self) -> Any:
        """Return one row per scored query as a pandas frame."""
        import pandas as pd  # noqa: PLC0415 - an extra

        return pd.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """Return one row per scored query as a polars frame."""
        import polars as pl  # noqa: PLC0415 - an extra

        return pl.DataFrame(self.rows(), infer_schema_length=None)


def _part(part: Part) -> dict[str, Any]:
    return {"counts": dict(part.counts), "measures": measures(part)}


def measures(part: Part) -> dict[str, Any]:
    """Return a part's measures as JSON has them; None where nothing was scored."""
    return {name: None if mean is None else _mean(mean) for name, mean in part.means.items()}


def _mean(mean: Mean) -> dict[str, Any]:
    summary = mean.summary
    return {
        "mean": summary.mean,
        "lower": mean.lower,
        "upper": mean.upper,
        "median": summary.median,
        "p10": summary.p10,
        "p90": summary.p90,
        "n": summary.n,
    }
