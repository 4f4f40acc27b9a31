"""What a PromQL expression asks for: metrics with the labels that it names."""

import re
from collections.abc import Iterator
from typing import Any

import promql_parser

from ragauge_service.exporter import CATALOGUE

NAMES = {sample: metric for metric in CATALOGUE.values() for sample in metric.samples}
"""Every sample name that the exporter can produce."""

SCRAPE_LABELS = {"job", "instance", "pod", "__name__"}


def parsed(expression: str) -> Any:
    """Return the syntax tree, with Grafana's variables replaced by what they could be."""
    text = re.sub(r"\$__(rate_interval|interval|range)\b", "1m", expression)
    return promql_parser.parse(text)


def selectors(expression: str) -> list[tuple[str, set[str]]]:
    """Return each selector's metric name and the labels that it matches on."""
    found: list[tuple[str, set[str]]] = []

    def visit(node: Any) -> bool:
        node = getattr(node, "vector_selector", node)
        if isinstance(node, promql_parser.VectorSelector):
            matchers: list[Any] = list(node.matchers.matchers)
            found.append((str(node.name or ""), {str(matcher.name) for matcher in matchers}))
        return True

    promql_parser.walk(parsed(expression), visit)
    return found


def unknown(expression: str, known: dict[str, set[str]] | None = None) -> Iterator[str]:
    """Yield what an expression asks for and nobody exports: a metric, or a label of one."""
    for name, labels in selectors(expression):
        if name in NAMES:
            has = {*NAMES[name].labels, *({"le"} if name.endswith("_bucket") else ())} | SCRAPE_LABELS
        elif name in (known or {}):
            has = (known or {})[name] | SCRAPE_LABELS
        else:
            yield f"metric {name!r}"
            continue
        yield from (f"label {label!r} of {name}" for label in sorted(labels - has))
