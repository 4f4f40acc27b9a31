"""A test-set file: documents, questions with their splits and categories, and what may not be retrieved.

    {"documents": [{"id": "guide@2", "document": "guide", "version": 2, "visibility": "public"}],
     "inadmissible": {"visibility": ["internal"], "outdated": true, "version": ["2019"], "documents": ["d9"]},
     "questions": [{"id": "q1", "text": "...", "category": "paraphrase", "split": "tune",
                    "relevant": ["guide@2"]}]}

An empty ``relevant`` means that the question has no answer. A document is outdated when another one of the
same ``document`` has a higher ``version``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from ragauge.errors import JudgmentsError
from ragauge.offline.data import Questions
from ragauge.offline.formats import records

_RULES: Final = {"visibility", "outdated", "version", "documents"}


def questions_of(source: str, value: object) -> Questions:
    """Return the questions of a test set, each with the documents that may not be retrieved.

    Raises:
        JudgmentsError: it is not as described, or a question is relevant to an inadmissible document.
    """
    if not isinstance(value, Mapping):
        raise JudgmentsError(f"{source}: an object with documents and questions is wanted")
    table = cast("Mapping[str, Any]", value)
    documents = _list(source, table, "documents")
    forbidden = inadmissible(source, documents, table.get("inadmissible", {}))
    questions = records.questions_of(source, _located(source, _list(source, table, "questions")))
    known = {str(document.get("id")) for document in documents}
    for question in questions.by_id.values():
        _check(source, question.id, set(question.grades), known, forbidden)
    return Questions(
        {
            name: replace(question, forbidden=question.forbidden | forbidden)
            for name, question in questions.by_id.items()
        },
        source,
    )


def _list(source: str, table: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = table.get(name, [])
    if not isinstance(found, list) or not all(isinstance(item, dict) and item.get("id") for item in found):
        raise JudgmentsError(f"{source}: {name} must be a list of objects with an id")
    return cast("list[dict[str, Any]]", found)


def _located(source: str, questions: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    seen: set[str] = set()
    for question in questions:
        name = str(question["id"])
        if name in seen:
            raise JudgmentsError(f"{source}: question {name!r} stands twice")
        seen.add(name)
        row = {key: item for key, item in question.items() if key != "id"} | {"query_id": question["id"]}
        yield f"{source}: question {name!r}", row


def _check(
    source: str, question: str, relevant: set[str], known: set[str], forbidden: frozenset[str]
) -> None:
    if known and (unknown := sorted(relevant - known)):
        raise JudgmentsError(f"{source}: question {question!r}: no document has the id {unknown[0]!r}")
    if wrong := sorted(relevant & forbidden):
        raise JudgmentsError(f"{source}: question {question!r}: {wrong[0]!r} is relevant and inadmissible")


def inadmissible(source: str, documents: list[dict[str, Any]], rules: object) -> frozenset[str]:
    """Return the ids of the documents that no answer may contain.

    Raises:
        JudgmentsError: a rule is unknown.

    >>> old, new = {"id": "a1", "document": "a", "version": 9}, {"id": "a2", "document": "a", "version": 10}
    >>> inadmissible("t", [old, new], {"outdated": True})
    frozenset({'a1'})
    """
    if not isinstance(rules, Mapping):
        raise JudgmentsError(f"{source}: inadmissible must be an object of rules")
    table = cast("Mapping[str, Any]", rules)
    if unknown := sorted(set(table) - _RULES):
        raise JudgmentsError(
            f"{source}: inadmissible: no rule {unknown[0]!r}; known are {', '.join(sorted(_RULES))}"
        )
    hidden, versions = _texts(table.get("visibility")), _texts(table.get("version"))
    found = set(_texts(table.get("documents")))
    for document in documents:
        if str(document.get("visibility")) in hidden or str(document.get("version")) in versions:
            found.add(str(document["id"]))
    return frozenset(found | (_outdated(documents) if table.get("outdated") else set()))


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [str(item) for item in cast("list[object]", items)]


def _outdated(documents: list[dict[str, Any]]) -> set[str]:
    newest: dict[str, list[tuple[int, str]]] = {}
    for document in documents:
        name, version = _family(document)
        newest[name] = max(newest.get(name, []), version)
    families = [(str(document["id"]), *_family(document)) for document in documents]
    return {name for name, family, version in families if version < newest[family]}


def _family(document: Mapping[str, Any]) -> tuple[str, list[tuple[int, str]]]:
    """Return what a document is a version of, and its version as something that is ordered: 9 before 10."""
    parts = re.findall(r"(\d+)|([^\d]+)", str(document.get("version", "")))
    version = [(int(number) if number else -1, word) for number, word in parts]
    return str(document.get("document", document["id"])), version
