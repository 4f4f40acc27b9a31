"""What docs/sdk.md and docs/integrations.md show, runs; and every setting stands in its table."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from haystack.tracing.tracer import disable_tracing

import ragauge
from ragauge import settings
from ragauge.testing import MemoryTransport

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", ["sdk.md", "integrations.md"])
def test_its_examples_run(name: str, monkeypatch: pytest.MonkeyPatch, memory: MemoryTransport) -> None:
    monkeypatch.setattr(ragauge, "init", lambda *_, **__: None)
    names: dict[str, Any] = {}
    try:
        for block in re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.DOTALL):
            exec(block, names)  # noqa: S102 - our own documents
    finally:
        disable_tracing()
    if name == "sdk.md":
        assert [event.ids for event in memory.retrievals] == [("faq-17", "faq-3")]
        assert [event.doc_id for event in memory.signals] == ["faq-17"]


def test_every_setting_is_documented() -> None:
    text = (DOCS / "sdk.md").read_text()
    for field in fields(settings.Settings):
        assert f"| `{field.name}` |" in text
        assert field.name == "before_send" or f"`RAGAUGE_{field.name.upper()}`" in text
