"""Regular TREC files, read a block of lines at a time without any library; anything else is left alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import gt, ne
from typing import Final

BLOCK: Final = 1024 * 1024
"""How many bytes are split at once: about a block's worth of columns lives at a time."""


@dataclass(slots=True)
class Ranked:
    """Rankings as deep as asked for, and the best score of each."""

    rankings: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    best: dict[str, float] = field(default_factory=dict[str, float])


def read_run(data: bytes, depth: int | None) -> Ranked | None:
    """Return a run, None if a line is not the six plain columns that tools write."""
    found: dict[bytes, tuple[list[bytes], list[float]]] = {}
    for columns in _blocks(data, 6):
        if columns is None or not _same(columns[1::6]):
            return None
        try:
            scores = list(map(float, columns[4::6]))
        except ValueError:
            return None
        if any(map(ne, scores, scores)):  # NaN
            return None
        _collect(found, columns[0::6], columns[2::6], scores)
    try:
        return _ranked(found, depth)
    except UnicodeDecodeError:
        return None


def _collect(
    found: dict[bytes, tuple[list[bytes], list[float]]],
    queries: list[bytes],
    docs: list[bytes],
    scores: list[float],
) -> None:
    start = 0
    for query, rows in groupby(queries):
        end = start + len(list(rows))
        known = found.get(query)
        if known is None:
            found[query] = (docs[start:end], scores[start:end])
        else:
            known[0].extend(docs[start:end])
            known[1].extend(scores[start:end])
        start = end


def _ranked(found: dict[bytes, tuple[list[bytes], list[float]]], depth: int | None) -> Ranked:
    ranked = Ranked()
    for query, (docs, scores) in found.items():
        name = query.decode()
        if not all(map(gt, scores, islice(scores, 1, None))):
            pairs = sorted(zip(scores, docs, strict=True), reverse=True)
            docs = [doc for _, doc in pairs]  # noqa: PLW2901
            ranked.best[name] = pairs[0][0]
        else:
            ranked.best[name] = scores[0]
        head = docs[:depth]
        kept = head if len(set(head)) == len(head) else docs
        ranked.rankings[name] = [doc.decode() for doc in kept]
    return ranked


def read_qrels(data: bytes) -> dict[str, dict[str, int]] | None:
    """Return the grades by query and document, None if the file is not perfectly regular."""
    grades: dict[str, dict[str, int]] = {}
    for columns in _blocks(data, 4):
        if columns is None or not _same(columns[1::4]):
            return None
        try:
            queries, docs = (_decoded(columns[at::4]) for at in (0, 2))
            values = list(map(int, columns[3::4]))
        except ValueError:
            return None
        if not _add(grades, queries, docs, values):
            return None
    return grades


def _add(grades: dict[str, dict[str, int]], queries: list[str], docs: list[str], values: list[int]) -> bool:
    start = 0
    for query, rows in groupby(queries):
        end = start + len(list(rows))
        known = grades.setdefault(query, {})
        before = len(known)
        known.update(zip(docs[start:end], values[start:end], strict=True))
        if len(known) - before != end - start:
            return False
        start = end
    return True


def _blocks(data: bytes, width: int) -> Iterator[list[bytes] | None]:
    """Yield the columns of a block's lines, all in one list; None once a line has not ``width`` of them."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + BLOCK) + 1 or len(data)
        if end - start > 2 * BLOCK:
            yield None
            return
        block = data[start:end]
        columns = block.split()
        rows = block.count(b"\n") + (not block.endswith(b"\n"))
        yield columns if len(columns) == width * rows else None
        start = end


def _same(column: list[bytes]) -> bool:
    """Return whether a column holds one value: it does in files of tools, and a ragged line shifts it."""
    return column.count(column[0]) == len(column)


def _decoded(column: list[bytes]) -> list[str]:
    return b"\n".join(column).decode().split("\n")
