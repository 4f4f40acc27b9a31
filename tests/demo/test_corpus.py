import sys
from pathlib import Path

import pytest

from ragauge.errors import EnvironmentFault
from ragauge_service.demo.corpus import Document, documents


def test_the_corpus_is_several_thousand_real_docstrings(corpus: list[Document]) -> None:
    by_id = {document.id: document for document in corpus}
    assert len(corpus) > 4000
    assert len(by_id) == len(corpus), "ids are unique"
    assert "JSON document" in by_id["json.loads"].text
    assert by_id["json.decoder.JSONDecoder.decode"].qualname == "JSONDecoder.decode"


def test_reading_the_corpus_executes_nothing(tmp_path: Path) -> None:
    """Some modules of the library act when they are imported: antigravity opens a browser."""
    (tmp_path / "loud.py").write_text('"""A module that must not run."""\nraise SystemExit(7)\n')
    assert [document.id for document in documents(tmp_path)] == ["loud"]
    assert "loud" not in sys.modules


def test_the_same_sources_give_the_same_corpus(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text('"""Return nothing of any interest."""\n')
    (tmp_path / "pkg" / "b.py").write_text(
        'class B:\n    """Say what a B is good for."""\n'
        '    async def go(self):\n        """Go where no B was before."""\n'
    )
    (tmp_path / "broken.py").write_text("def (:\n")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "test_b.py").write_text('"""The tests of the library are not documentation."""\n')
    found = documents(tmp_path)
    assert [document.id for document in found] == ["pkg", "pkg.b.B", "pkg.b.B.go"]
    assert found == documents(tmp_path)


def test_a_python_without_sources_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="sources of Python's standard library"):
        documents(tmp_path)
