"""Golden questions through the live retriever: asked, logged as evidence ``probe``, compared with before."""

import importlib
import json
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragauge.errors import ConfigurationError, EnvironmentFault, InputError
from ragauge.extract import Batch, extract
from ragauge.offline.comparison import Comparison, compare
from ragauge.offline.data import Question, Questions

TIMEOUT_S: Final = 30.0
MEASURES: Final = ("MRR@10", "hit@5", "nDCG@10")

Target = Callable[[Question], Any]


@dataclass(slots=True)
class Round:
    """What the retriever answered to each question; ``events`` are as ``POST /v1/events`` takes them."""

    name: str
    rankings: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    events: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    failed: int = 0


def target_of(text: str) -> Target:
    """Return how a question is asked: of ``module:function``, or of a URL.

    A URL with ``{query}`` in it is fetched, any other gets a POST of ``{"query", "query_id"}``.

    Raises:
        ConfigurationError: there is no such function.
    """
    if text.startswith(("http://", "https://")):
        return lambda question: _fetch(text, question)
    module, _, name = text.partition(":")
    if not module or not name:
        raise ConfigurationError(f"--target {text!r}: 'module:function' or a URL wanted")
    sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"--target {text!r}: {error}") from None
    return lambda question: found(question.text or question.id)


def ask(target: Target, questions: Questions, name: str, labels: Mapping[str, str]) -> Round:
    """Return a round: every question asked once; one that fails is logged as an error and answers nothing."""
    done = Round(name)
    for question in questions.by_id.values():
        began = time.perf_counter()
        ids, scores, error = _asked(target, question)
        latency = (time.perf_counter() - began) * 1_000
        event = _event(question, name, labels) | {"latency_ms": latency}
        if error is None:
            done.rankings[question.id] = ids
            done.events.append(event | {"ids": ids, "scores": scores})
        else:
            done.failed += 1
            done.events.append(event | {"outcome": "error", "error_type": error})
    return done


def paired(before: Path, now: Round, questions: Questions) -> Comparison | None:
    """Return this round beside the one before, on the questions that both answered; None without one.

    Raises:
        InputError: the file of the round before cannot be read.
    """
    if not before.is_file():
        return None
    try:
        old: dict[str, list[str]] = json.loads(before.read_text(encoding="utf-8"))["rankings"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{before}: the round before cannot be read: {error}") from None
    both = old.keys() & now.rankings.keys() & questions.by_id.keys()
    if not both:
        return None
    mine = Questions({name: question for name, question in questions.by_id.items() if name in both})
    a, b = ({name: run[name] for name in sorted(both)} for run in (old, now.rankings))
    return compare(a, b, mine, measures=MEASURES)


def keep(path: Path, done: Round) -> None:
    """Write a round for the next one to be compared with, whole or not at all.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps({"round": done.name, "rankings": done.rankings}), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise EnvironmentFault(f"{path}: {error.strerror}") from None


def _asked(target: Target, question: Question) -> tuple[list[str], list[float] | None, str | None]:
    try:
        found = extract(target(question))
    except Exception as error:  # noqa: BLE001 - whatever the retriever under test does is an outcome
        return [], None, type(error).__name__
    if found is None or isinstance(found, Batch):
        raise InputError(f"question {question.id!r}: one list of documents wanted of the target")
    ids, _, scores = found[:3]
    return [str(doc) for doc in ids], None if scores is None else [float(score) for score in scores], None


def _event(question: Question, name: str, labels: Mapping[str, str]) -> dict[str, Any]:
    event: dict[str, Any] = {"type": "retrieval", "probe": name, **labels}
    own = None if question.id == question.text else question.id  # a text that serves as id is none
    optional = {"query_id": own, "query": question.text, "category": question.category}
    return event | {key: value for key, value in optional.items() if value}


def _fetch(url: str, question: Question) -> Any:
    text = question.text or question.id
    if "{query}" in url:
        request = urllib.request.Request(url.replace("{query}", urllib.parse.quote(text, safe="")))  # noqa: S310
    else:
        body = json.dumps({"query": text, "query_id": question.id}).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - http(s) only
        return json.loads(answer.read())
