"""From the names that events carry to the labels under which they are counted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from ragauge.wire import JUDGMENTS, MAX_ID_LENGTH, RETRIEVAL
from ragauge_service.core.judged import Book
from ragauge_service.core.places import Group, Labels
from ragauge_service.core.series import DEFAULT_CATEGORY

Kind = Literal["category", "retriever", "variant"]
KINDS: Final[tuple[Kind, ...]] = ("category", "retriever", "variant")

Admitted = Mapping[Kind, Mapping[str, str]]


class Naming:
    """The names that have been admitted, and the labels made of them."""

    def __init__(self) -> None:
        self._admitted: dict[Kind, dict[str, str]] = {kind: {} for kind in KINDS}
        self._admitted["category"][DEFAULT_CATEGORY] = DEFAULT_CATEGORY
        self._admitted["variant"][""] = ""
        self._labels: dict[tuple[str, str, str], Labels] = {}
        self._groups: dict[tuple[str, str], Group] = {}
        self.by_raw: dict[tuple[str, str, str], Labels] = {}
        """Labels by the names that events carry."""

    def admit(self, names: Admitted) -> None:
        """Learn under what names are counted."""
        for kind, found in names.items():
            self._admitted[kind].update(found)

    def knows(self, category: str | None) -> bool:
        """Tell whether a category has been admitted."""
        return category is None or category in self._admitted["category"]

    def group(self, category: str, retriever: str) -> Group:
        """Return what admitted names share about clicks."""
        return self._groups.setdefault((category, retriever), Group())

    def labels(self, raw: tuple[str, str, str]) -> Labels | None:
        """Return the labels of names, or None when one has not been admitted yet."""
        pairs = zip(KINDS, raw, strict=True)
        names = [self._admitted[kind].get(name) for kind, name in pairs]
        category, retriever, variant = names
        if category is None or retriever is None or variant is None:
            return None
        key = (category, retriever, variant)
        if key not in self._labels:
            self._labels[key] = Labels(*key, self.group(category, retriever))
        return self.by_raw.setdefault(raw, self._labels[key])

    def relabelled(self, labels: Labels, category: str) -> Labels:
        """Return the labels of the same retriever and variant in another, known, category."""
        admitted = self._admitted["category"][category]
        key = (admitted, labels.retriever, labels.variant)
        if key not in self._labels:
            self._labels[key] = Labels(*key, self.group(admitted, labels.retriever))
        return self._labels[key]

    def all(self) -> Iterable[Labels]:
        """Return all labels in use."""
        return self._labels.values()

    def unknown(self, rows: Iterable[Sequence[Any]], book: Book) -> dict[Kind, set[str]]:
        """Return the names in events that have not been admitted; malformed ones are passed over."""
        found: dict[Kind, set[str]] = {kind: set() for kind in KINDS}
        for row in rows:
            for kind, name in _names(row, book):
                if isinstance(name, str) and 0 < len(name) <= MAX_ID_LENGTH:
                    found[kind].add(name)
        return {kind: names - self._admitted[kind].keys() for kind, names in found.items()}


def _names(row: Sequence[Any], book: Book) -> Iterable[tuple[Kind, Any]]:
    if row[0] == JUDGMENTS and len(row) > 5:
        known = book.get(row[1]) if isinstance(row[1], str) else None
        return [("category", row[5]), ("category", known.category if known else None)]
    if row[0] != RETRIEVAL or len(row) < 6:
        return []
    query = book.get(row[2]) if row[3] is None and isinstance(row[2], str) else None
    return [("category", query.category if query else row[3]), ("retriever", row[4]), ("variant", row[5])]
