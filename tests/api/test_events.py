"""What producers send: counted once, refused in part, told what was wanted."""

import gzip
import json
import secrets
from typing import Any

import pytest

from harness.http import get_json, request
from harness.process import wait_for
from harness.service import Service
from ragauge.events import partition_of, shard_of

pytestmark = pytest.mark.server


def retrieval(query_id: str, **more: Any) -> dict[str, Any]:
    identifier = f"{partition_of(query_id):04x}{secrets.token_hex(14)}"
    return {"type": "retrieval", "id": identifier, "query_id": query_id, "ids": ["d1"], **more}


def post(service: Service, body: object, path: str = "/v1/events", **headers: str) -> tuple[int, Any]:
    status, text = request("POST", service.url + path, body, headers=headers)
    return status, json.loads(text)


def scored(service: Service, category: str) -> int:
    rows = service.quality(window="1h", category=category, evidence="judgments")
    return sum(row["scored"] for row in rows)


def test_a_retried_post_counts_once(service: Service, name: str) -> None:
    """A client that lost the answer sends again, under the same sequence, and nothing counts twice."""
    service.judge([{"query_id": name, "category": name, "relevant": ["d1"]}])
    shard = shard_of(partition_of(name), get_json(f"{service.url}/v1/shards")["shards"])
    body = {"producer": name, "shard": shard, "seq": 1, "events": [retrieval(name) for _ in range(7)]}
    first, *again = (post(service, body) for _ in range(3))
    assert first == (202, {"accepted": 7, "duplicate": 0, "rejected": []})
    assert again == [(202, {"accepted": 0, "duplicate": 7, "rejected": []})] * 2
    wait_for(lambda: scored(service, name), "the retrievals to be scored")
    post(service, {**body, "seq": 2, "events": [retrieval(name)]})
    wait_for(lambda: scored(service, name) >= 8, "the next entry")
    assert scored(service, name) == 8


def test_a_hole_and_an_unknown_producer_are_told_apart(service: Service, name: str) -> None:
    """After a hole the producer resends; one that the store forgot must take a new name."""
    shard = shard_of(partition_of(name), 16)
    body = {"producer": name, "shard": shard, "seq": 5, "events": [retrieval(name)]}
    status, answer = post(service, body)
    assert (status, answer["expected"], answer["unknown"]) == (409, 1, True)
    assert post(service, {**body, "seq": 1})[0] == 202
    status, answer = post(service, body)
    assert (status, answer["expected"], answer["unknown"]) == (409, 2, False)


def test_one_bad_event_does_not_spoil_the_others(service: Service, name: str) -> None:
    events = [
        retrieval(name),
        {"type": "retrieval", "id": "short"},
        7,
        {"type": "cake"},
        retrieval(name, latency_ms="slow"),
        retrieval(name, ids=["x" * 600]),
        retrieval(name, scores=[1e999]),
        retrieval(name, id=f"{(partition_of(name) + 1) % 65536:04x}" + 28 * "0"),
    ]
    status, answer = post(service, {"events": events})
    assert (status, answer["accepted"]) == (202, 1)
    assert [each["index"] for each in answer["rejected"]] == list(range(1, len(events)))
    assert "partition" in answer["rejected"][-1]["reason"]


def test_an_event_of_another_shard_is_refused(service: Service, name: str) -> None:
    """Exactly once holds per shard: what lies elsewhere would never meet its judgments."""
    wrong = (shard_of(partition_of(name), 16) + 1) % 16
    body = {"producer": name, "shard": wrong, "seq": 1, "events": [retrieval(name)]}
    status, answer = post(service, body)
    assert (status, answer["accepted"]) == (202, 0)
    assert "belongs to shard" in answer["rejected"][0]["reason"]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ({"events": "x"}, "body.events"),
        ({}, "body.events"),
        ({"events": [], "seq": 1}, "all three wanted"),
        ({"events": [], "producer": "p", "shard": 99, "seq": 1}, "0 to 15"),
        ({"events": [], "producer": "p", "shard": 1, "seq": 0}, "body.seq"),
        ({"events": [], "producer": "p q", "shard": 1, "seq": 1}, "body.producer"),
        ({"events": [{}] * 2_001}, "2000"),
    ],
)
def test_a_body_that_cannot_be_used_is_told_what_was_wanted(
    service: Service, body: dict[str, Any], wanted: str
) -> None:
    status, answer = post(service, body)
    assert (status, answer["status"], answer["title"]) == (422, 422, "Unprocessable Entity")
    assert wanted in answer["detail"]


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b'{"events": [' * 50_000, b"[1e999999, NaN]"])
def test_bytes_that_are_no_json(service: Service, body: bytes) -> None:
    status, answer = post(service, body)
    assert status in {400, 422}
    assert answer["status"] == status


def test_gzip_is_read_and_a_bomb_is_not(service: Service, name: str) -> None:
    """A megabyte of nothing packs into a kilobyte; the limit holds after unpacking."""
    packed = gzip.compress(json.dumps({"events": [retrieval(name)]}).encode())
    headers = {"Content-Encoding": "gzip"}
    assert post(service, packed, **headers)[1]["accepted"] == 1
    bomb = gzip.compress(b'{"events": [' + b" " * (64 * 1024 * 1024) + b"]}")
    assert post(service, bomb, **headers)[0] == 413
    assert post(service, packed[:-9], **headers)[0] == 400
    assert post(service, b"plain", **headers)[0] == 400
    assert post(service, b"x", **{"Content-Encoding": "br"})[0] == 415


def test_a_body_over_the_limit(service: Service) -> None:
    assert post(service, b" " * (4 * 1024 * 1024 + 1))[0] == 413


def test_a_retrieval_without_an_id_or_a_key_is_given_both(service: Service, name: str) -> None:
    """For curl: a query and ids are enough."""
    service.judge([{"query": f"What is {name}?", "category": name, "relevant": ["d1"]}])
    status, answer = post(service, {"events": [{"query": f"what  IS {name}?", "ids": ["d0", "d1"]}]})
    assert (status, answer["accepted"]) == (202, 1)
    wait_for(lambda: scored(service, name) == 1, "the retrieval to meet its judgments by text")


def test_a_beacon_is_a_signal_too(service: Service) -> None:
    """A browser's sendBeacon can only say text/plain."""
    body = json.dumps({"signals": [{"retrieval_id": 32 * "0", "doc_id": "d"}, {"retrieval_id": "x"}]})
    status, answer = post(service, body.encode(), "/v1/signals", **{"Content-Type": "text/plain"})
    assert (status, answer["accepted"], answer["rejected"][0]["index"]) == (202, 1, 1)
