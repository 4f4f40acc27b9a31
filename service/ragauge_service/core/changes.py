"""What one commit writes: absolute values, so that writing them is the whole effect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

SeriesKey = str
"""A series as a hash field: category, retriever, variant and evidence joined by ``\\x1f``."""


class SlotKey(NamedTuple):
    """A time slot: its length in minutes (1, 15 or 120) and its start in Unix milliseconds."""

    minutes: int
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What changed on a shard since its last commit.

    ``slots`` and ``matured`` are packed tallies and packed histograms; ``judgments`` are packed records, None
    to delete; ``failures`` are packed lists of the worst retrievals of a series in a slot.
    """

    slots: Mapping[SlotKey, Mapping[SeriesKey, bytes]] = field(
        default_factory=dict[SlotKey, dict[str, bytes]]
    )
    matured: Mapping[SeriesKey, bytes] = field(default_factory=dict[str, bytes])
    judgments: Mapping[str, bytes | None] = field(default_factory=dict[str, bytes | None])
    failures: Mapping[SlotKey, Mapping[SeriesKey, bytes]] = field(
        default_factory=dict[SlotKey, dict[str, bytes]]
    )
