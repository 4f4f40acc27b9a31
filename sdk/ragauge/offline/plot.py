"""Drawings for a report: the first relevant ranks of one run or two, and their difference by measure."""

from pathlib import Path
from typing import Any, Final

from ragauge.errors import ConfigurationError
from ragauge.offline.comparison import Comparison
from ragauge.offline.evaluation import Part

SUFFIXES: Final = (".png", ".svg")
_SHOWN: Final = 10


def plot_ranks(path: Path, runs: dict[str, Part]) -> None:
    """Draw how many queries had their first relevant document at each rank, run beside run.

    Raises:
        ConfigurationError: the file is neither PNG nor SVG.
    """
    figure, axes = _figure(path)
    width = 0.8 / len(runs)
    for at, (name, part) in enumerate(runs.items()):
        counts = [_share(part, rank) for rank in range(1, _SHOWN + 1)]
        deeper = 1.0 - sum(counts) - _miss(part)
        places = [place + at * width for place in range(_SHOWN + 2)]
        axes.bar(places, [*counts, max(0.0, deeper), _miss(part)], width, label=name)
    ticks = [*map(str, range(1, _SHOWN + 1)), f">{_SHOWN}", "miss"]
    axes.set_xticks([place + width * (len(runs) - 1) / 2 for place in range(_SHOWN + 2)], ticks)
    axes.set_xlabel("first relevant rank")
    axes.set_ylabel("share of queries")
    axes.legend()
    figure.savefig(path)


def _share(part: Part, rank: int) -> float:
    return part.first_ranks.get(str(rank), 0) / max(1, len(part.scored))


def _miss(part: Part) -> float:
    return part.first_ranks["miss"] / max(1, len(part.scored))


def plot_comparison(path: Path, comparison: Comparison) -> None:
    """Draw the difference of every measure with its interval.

    Raises:
        ConfigurationError: the file is neither PNG nor SVG.
    """
    figure, axes = _figure(path)
    names = list(comparison.measures)
    for at, found in enumerate(comparison.measures.values()):
        lower, upper = (found.difference if bound is None else bound for bound in (found.lower, found.upper))
        axes.plot([lower, upper], [at, at], color="0.4")
        axes.plot([found.difference], [at], "o", color="tab:red" if found.difference < 0 else "tab:green")
    axes.axvline(0.0, color="0.7", linewidth=1)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(f"difference, {comparison.b.source} minus {comparison.a.source}")
    figure.savefig(path)


def _figure(path: Path) -> tuple[Any, Any]:
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigurationError(f"{path}: a file ending in .png or .svg is wanted")
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra; no display is needed

    figure: Any = Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    return figure, figure.add_subplot()
