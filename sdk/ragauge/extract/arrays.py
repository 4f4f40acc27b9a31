"""Arrays: FAISS ``(D, I)``, bm25s, and bare arrays of ids. numpy is never imported, only met."""

from collections.abc import Sequence
from typing import Any, Final, cast

from ragauge.events import MAX_IDS
from ragauge.extract.seam import Answer, Family, Reader, RowsReader
from ragauge.record import Batch, Found


def read_array(result: Any) -> Answer:
    """Read an array of ids: one dimension for a query, two for several."""
    if result.dtype.kind not in "iuUO":
        return None
    if result.ndim == 1:
        return Found(result[:MAX_IDS].tolist(), len(result))
    return _batch([Found(row[:MAX_IDS].tolist(), len(row)) for row in result]) if result.ndim == 2 else None


def read_arrays(rows: Sequence[Any], total: int) -> Answer:
    """Read FAISS' ``(distances, indices)``: floats, then integers; -1 stands for no neighbour."""
    if total != 2 or rows[0].dtype.kind != "f" or rows[1].dtype.kind not in "iu":
        return _batch_of_arrays(rows)
    distances, indices = rows
    if indices.ndim == 1:
        distances, indices = distances[None, :], indices[None, :]
    return _batch([_neighbours(near, ids) for near, ids in zip(distances, indices, strict=True)])


def _batch_of_arrays(rows: Sequence[Any]) -> Answer:
    answers = [read_array(row) for row in rows]
    known = [answer for answer in answers if isinstance(answer, Found)]
    return _batch(known) if len(known) == len(answers) else None


def _neighbours(distances: Any, indices: Any) -> Found:
    there = indices >= 0
    ids = indices[there].tolist()
    return Found(ids[:MAX_IDS], len(ids), distances[there].tolist()[:MAX_IDS], distances=True)


def read_bm25s(result: Any) -> Answer:
    """Read bm25s' results: documents and scores, a row for each query."""
    found = [_ranked(docs.tolist(), scores.tolist()) for docs, scores in zip(*result, strict=True)]
    return None if None in found else _batch(cast("list[Found]", found))


def _ranked(docs: list[Any], scores: list[float]) -> Found | None:
    if docs and isinstance(docs[0], dict):
        docs = [doc.get("id") for doc in cast("list[dict[str, Any]]", docs)]
    if any(not isinstance(doc, str | int) for doc in docs):
        return None
    return Found(docs[:MAX_IDS], len(docs), scores[:MAX_IDS])


def _batch(found: Sequence[Found]) -> Answer:
    return found[0] if len(found) == 1 else Batch(tuple(found))


def _result(kind: type) -> Reader | None:
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        return read_array
    if kind.__module__.partition(".")[0] == "bm25s" and kind.__name__ == "Results":
        return read_bm25s
    return None


def _rows(kind: type) -> RowsReader | None:
    if kind.__module__ != "numpy":
        return None
    return read_arrays if kind.__name__ == "ndarray" else _scalars


def _scalars(rows: Sequence[Any], total: int) -> Answer:
    """Read numpy's own integers and texts."""
    ids = [row.item() for row in rows]
    return Found(ids, total) if all(isinstance(doc, int | str) for doc in ids) else None


FAMILY: Final = Family(_result, _rows)
