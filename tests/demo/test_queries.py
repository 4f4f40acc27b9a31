from collections import Counter
from itertools import combinations

import pytest

from ragauge.events import text_key
from ragauge_service.demo.corpus import Document
from ragauge_service.demo.families import CATEGORIES, FAMILIES, NO_ANSWER, category_of
from ragauge_service.demo.queries import Query, queries
from ragauge_service.demo.words import words


@pytest.fixture(scope="module")
def asked(corpus: list[Document]) -> list[Query]:
    return queries(corpus, seed=1)


def test_every_category_asks_enough_and_the_same_seed_asks_the_same(
    corpus: list[Document], asked: list[Query]
) -> None:
    counts = Counter(query.category for query in asked)
    assert set(counts) == set(CATEGORIES)
    assert min(counts.values()) >= 50
    assert queries(corpus, seed=1) == asked
    assert queries(corpus, seed=2) != asked


def test_no_two_queries_share_an_id_or_a_key(asked: list[Query]) -> None:
    """The service knows a query by its text: two categories with one text would be one query."""
    assert len({query.id for query in asked}) == len(asked)
    assert len({text_key(query.text) for query in asked}) == len(asked)


def test_the_ground_truth_exists_and_belongs_to_the_categorys_own_packages(
    corpus: list[Document], asked: list[Query]
) -> None:
    by_id = {document.id: document for document in corpus}
    for query in asked:
        assert {category_of(by_id[name].package) for name in query.relevant} <= {query.category}
        assert (query.category == NO_ANSWER) == (not query.relevant)


def test_the_categories_packages_are_disjoint() -> None:
    """Else one category's regression would be another's too."""
    assert all(not (one & other) for one, other in combinations(FAMILIES.values(), 2))


def test_a_summary_query_does_not_give_the_name_away(asked: list[Query]) -> None:
    for query in asked:
        if query.category == "summaries":
            exact = [name for name, grade in query.relevant.items() if grade == 2]
            assert all(set(words(query.text)).isdisjoint(words(name)) for name in exact)


def test_an_unanswerable_question_says_so_in_its_judgment(asked: list[Query]) -> None:
    judgments = [query.judgment() for query in asked if query.category == NO_ANSWER]
    assert all(one["no_answer"] is True and one["relevant"] == {} for one in judgments)
