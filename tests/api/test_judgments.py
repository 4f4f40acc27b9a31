"""Judgments over HTTP: a file, one query, and back again."""

import json
from typing import Any

import pytest

from harness.http import get_json, request
from harness.process import wait_for
from harness.service import Service
from ragauge.events import text_key

pytestmark = pytest.mark.server


def read(service: Service, key: str) -> dict[str, Any] | None:
    status, text = request("GET", f"{service.url}/v1/judgments/{key}")
    return json.loads(text) if status == 200 else None


def change(service: Service, method: str, key: str, body: object = None, mode: str = "replace") -> int:
    return request(method, f"{service.url}/v1/judgments/{key}?mode={mode}", body)[0]


def test_a_query_is_set_extended_and_forgotten(service: Service, name: str) -> None:
    key = f"i:{name}"
    assert change(service, "PUT", key, {"relevant": {"a": 2}, "category": "c"}) == 202
    wait_for(lambda: read(service, key), "the judgments")
    assert change(service, "PUT", key, {"relevant": ["b"], "forbidden": ["x"]}, "merge") == 202
    wait_for(lambda: len((read(service, key) or {"relevant": {}})["relevant"]) == 2, "the merge")
    merged = read(service, key) or {}
    assert (merged["relevant"], merged["forbidden"], merged["category"]) == ({"a": 2, "b": 1}, ["x"], "c")
    assert change(service, "DELETE", key) == 202
    wait_for(lambda: read(service, key) is None, "the end of them")
    assert change(service, "DELETE", key) == 404


def test_an_id_and_a_text_are_two_keys_of_one_query(service: Service, name: str) -> None:
    """Traffic may know the query by either; the export shows it once."""
    service.judge([{"query_id": name, "query": f"Where is {name}", "relevant": ["d"], "category": "é"}])
    wait_for(lambda: read(service, text_key(f"where is {name}")), "the text's key")
    wait_for(lambda: read(service, f"i:{name}"), "the key of the id, on another shard")
    _, text = request("GET", f"{service.url}/v1/judgments")
    mine = [row for line in text.splitlines() if (row := json.loads(line)).get("query_id") == name]
    assert [(row["relevant"], row["category"]) for row in mine] == [({"d": 1}, "é")]


def test_what_is_exported_can_be_loaded(service: Service, name: str) -> None:
    service.judge([{"query_id": name, "relevant": [], "forbidden": ["x"]}])
    wait_for(lambda: read(service, f"i:{name}"), "the judgments")
    _, text = request("GET", f"{service.url}/v1/judgments?query_id={name}")
    assert json.loads(text)["no_answer"] is True
    headers = {"Content-Type": "application/x-ndjson"}
    status, answer = request("POST", f"{service.url}/v1/judgments", text.encode(), headers=headers)
    assert (status, json.loads(answer)["accepted"]) == (202, 1)


def test_bad_lines_are_named_and_the_others_taken(service: Service, name: str) -> None:
    lines = [
        json.dumps({"query_id": name, "relevant": ["d"]}),
        "{",
        '{"relevant": ["d"]}',
        '{"query_id": "q", "relevant": {"d": "high"}}',
        '{"query_id": "q", "relevant": ["d"], "no_answer": true}',
        "",
    ]
    status, text = request("POST", f"{service.url}/v1/judgments", "\n".join(lines).encode())
    answer = json.loads(text)
    assert (status, answer["accepted"], answer["rejected_lines"]) == (202, 1, 4)
    assert [row["line"] for row in answer["rejected"]] == [2, 3, 4, 5]
    assert "query_id or query wanted" in answer["rejected"][1]["reason"]


@pytest.mark.parametrize("key", ["q1", "x:1", "i:", "t:" + 32 * "0"])
def test_a_key_that_is_none(service: Service, key: str) -> None:
    assert change(service, "PUT", key, {"relevant": ["d"]}) == 422


def test_markers_are_kept_in_order(service: Service, name: str) -> None:
    for text in ("v1", "v2"):
        status, _ = request("POST", f"{service.url}/v1/markers", {"kind": "deploy", "text": name + text})
        assert status == 201
    markers = get_json(f"{service.url}/v1/markers")["markers"]
    assert [row["text"] for row in markers if row["text"].startswith(name)] == [f"{name}v1", f"{name}v2"]


def test_an_alarm_that_is_not_there_cannot_be_acknowledged(service: Service, name: str) -> None:
    status, text = request("POST", f"{service.url}/v1/alarms/acknowledge", {"category": name})
    assert (status, json.loads(text)["status"]) == (404, 404)


def test_failures_lead_to_queries(service: Service, name: str) -> None:
    """A number that fell is of no use without the queries that fell with it."""
    service.judge([{"query_id": name, "category": name, "relevant": ["d"]}])
    service.send([{"query_id": name, "query": "the text", "ids": ["a", "b"], "trace_id": "t1"}])
    service.send([{"query_id": name, "ids": ["a", "d"]}])

    def found() -> list[dict[str, Any]]:
        rows = get_json(f"{service.url}/v1/failures?category={name}")["failures"]
        return rows if len(rows) == 2 else []

    worst, second = wait_for(found, "the failures to be written")
    assert (worst["first_rank"], worst["ids"], worst["trace_id"]) == (None, ["a", "b"], "t1")
    assert second["first_rank"] == 2
