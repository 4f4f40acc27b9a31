"""What an evaluation is made of: questions with their judgments, and a run with its rankings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragauge.errors import InputError, JudgmentsError
from ragauge.events import JudgmentsEvent, id_key, text_key
from ragauge.measures import Grade

Params = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question: what is known of its documents, and which group and split it belongs to.

    Without grades and without ``no_answer`` it is unjudged. ``no_answer`` is only ever explicit.
    """

    id: str
    text: str | None = None
    category: str | None = None
    split: str | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict[str, Grade])
    no_answer: bool = False
    forbidden: frozenset[str] = frozenset()

    @property
    def judged(self) -> bool:
        """Return whether a ranking of this question can be called right or wrong."""
        return bool(self.grades) or self.no_answer


@dataclass(frozen=True, slots=True)
class Questions:
    """Judged questions by id, and where they were read."""

    by_id: Mapping[str, Question]
    source: str = "judgments"

    def of_split(self, split: str | None) -> "Questions":
        """Return the questions of one split, all of them for None.

        Raises:
            InputError: no question has this split.
        """
        if split is None:
            return self
        kept = {name: question for name, question in self.by_id.items() if question.split == split}
        if not kept:
            known = sorted({question.split or "(none)" for question in self.by_id.values()})
            raise InputError(
                f"{self.source}: no question has the split {split!r}; there are {', '.join(known)}"
            )
        return replace(self, by_id=kept)

    def events(self, at: int = 0) -> Iterator[JudgmentsEvent]:
        """Yield the questions as the service stores them; one with an id and a text comes under both keys.

        Raises:
            JudgmentsError: a grade is not an integer.
        """
        for question in self.by_id.values():
            if not question.judged and not question.forbidden:
                continue
            yield self._event(question, id_key(question.id), at)
            if question.text:
                yield self._event(question, text_key(question.text), at)

    def _event(self, question: Question, key: str, at: int) -> JudgmentsEvent:
        for doc, grade in question.grades.items():
            if grade != int(grade):
                raise JudgmentsError(
                    f"{self.source}: question {question.id!r}, document {doc!r}: "
                    f"a whole number is wanted as grade, not {grade}"
                )
        return JudgmentsEvent(
            key=key,
            grades={doc: int(grade) for doc, grade in question.grades.items()},
            no_answer=question.no_answer,
            forbidden=tuple(sorted(question.forbidden)),
            category=question.category,
            query_id=question.id,
            query=question.text,
            source=self.source[-512:],
            at=at,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """What a retriever answered: ranked ids by question, as deep as they were read.

    ``best`` are the highest scores, where there are scores; ``latencies`` are milliseconds.
    """

    rankings: Mapping[str, Sequence[str]]
    source: str = "run"
    best: Mapping[str, float] = field(default_factory=dict[str, float])
    latencies: Mapping[str, float] = field(default_factory=dict[str, float])
    params: Params = field(default_factory=dict[str, object])
    whole: "Callable[[], Run] | None" = None
    """Reads the run again at its full depth, where ``rankings`` are cut."""
