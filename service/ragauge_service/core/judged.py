"""What is known of queries on one shard: the judgments in force, and the versions that a replay needs.

A record holds the versions of one query's judgments, oldest first. A version carries the id of the stream
entry that made it: a worker that takes the shard over replays the stream from its first entry, and must
begin with what was known before it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ragauge.events import JudgmentsEvent
from ragauge.measures import Judgments
from ragauge_service.core.packing import pack, unpack

EntryId = tuple[int, int]
"""A stream entry's id: Unix milliseconds on the server's clock, and a sequence within them."""

START: Final[EntryId] = (0, 0)


class Version(NamedTuple):
    """The judgments of one query as one entry left them; ``deleted`` when that entry took them back."""

    entry: EntryId
    grades: Mapping[str, int] = {}
    no_answer: bool = False
    forbidden: tuple[str, ...] = ()
    category: str | None = None
    query_id: str | None = None
    query: str | None = None
    source: str = ""
    at: int = 0
    deleted: bool = False


def pack_versions(versions: Iterable[Version]) -> bytes:
    """Return a record as the store keeps it.

    >>> unpack_versions(pack_versions([Version((1, 0), {"d1": 2})]))[0].grades
    {'d1': 2}
    """
    return pack([list(version) for version in versions])


def unpack_versions(record: bytes) -> list[Version]:
    """Return the versions of a record, oldest first; the last one is in force."""
    return [_version(fields) for fields in unpack(record)]


def _version(fields: list[Any]) -> Version:
    entry, grades, no_answer, forbidden, *rest = fields[: len(Version._fields)]
    return Version((entry[0], entry[1]), grades, no_answer, tuple(forbidden), *rest)


class Query:
    """The judgments in force of one query; ``plain`` ones can be answered and forbid nothing.

    ``hashed`` are the same judgments over the hashes of document ids, made when first wanted.
    """

    __slots__ = ("_hashed", "category", "grades", "judgments", "known", "level", "plain", "versions")

    def __init__(self, versions: list[Version], level: int) -> None:
        now = versions[-1]
        self.versions = versions
        self.level = level
        self.category = now.category
        self.judgments = _compiled(now, level, now.grades, now.forbidden)
        self.plain = bool(self.judgments.relevant) and not now.forbidden and not now.no_answer
        self.grades = self.judgments.grades
        self.known: dict[tuple[Any, ...], Any] | None = None
        """Outcomes by the grades at ranks 1, 2, ..., shared by alike queries; None before the first."""
        self._hashed: Judgments[int] | None = None

    @property
    def hashed(self) -> Judgments[int]:
        """Return the judgments over document hashes."""
        if self._hashed is None:
            now = self.versions[-1]
            grades = {hash(doc): grade for doc, grade in now.grades.items()}
            self._hashed = _compiled(now, self.level, grades, map(hash, now.forbidden))
        return self._hashed


def _compiled(
    now: Version, level: int, grades: Mapping[Any, int], forbidden: Iterable[Any]
) -> Judgments[Any]:
    return Judgments(grades, level=level, forbidden=forbidden, no_answer=now.no_answer)


class Book:
    """The judgments of one shard by query key; a record is read when its query is first asked for.

    ``before`` is the first entry that will be replayed: later versions come again from the stream.
    """

    def __init__(self, level: int, records: Mapping[str, bytes], before: EntryId | None = None) -> None:
        self.queries: dict[str, Query] = {}
        """The queries in force that have been asked for; ``get`` knows all."""
        self._level = level
        self._before = before
        self._unread = dict(records)
        self._histories: dict[str, list[Version]] = {}
        self._changed: set[str] = set()

    def get(self, key: str) -> Query | None:
        """Return the judgments in force of a query, or None when it is unjudged."""
        query = self.queries.get(key)
        if query is None and key in self._unread:
            self._read(key)
            query = self.queries.get(key)
        return query

    def apply(self, event: JudgmentsEvent, entry: EntryId, retained: int) -> bool:
        """Put an event's judgments in force; False when every score and category stays what it was.

        Versions older than ``retained`` (Unix milliseconds) are forgotten, but for the newest of them.
        """
        query = self.get(event.key)
        history = self._histories.get(event.key, [])
        old = query.versions[-1] if query else None
        new = _after(old, event, entry)
        past = [version for version in history if version.entry != entry]
        self._put(event.key, [*_pruned(past, retained), new])
        self._changed.add(event.key)
        return not _alike(old, new)

    def take_changes(self) -> dict[str, bytes | None]:
        """Return the records that changed since they were last taken; None where nothing needs to be kept."""
        changed, self._changed = self._changed, set()
        return {key: self._record(key) for key in changed}

    def _record(self, key: str) -> bytes | None:
        history = self._histories[key]
        return None if len(history) == 1 and history[0].deleted else pack_versions(history)

    def _read(self, key: str) -> None:
        versions = unpack_versions(self._unread.pop(key))
        known = [version for version in versions if self._before is None or version.entry < self._before]
        if known:
            self._put(key, known)

    def _put(self, key: str, versions: list[Version]) -> None:
        self._histories[key] = versions
        if versions[-1].deleted:
            self.queries.pop(key, None)
        else:
            self.queries[key] = Query(versions, self._level)


def _after(old: Version | None, event: JudgmentsEvent, entry: EntryId) -> Version:
    """Return the version that an event makes of the one in force."""
    if event.mode == "delete":
        return Version(entry, at=event.at, deleted=True)
    grades, forbidden, category = dict(event.grades), event.forbidden, event.category
    no_answer, query_id, query = event.no_answer, event.query_id, event.query
    if event.mode == "merge" and old is not None:
        grades = {**old.grades, **grades}
        forbidden = tuple(dict.fromkeys((*old.forbidden, *forbidden)))
        category, query_id, query = category or old.category, query_id or old.query_id, query or old.query
        no_answer = no_answer or (old.no_answer and not event.grades)
    return Version(entry, grades, no_answer, forbidden, category, query_id, query, event.source, event.at)


def _alike(old: Version | None, new: Version) -> bool:
    if old is None:
        return new.deleted
    return old._replace(entry=START, source="", at=0, query_id=None, query=None) == new._replace(
        entry=START, source="", at=0, query_id=None, query=None
    )


def _pruned(versions: list[Version], retained: int) -> list[Version]:
    """Return the versions that lie in the retained stream, and the newest one before it."""
    older = [version for version in versions if version.entry[0] < retained]
    return [*older[-1:], *versions[len(older) :]]
