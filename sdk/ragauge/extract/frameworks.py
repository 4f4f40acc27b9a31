"""Documents of LangChain, LlamaIndex, Haystack and DSPy."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

from ragauge.events import MAX_IDS
from ragauge.extract.seam import Answer, Family, Reader, RowsReader, column, is_id, named
from ragauge.identity import content_id
from ragauge.record import Found

_ID: Final = attrgetter("id")
METADATA_IDS: Final = ("id", "doc_id", "document_id", "_id", "chunk_id", "uuid", "pk")
"""Where an id is looked for in metadata, when a document has none of its own."""


def read_langchain(rows: Sequence[Any], total: int) -> Answer:
    """Read LangChain documents: their id, else a metadata key, else a hash of the content, counted."""
    ids = list(map(_ID, rows))
    if None not in ids:
        return Found(ids, total, _metadata_scores(rows))
    missing = 0
    for place, row in enumerate(rows):
        if ids[place] is None:
            ids[place] = _metadata_id(row.metadata)
        if ids[place] is None:
            missing += 1
            ids[place] = content_id(str(row.page_content))
    return Found(ids, total, _metadata_scores(rows), without_id=missing)


def _metadata_id(metadata: Any) -> Any:
    return next((metadata[name] for name in METADATA_IDS if is_id(metadata.get(name))), None)


def _metadata_scores(rows: Sequence[Any]) -> list[Any] | None:
    """Return what some retrievers and compressors leave in metadata."""
    for name in ("relevance_score", "score"):
        if name in rows[0].metadata:
            scores = [row.metadata.get(name) for row in rows]
            return None if None in scores else scores
    return None


def read_nodes(rows: Sequence[Any], total: int) -> Answer:
    """Read LlamaIndex nodes with their scores."""
    scores = [row.score for row in rows]
    return Found([row.node.node_id for row in rows], total, None if None in scores else scores)


def read_bare_nodes(rows: Sequence[Any], total: int) -> Answer:
    """Read LlamaIndex nodes without scores."""
    return Found([row.node_id for row in rows], total)


def ref_doc_ids(nodes: Sequence[Any]) -> list[str]:
    """Return the documents that LlamaIndex nodes are chunks of: ``extract=ref_doc_ids``."""
    return [getattr(node, "node", node).ref_doc_id or getattr(node, "node", node).node_id for node in nodes]


def read_source_nodes(result: Any) -> Answer:
    """Read the nodes that a LlamaIndex answer rests on."""
    nodes = result.source_nodes
    return read_nodes(nodes[:MAX_IDS], len(nodes))


def read_haystack(rows: Sequence[Any], total: int) -> Answer:
    """Read Haystack documents."""
    scores = [row.score for row in rows]
    return Found([row.id for row in rows], total, None if None in scores else scores)


def read_prediction(result: Any) -> Answer:
    """Read DSPy's predictions: passages by their ids, else by their content."""
    passages = list(result.passages)
    for name in ("pids", "indices", "ids"):
        ids = getattr(result, name, None)
        if isinstance(ids, list | tuple) and len(ids) == len(passages):
            return Found(ids[:MAX_IDS], len(ids), getattr(result, "probs", None))
    texts = [passage if isinstance(passage, str) else str(passage.long_text) for passage in passages]
    kept = [content_id(text) for text in texts[:MAX_IDS]]
    return Found(kept, len(texts), without_id=len(kept))


def read_long_texts(rows: Sequence[Any], total: int) -> Answer:
    """Read DSPy's passages: ``dotdict(long_text=..., pid=...)``."""
    ids = column(rows, "pid")
    kept = ids if ids is not None else [content_id(str(row.long_text)) for row in rows]
    return Found(kept, total, column(rows, "score"), without_id=0 if ids is not None else len(kept))


def _result(kind: type) -> Reader | None:
    if named(kind, "llama_index", "Response", "StreamingResponse", "AsyncStreamingResponse"):
        return read_source_nodes
    return read_prediction if named(kind, "dspy", "Prediction") else None


def _rows(kind: type) -> RowsReader | None:
    if named(kind, "langchain", "Document"):
        return read_langchain
    if named(kind, "llama_index", "NodeWithScore"):
        return read_nodes
    if named(kind, "llama_index", "BaseNode"):
        return read_bare_nodes
    if named(kind, "haystack", "Document"):
        return read_haystack
    return read_long_texts if named(kind, "dspy", "dotdict") else None


FAMILY: Final = Family(_result, _rows)
