"""Shapes of packages that are not installed here, by their own attribute names; and plain Python."""

import uuid
from types import SimpleNamespace as Row
from typing import Any, NamedTuple

import pytest

import ragauge.extract
from ragauge.extract import Batch, Found, extract
from ragauge.extract.rerankers import by_candidates, reranked
from ragauge.extract.vector_stores import read_pinecone_search


def foreign(module: str, name: str, **fields: Any) -> Any:
    """Return an object of a class that says it is of a package."""
    return type(name, (Row,), {"__module__": module})(**fields)


def ids_of(result: Any) -> list[Any]:
    answer = extract(result)
    assert answer is not None
    assert not isinstance(answer, Batch)
    return list(answer[0])


U = uuid.UUID(int=7)
SHAPES: dict[str, tuple[Any, list[Any]]] = {
    "texts": (["a", "b"], ["a", "b"]),
    "numbers": ([3, 1], [3, 1]),
    "uuids": ([U], [U]),
    "nothing": ([], []),
    "pairs": ([("a", 0.9), ("b", 0.1)], ["a", "b"]),
    "dictionaries": ([{"_id": "a", "score": 1.0}], ["a"]),
    "objects": ([Row(id="a", score=1.0)], ["a"]),
    "pinecone": (foreign("pinecone.core", "QueryResponse", matches=[Row(id="a", score=1.0)]), ["a"]),
    "pinecone as a dictionary": ({"matches": [{"id": "a", "score": 1.0}]}, ["a"]),
    "pinecone search as a dictionary": ({"result": {"hits": [{"_id": "a", "_score": 1.0}]}}, ["a"]),
    "weaviate": (
        foreign(
            "weaviate.collections.classes.internal",
            "QueryReturn",
            objects=[Row(uuid=U, metadata=Row(distance=0.1, score=None, certainty=None))],
        ),
        [U],
    ),
    "milvus rows": ([[{"id": 5, "distance": 0.1, "entity": {}}]], [5]),
    "redis search": (foreign("redis.commands.search.result", "Result", docs=[Row(id="a", score=1)]), ["a"]),
    "redisvl": ([{"id": "a", "vector_distance": "0.1"}], ["a"]),
    "vespa": (foreign("vespa.io", "VespaQueryResponse", hits=[{"id": "a", "relevance": 1.0}]), ["a"]),
    "sentence-transformers": ([[{"corpus_id": 4, "score": 0.5}]], [4]),
    "txtai": ([("a", 0.5)], ["a"]),
    "txtai as dictionaries": ([{"id": "a", "text": "x", "score": 0.5}], ["a"]),
    "dspy": (foreign("dspy.primitives.prediction", "Prediction", passages=["x"], pids=[9]), [9]),
    "lancedb": ([{"id": "a", "_distance": 0.1}], ["a"]),
    "turbopuffer": (
        foreign("turbopuffer.types", "NamespaceQueryResponse", rows=[Row(id=1, model_extra={"$dist": 0.1})]),
        [1],
    ),
    "rerankers": (
        foreign("rerankers.results", "RankedResults", results=[Row(document=Row(doc_id="a"), score=1.0)]),
        ["a"],
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_known_shape_gives_its_ids(shape: str) -> None:
    result, wanted = SHAPES[shape]
    answer = extract(result)
    if isinstance(answer, Batch):
        answer = answer.found[0]
    assert answer is not None
    assert list(answer[0]) == wanted


@pytest.mark.parametrize(
    ("result", "distances"),
    [
        ([{"id": "a", "_distance": 0.1}], True),
        ([{"id": "a", "score": 0.1}], False),
        ({"ids": [["a"]], "distances": [[0.1]]}, True),
        (SHAPES["weaviate"][0], True),
        (SHAPES["turbopuffer"][0], True),
    ],
)
def test_whether_a_score_is_a_distance_is_kept(result: Any, distances: bool) -> None:  # noqa: FBT001
    answer = extract(result)
    assert isinstance(answer, Found)
    assert answer.distances is distances
    assert answer.scores is not None


@pytest.mark.parametrize(
    "result",
    ["a text", b"bytes", 7, 0.5, None, True, {"a": 1}, object(), [object()], [0.5], {"x"}, [None], [{}]],
)
def test_an_unknown_shape_is_never_guessed(result: Any) -> None:
    assert extract(result) is None


def test_pinecones_search_names_its_fields_twice() -> None:
    answer = read_pinecone_search(Row(result=Row(hits=[Row(id="a", score=1.0)])))
    assert answer == Found(["a"], 1, [1.0])


def test_named_tuples_are_rows_like_those_of_a_database() -> None:
    class Hit(NamedTuple):
        text: str
        doc_id: str
        score: float

    assert extract([Hit("x", "a", 0.5)]) == Found(["a"], 1, [0.5])


def test_a_rerankers_index_points_into_the_candidates() -> None:
    cohere = Row(results=[Row(index=1, relevance_score=0.9), Row(index=0, relevance_score=0.2)])
    assert reranked(cohere, ["a", "b"]) == Found(["b", "a"], 2, [0.9, 0.2])
    pinecone = {"data": [{"index": 0, "score": 0.9}]}
    assert by_candidates([{"id": "x"}, {"id": "y"}])(pinecone).ids == ["x"]


def test_only_the_first_hundred_are_kept_but_all_are_counted() -> None:
    answer = extract([f"d{n}" for n in range(1000)])
    assert answer is not None
    assert not isinstance(answer, Batch)
    assert (len(answer[0]), answer[1]) == (100, 1000)


def test_ones_own_types_can_be_registered() -> None:
    page = type("Page", (), {"hits": [("a", 0.5)]})
    ragauge.extract.register(page, lambda result: result.hits)
    assert ids_of(page()) == ["a"]
