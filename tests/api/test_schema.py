"""Whatever is sent, by the schema or against it, the service answers: no crash, no 500."""

import contextlib
import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from harness.http import get_json, request
from harness.service import Service

pytestmark = pytest.mark.server

EXAMPLES = int(os.environ.get("RAGAUGE_HTTP_EXAMPLES", "8"))
"""Bodies for each operation: a few here, 20,000 in all in ``make chaos``."""


PATIENT = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)


@schemathesis.serializer("application/x-ndjson")
def ndjson(context: Any, value: Any) -> bytes:
    """Return a body of lines as bytes, whatever was generated for it."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


def operations(service: Service) -> list[Any]:
    """Return every operation that the service says it has."""
    schema = schemathesis.openapi.from_dict(get_json(f"{service.url}/openapi.json"))
    found: list[Any] = list(schema.get_all_operations())
    return [each.ok() for each in found]


@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_no_body_brings_the_service_down(service: Service, mode: GenerationMode) -> None:
    """Refusals are problems with a status of their own; nothing is ever the service's fault."""
    sent = 0
    for operation in operations(service):

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=PATIENT,
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def answers(case: Any) -> None:
            nonlocal sent
            sent += 1
            response = case.call(base_url=service.url)
            assert response.status_code < 500, response.text
            if response.status_code >= 400:
                assert response.headers["content-type"] == ["application/problem+json"]
                assert response.json()["detail"]

        with contextlib.suppress(Unsatisfiable):  # an operation that takes nothing cannot be asked wrongly
            answers()
    print(f"{sent} requests")  # noqa: T201 - the figure of `make chaos`


def test_the_schema_names_every_route(service: Service) -> None:
    """A client is generated from it: what it leaves out does not exist for others."""
    schema = get_json(f"{service.url}/openapi.json")
    wanted = {"/v1/events", "/v1/signals", "/v1/judgments", "/v1/judgments/{key}", "/v1/quality"}
    wanted |= {"/v1/failures", "/v1/shards", "/v1/markers", "/v1/alarms/acknowledge", "/healthz", "/metrics"}
    assert wanted <= schema["paths"].keys()
    events = schema["components"]["schemas"]["Events"]["properties"]["events"]
    assert events["items"] == {"$ref": "#/components/schemas/Event"}
    assert "RetrievalIn" in schema["components"]["schemas"]


def test_it_still_lives(service: Service) -> None:
    assert request("GET", f"{service.url}/healthz")[0] == 200
