"""What really installed packages return."""

import importlib
import sqlite3
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ragauge.extract import Batch, Found, extract


def installed(name: str) -> ModuleType | Any:
    """Return a module, or skip where it is not installed; its warnings are its own."""
    pytest.importorskip(name.partition(".")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


def read(result: Any) -> Found:
    answer = extract(result)
    assert answer is not None
    assert not isinstance(answer, Batch)
    return Found(*answer)  # type: ignore[arg-type]


def test_langchain_documents_by_id_metadata_or_content() -> None:
    document = installed("langchain_core.documents").Document
    found = read([document("x", id="a"), document("y", metadata={"doc_id": "b"}), document("z")])
    assert found.ids[:2] == ["a", "b"]
    assert found.ids[2].startswith("c:")
    assert found.without_id == 1


def test_langchain_documents_with_scores() -> None:
    document = installed("langchain_core.documents").Document
    found = read([(document("x", id="a"), 0.9), (document("y", id="b"), np.float32(0.5))])
    assert (found.ids, found.scores) == (["a", "b"], [0.9, np.float32(0.5)])


def test_llama_index_nodes() -> None:
    schema = installed("llama_index.core.schema")
    frameworks = importlib.import_module("ragauge.extract.frameworks")
    parent = {schema.NodeRelationship.SOURCE: schema.RelatedNodeInfo(node_id="doc")}
    node = schema.TextNode(text="x", id_="n1", relationships=parent)
    rows = [schema.NodeWithScore(node=node, score=0.5)]
    assert read(rows)[:3] == (["n1"], 1, [0.5])
    assert read([node]).ids == ["n1"]
    assert frameworks.ref_doc_ids(rows) == ["doc"]


def test_haystack_answers() -> None:
    document = installed("haystack").Document
    rows = [document(id="a", content="x", score=0.9), document(id="b", content="y", score=0.1)]
    assert read({"documents": rows})[:3] == (["a", "b"], 2, [0.9, 0.1])
    assert read(rows).ids == ["a", "b"]


def test_qdrant_points_groups_and_batches() -> None:
    qdrant = installed("qdrant_client")
    models = installed("qdrant_client.models")
    client = qdrant.QdrantClient(":memory:")
    client.create_collection("c", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
    points = [models.PointStruct(id=n, vector=[n, 1.0], payload={"doc": f"d{n % 2}"}) for n in (1, 2, 3)]
    client.upsert("c", points)
    found = read(client.query_points("c", query=[1.0, 0.0]))
    assert (found.ids, found.scores) == ([3, 2, 1], [3.0, 2.0, 1.0])
    requests = [models.QueryRequest(query=[1.0, 0.0]), models.QueryRequest(query=[-1.0, 0.0])]
    batch = extract(client.query_batch_points("c", requests))
    assert isinstance(batch, Batch)
    assert [one.ids for one in batch.found] == [[3, 2, 1], [1, 2, 3]]
    assert read(client.query_points_groups("c", query=[1.0, 0.0], group_by="doc")).ids == ["d1", "d0"]
    client.close()


def test_elasticsearch_answers_are_no_dictionaries() -> None:
    transport = installed("elastic_transport")
    body = {
        "hits": {"total": {"value": 99}, "hits": [{"_id": "a", "_score": 2.0}, {"_id": "b", "_score": 1.0}]}
    }
    response = transport.ObjectApiResponse(body=body, meta=None)
    assert read(response) == read(body) == Found(["a", "b"], 2, [2.0, 1.0])


def test_elasticsearch_dsl_hits() -> None:
    hit = installed("elasticsearch.dsl.response.hit").Hit
    rows = [hit({"_id": "a", "_score": 2.0, "_source": {"title": "x"}})]
    assert read(rows)[:3] == (["a"], 1, [2.0])


def test_sqlalchemy_rows_and_a_cursor_that_stays_whole() -> None:
    sa = installed("sqlalchemy")
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        query = "select 7 as id, 0.25 as distance union all select 8, 0.5"
        cursor = connection.execute(sa.text(query))
        assert extract(cursor) is None
        rows = cursor.all()
        assert len(rows) == 2
        found = read(rows)
        assert (found.ids, found.scores, found.distances) == ([7, 8], [0.25, 0.5], True)
        assert read(connection.execute(sa.text(query)).mappings().all()).ids == [7, 8]
        assert read(connection.execute(sa.text("select 'a'")).all()).ids == ["a"]
    engine.dispose()


def test_pgvectors_entity_with_distance_and_scalars() -> None:
    sa, orm = installed("sqlalchemy"), installed("sqlalchemy.orm")
    vector = installed("pgvector.sqlalchemy").Vector
    base = orm.declarative_base()
    fields = {
        "__tablename__": "item",
        "id": sa.Column(sa.Integer, primary_key=True),
        "v": sa.Column(vector(2)),
    }
    item = type("Item", (base,), fields)
    engine = sa.create_engine("sqlite://")
    base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add_all([item(id=1), item(id=2)])
        session.flush()
        rows = session.execute(sa.select(item, sa.literal(0.5).label("distance")).order_by(item.id)).all()
        found = read(rows)
        assert (found.ids, found.scores, found.distances) == ([1, 2], [0.5, 0.5], True)
        assert read(session.scalars(sa.select(item).order_by(item.id)).all()).ids == [1, 2]
    engine.dispose()


def test_sqlite_rows() -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute("select 'a' as doc_id, 0.5 as score").fetchall()
    connection.close()
    assert read(rows)[:3] == (["a"], 1, [0.5])


def test_chroma_columns() -> None:
    chromadb = installed("chromadb")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collection = chromadb.EphemeralClient().create_collection("c")
        collection.add(ids=["a", "b"], embeddings=[[1.0, 0.0], [0.0, 1.0]])
        found = read(collection.query(query_embeddings=[[1.0, 0.0]], n_results=2))
        batch = extract(collection.query(query_embeddings=[[1.0, 0.0], [0.0, 1.0]], n_results=2))
    assert (list(found.ids), found.distances) == (["a", "b"], True)
    assert isinstance(batch, Batch)
    assert [list(one.ids) for one in batch.found] == [["a", "b"], ["b", "a"]]


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_frames(package: str) -> None:
    module = installed(package)
    data = {"docno": ["a", "b"], "score": [0.9, 0.1]}
    frame = module.table(data) if package == "pyarrow" else module.DataFrame(data)
    assert read(frame) == Found(["a", "b"], 2, [0.9, 0.1])


def test_bm25s_results() -> None:
    results = installed("bm25s").Results
    found = read(results(documents=np.array([[3, 1]]), scores=np.array([[2.0, 1.0]])))
    assert (found.ids, found.scores) == ([3, 1], [2.0, 1.0])


def test_faiss_pads_with_minus_one() -> None:
    near, ids = np.array([[0.1, 0.2, 3.4e38]], np.float32), np.array([[7, 5, -1]])
    found = read((near, ids))
    assert (found.ids, found.total, found.distances) == ([7, 5], 2, True)
    assert isinstance(extract((np.vstack([near, near]), np.vstack([ids, ids]))), Batch)
