"""The names of measures: ``nDCG@10`` is read and printed, whatever dialect it was written in."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ragauge.errors import MeasureError

Family = Literal["MRR", "hit", "P", "recall", "AP", "Rprec", "nDCG", "judged", "ndcg_exp", "ap_min_r_k"]

FAMILIES: Final[tuple[Family, ...]] = (
    "MRR", "hit", "P", "recall", "AP", "Rprec", "nDCG", "judged", "ndcg_exp", "ap_min_r_k",
)  # fmt: skip

_WITHOUT_CUTOFF: Final = frozenset({"MRR", "AP", "nDCG", "Rprec"})
_ALIASES: Final[Mapping[str, Family]] = {
    **{name.lower(): name for name in FAMILIES},
    "rr": "MRR",
    "recip_rank": "MRR",
    "hit_rate": "hit",
    "success": "hit",
    "precision": "P",
    "r": "recall",
    "map": "AP",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
}
_NAME: Final = re.compile(r"([A-Za-z_]+?)(?:[@_](\d+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Measure:
    """A family and its cutoff k, None for the whole list; ``str`` gives the name that ``parse`` reads.

    Raises:
        MeasureError: the family is unknown, k is below 1, or the family needs (or has no) cutoff.

    >>> str(Measure("nDCG", 10)), Measure.parse("ndcg_cut_10") == Measure("nDCG", 10)
    ('nDCG@10', True)
    """

    family: Family
    k: int | None = None

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise MeasureError(f"measure {self.family!r}: one of {', '.join(FAMILIES)} wanted")
        if self.k is None:
            if self.family not in _WITHOUT_CUTOFF:
                raise MeasureError(f"measure {self.family}: a cutoff is wanted, as in {self.family}@10")
        elif self.family == "Rprec":
            raise MeasureError("measure Rprec: its cutoff is the number of relevant documents, no other")
        elif self.k < 1:
            raise MeasureError(f"measure {self.family}@{self.k}: a cutoff of at least 1 is wanted")

    def __str__(self) -> str:
        return self.family if self.k is None else f"{self.family}@{self.k}"

    @classmethod
    def parse(cls, name: str) -> "Measure":
        """Return the measure that a name stands for; trec_eval's names and any case are understood.

        Raises:
            MeasureError: no such measure.

        >>> [str(Measure.parse(name)) for name in ("RR@10", "P_5", "success_3", "map", "Rprec")]
        ['MRR@10', 'P@5', 'hit@3', 'AP', 'Rprec']
        """
        match = _NAME.fullmatch(name.strip())
        family = _ALIASES.get(match[1].lower()) if match else None
        if match is None or family is None:
            raise MeasureError(f"measure {name!r}: a name such as MRR@10 is wanted, of {', '.join(FAMILIES)}")
        return cls(family, int(match[2]) if match[2] else None)


def measures_of(names: Iterable["str | Measure"]) -> tuple[Measure, ...]:
    """Return the measures that names stand for, each once, in the order given.

    >>> [str(measure) for measure in measures_of(["mrr@10", "RR@10", "AP"])]
    ['MRR@10', 'AP']
    """
    parsed = (name if isinstance(name, Measure) else Measure.parse(name) for name in names)
    return tuple(dict.fromkeys(parsed))
