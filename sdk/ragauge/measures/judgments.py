"""Judgments of one query, compiled once to score many rankings."""

import math
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import Generic, TypeVar

from ragauge.errors import JudgmentsError

Grade = int | float

D = TypeVar("D", bound=Hashable)


class Profile:
    """What of a query's judgments a score depends on, beside the grades met: shared by alike queries.

    ``gains`` are the positive grades, highest first; ``relevant`` is R, the grades of at least ``level``.
    Compared by identity.
    """

    __slots__ = ("_exponential", "_linear", "gains", "level", "relevant")

    def __init__(self, gains: tuple[Grade, ...], level: Grade) -> None:
        self.gains = gains
        self.level = level
        self.relevant = sum(gain >= level for gain in gains)
        self._linear: tuple[float, ...] | None = None
        self._exponential: tuple[float, ...] | None = None

    def ideal(self, k: int | None) -> float:
        """Return the DCG of the best possible list of k documents; None stands for all of them."""
        if self._linear is None:
            self._linear = tuple(accumulate(map(_discounted, self.gains, _ranks(self.gains))))
        return _at(self._linear, k)

    def ideal_exponential(self, k: int | None) -> float:
        """Return the same for the gain 2 ** grade - 1.

        Raises:
            JudgmentsError: a grade is too large for it.
        """
        if self._exponential is None:
            gains = [exponential(grade) for grade in self.gains]
            self._exponential = tuple(accumulate(map(_discounted, gains, _ranks(gains))))
        return _at(self._exponential, k)


class Judgments(Generic[D]):
    """One query's judgments: relevant is a grade of at least ``level``, gain is a positive grade.

    ``grades`` map documents (ids, or any hashables that stand for them) to numbers; unjudged documents
    are absent, zero and negative grades are judged and worth nothing. ``forbidden`` documents may not be
    retrieved. ``no_answer`` says that abstaining is right; such a query is outside every mean.

    Raises:
        JudgmentsError: a grade is not a finite number, or the level is not positive.

    >>> judgments = Judgments({"a": 3, "b": 1, "c": 0}, level=2)
    >>> judgments.relevant, round(judgments.ideal(10), 3)
    (1, 3.631)
    """

    __slots__ = ("forbidden", "grades", "no_answer", "profile")

    def __init__(
        self,
        grades: Mapping[D, Grade],
        *,
        level: Grade = 1,
        forbidden: Iterable[D] = (),
        no_answer: bool = False,
    ) -> None:
        if not level > 0 or math.isinf(level):
            raise JudgmentsError(f"relevance level {level}: a number above 0 wanted")
        self.grades = grades if type(grades) is dict else dict(grades)
        self.forbidden = frozenset(forbidden)
        self.no_answer = no_answer
        self.profile = _profile_of(self.grades, level)

    @property
    def relevant(self) -> int:
        """Return R: how many judged documents are relevant."""
        return self.profile.relevant

    def ideal(self, k: int | None = None) -> float:
        """Return the DCG of the best possible list, cut at k."""
        return self.profile.ideal(k)


def exponential(grade: Grade) -> float:
    """Return the exponential gain of a grade.

    Raises:
        JudgmentsError: too large.

    >>> exponential(2), exponential(-1)
    (3.0, 0.0)
    """
    try:
        return 2.0**grade - 1.0 if grade > 0 else 0.0
    except OverflowError:
        raise JudgmentsError(f"grade {grade}: at most 1023 wanted for an exponential gain") from None


def _profile_of(grades: Mapping[D, Grade], level: Grade) -> Profile:
    gains = [grade for grade in grades.values() if grade > 0]
    if len(gains) != len(grades):
        _check(grades)
    if len(gains) > 1:
        gains.sort(reverse=True)
    if gains and gains[0] == math.inf:
        _check(grades)
    return _shared(tuple(gains), level)


def _check(grades: Mapping[D, Grade]) -> None:
    for doc, grade in grades.items():
        if not math.isfinite(grade):
            raise JudgmentsError(f"document {doc!r}: the grade must be a finite number, not {grade}")


def _discounted(gain: float, rank: int) -> float:
    return gain / math.log2(rank + 1)


def _ranks(items: Iterable[object]) -> Iterable[int]:
    return (rank for rank, _ in enumerate(items, start=1))


def _at(sums: tuple[float, ...], k: int | None) -> float:
    if not sums:
        return 0.0
    return sums[-1] if k is None or k >= len(sums) else sums[k - 1]


# queries with the same grades share a profile, and with it the scores already known of it
_shared = lru_cache(maxsize=16_384)(Profile)
