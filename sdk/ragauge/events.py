"""What happens: retrievals, signals and judgments, as values, with the ids and keys that join them."""

import hashlib
import unicodedata
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Outcome = Literal["ok", "error", "timeout", "cancelled"]
SignalKind = Literal["click", "citation", "conversion", "dwell", "thumbs_up", "thumbs_down"]
Evidence = Literal["judgments", "clicks", "probe"]
JudgmentsMode = Literal["replace", "merge", "delete"]

OUTCOMES: Final[tuple[Outcome, ...]] = ("ok", "error", "timeout", "cancelled")
SIGNAL_KINDS: Final[tuple[SignalKind, ...]] = (
    "click", "citation", "conversion", "dwell", "thumbs_up", "thumbs_down",
)  # fmt: skip
EVIDENCE: Final[tuple[Evidence, ...]] = ("judgments", "clicks", "probe")

MAX_IDS: Final = 100
"""How many ids of a ranked list travel; the original length travels beside them."""

ID_BYTES: Final = 16
"""A retrieval id: 2 bytes of partition, 6 of Unix milliseconds, 8 of OS entropy and counter."""


def normalise(text: str) -> str:
    r"""Return ``text`` as query keys see it: NFKC, case folded, white space joined.

    >>> normalise("  How  do I\tRESET ")
    'how do i reset'
    """
    if text.isascii():  # ASCII is its own NFKC form, and lower() is its case folding
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def partition_of(source: str) -> int:
    """Return the 16 partition bits of a query key's source: a ``query_id``, or the normalised text.

    >>> partition_of("q1") == partition_of("q1") < 2**16
    True
    """
    return zlib.crc32(source.encode("utf-8", "surrogatepass")) & 0xFFFF


def shard_of(partition: int, shards: int) -> int:
    """Return the shard, 0 to ``shards`` - 1, on which everything of this partition meets.

    >>> shard_of(35, 16)
    3
    """
    return partition % shards


def id_key(query_id: str) -> str:
    """Return the query key of a query that has an id of its own.

    >>> id_key("q1")
    'i:q1'
    """
    return "i:" + query_id


def text_key(text: str) -> str:
    """Return the query key of a query known by its text: BLAKE2b-128 of the normalised text.

    >>> text_key("Reset  password") == text_key("reset password")
    True
    """
    source = normalise(text).encode("utf-8", "surrogatepass")
    return "t:" + hashlib.blake2b(source, digest_size=16).hexdigest()


def partition_of_id(retrieval_id: str) -> int:
    """Return the partition bits that a retrieval id of 32 hexadecimal digits begins with.

    Raises:
        ValueError: the id is not hexadecimal.

    >>> partition_of_id("00ff" + 28 * "0")
    255
    """
    return int(retrieval_id[:4], 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One retriever call, as it was answered.

    ``ids`` are the first ``MAX_IDS`` of ``total`` documents in rank order; ``at`` is Unix milliseconds
    on the producer's clock; ``latency_ms`` is milliseconds. ``key`` is the query key (``i:``, ``t:`` or
    ``r:`` for a call without any query). ``category`` is None when the decorator named none.
    """

    id: str
    key: str
    query: str | None = None
    query_id: str | None = None
    category: str | None = None
    retriever: str = "default"
    variant: str = ""
    version: str = ""
    params: Mapping[str, str | int | float | bool] = field(default_factory=dict[str, str])
    ids: tuple[str, ...] = ()
    total: int = 0
    scores: tuple[float, ...] | None = None
    distances: bool = False
    at: int = 0
    latency_ms: float = 0.0
    outcome: Outcome = "ok"
    error_type: str | None = None
    parent: str | None = None
    offset: int = 0
    batch: str | None = None
    sample_rate: float = 1.0
    trace_id: str | None = None
    span_id: str | None = None
    probe: str | None = None
    """The probe's round, when this retrieval replays a golden question; None in production."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What a user did with a retrieval; ``value`` is seconds for dwell, ``at`` Unix milliseconds."""

    retrieval_id: str
    kind: SignalKind = "click"
    doc_id: str | None = None
    value: float | None = None
    rank: int | None = None
    at: int = 0
    user: str | None = None
    """A pseudonym by which click-everything users are set aside, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentsEvent:
    """What is known of one query's documents, from ``at`` (Unix milliseconds) on.

    ``key`` is the query key this record is stored under. ``grades`` may be empty: the query is judged,
    and has no relevant document. ``no_answer`` is only ever explicit.
    """

    key: str
    grades: Mapping[str, int] = field(default_factory=dict[str, int])
    no_answer: bool = False
    forbidden: tuple[str, ...] = ()
    category: str | None = None
    query_id: str | None = None
    query: str | None = None
    source: str = ""
    at: int = 0
    mode: JudgmentsMode = "replace"


Event = Retrieval | Signal | JudgmentsEvent
