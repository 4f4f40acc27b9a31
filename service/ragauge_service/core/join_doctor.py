"""Why retrievals do not meet their judgments: shares, examples of both sides, and the likely cause."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ragauge.events import Retrieval, Signal
from ragauge_service.core.judged import Version

SHOWN: Final = 2
ENOUGH: Final = 0.5
"""A share below this is worth a warning."""

_PLAIN: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"\d+")
_CHUNK: Final = re.compile(r"(?:[#:/_-]+(?:chunk|part|p|c)?[_-]?\d+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Things that found no partner: two of the traffic, two of the judgments."""

    traffic: tuple[str, ...] = ()
    judgments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """How well traffic and judgments meet; shares are None when there is nothing to share."""

    retrievals: int
    judged: float | None
    found: float | None
    """Of the judged retrievals, those in which any judged document occurs."""
    signalled: float | None
    queries: Side = Side()
    documents: Side = Side()
    causes: tuple[str, ...] = ()


def diagnose(
    retrievals: Collection[Retrieval], signals: Iterable[Signal], judgments: Mapping[str, Version]
) -> Diagnosis:
    """Return how well retrievals meet judgments and signals, and the likely causes where they do not."""
    ok = [each for each in retrievals if each.outcome == "ok" and each.offset == 0]
    judged = [(each, judgments[each.key]) for each in ok if each.key in judgments]
    met = [each for each, version in judged if version.grades.keys() & set(each.ids)]
    graded = [pair for pair in judged if pair[1].grades]
    named = {signal.retrieval_id for signal in signals}
    queries = _queries(ok, judgments)
    documents = _documents(graded)
    return Diagnosis(
        retrievals=len(ok),
        judged=_share(len(judged), len(ok)),
        found=_share(len(met), len(graded)),
        signalled=_share(sum(each.id in named for each in ok), len(ok)),
        queries=queries,
        documents=documents,
        causes=tuple(
            _causes(ok, judgments, _share(len(judged), len(ok)), _share(len(met), len(graded)), graded)
        ),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _queries(retrievals: Iterable[Retrieval], judgments: Mapping[str, Version]) -> Side:
    seen = {each.key: each.query_id or each.query or each.key for each in retrievals}
    mine = [name for key, name in seen.items() if key not in judgments]
    theirs = [
        version.query_id or version.query or key for key, version in judgments.items() if key not in seen
    ]
    return Side(traffic=tuple(mine[:SHOWN]), judgments=tuple(theirs[:SHOWN]))


def _documents(judged: Iterable[tuple[Retrieval, Version]]) -> Side:
    """Return documents of retrievals in which no judged one occurs."""
    for retrieval, version in judged:
        if not version.grades.keys() & set(retrieval.ids):
            return Side(traffic=retrieval.ids[:SHOWN], judgments=tuple(version.grades)[:SHOWN])
    return Side()


def _causes(
    retrievals: Collection[Retrieval],
    judgments: Mapping[str, Version],
    judged: float | None,
    found: float | None,
    graded: Collection[tuple[Retrieval, Version]],
) -> Iterable[str]:
    if not judgments:
        yield "there are no judgments: load some with `ragauge judgments load`"
    elif judged is not None and judged < ENOUGH:
        yield from _query_causes(retrievals, judgments)
    if found is not None and found < ENOUGH:
        yield _document_cause(graded)


def _query_causes(retrievals: Collection[Retrieval], judgments: Mapping[str, Version]) -> Iterable[str]:
    kinds = {each.key[:2] for each in retrievals}
    theirs = {key[:2] for key in judgments}
    if "r:" in kinds:
        yield "some retrievals carry neither query nor query_id: name the argument with query= or query_id="
    if not kinds & theirs:
        words = {"i:": "query_id", "t:": "text"}
        mine, known = (sorted(words[kind] for kind in found & words.keys()) for found in (kinds, theirs))
        yield f"traffic is known by {' and '.join(mine) or 'nothing'}, judgments by {' and '.join(known)}"
        return
    texts = {_plain(version.query) for version in judgments.values() if version.query}
    unmet = [each.query for each in retrievals if each.query and each.key not in judgments]
    if any(_plain(text) in texts for text in unmet):
        yield "texts differ in punctuation only: give both the same text, or a query_id"
    ids = {version.query_id.lower() for version in judgments.values() if version.query_id}
    if any(
        each.query_id and each.key not in judgments and each.query_id.lower() in ids for each in retrievals
    ):
        yield "query ids differ in upper and lower case only"
    else:
        yield "most queries of the traffic are not judged: judge more of them, or run `ragauge probe`"


def _document_cause(graded: Iterable[tuple[Retrieval, Version]]) -> str:
    mine = {doc for retrieval, _ in graded for doc in retrieval.ids}
    theirs = {doc for _, version in graded for doc in version.grades}
    if {_CHUNK.sub("", doc) for doc in mine} & theirs:
        return "retrievals hold chunks, judgments documents: map them with chunk_to_doc="
    if mine & {_CHUNK.sub("", doc) for doc in theirs}:
        return "retrievals hold documents, judgments chunks: judge documents"
    if {doc.lower() for doc in mine} & {doc.lower() for doc in theirs}:
        return "document ids differ in upper and lower case only"
    if _numbers(mine) & _numbers(theirs):
        return (
            "document ids differ in their form (such as 12, '0012' and 'doc-12'): use one form on both sides"
        )
    return "judged documents do not occur in the rankings: another index, other ids, or a bad retriever"


def _numbers(docs: Iterable[str]) -> set[int]:
    return {int(found[0]) for doc in docs if len(found := _NUMBER.findall(doc)) == 1 and len(found[0]) < 19}


def _plain(text: str | None) -> str:
    return _PLAIN.sub(" ", text or "").strip().casefold()
