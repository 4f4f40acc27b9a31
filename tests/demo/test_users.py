import random
import threading
from collections import Counter

from ragauge_service.demo.users import DELAY, HELPED, Users, clicks


def test_clicks_fall_with_the_position_as_the_model_says() -> None:
    """Examination is 1/rank: at rank 4 a quarter of the relevant documents are even seen."""
    rng = random.Random(5)
    ids = [f"d{rank}" for rank in range(1, 11)]
    rounds = 20_000
    counted = Counter(doc for _ in range(rounds) for doc in clicks(ids, ids, rng))
    for rank, doc in enumerate(ids, start=1):
        assert abs(counted[doc] / rounds - HELPED / rank) < 0.015


def test_the_same_seed_clicks_the_same() -> None:
    ids = ["a", "b", "c", "d"]
    one, other = random.Random(3), random.Random(3)
    assert [list(clicks(ids, {"b"}, one)) for _ in range(50)] == [
        list(clicks(ids, {"b"}, other)) for _ in range(50)
    ]


def test_a_click_comes_when_its_time_has_come_and_not_before() -> None:
    now, clicked, done = [0.0], list[tuple[str, str]](), threading.Event()

    def click(retrieval_id: str, doc_id: str) -> None:
        clicked.append((retrieval_id, doc_id))
        done.set()

    users = Users(click, seed=1, clock=lambda: now[0])
    users.start()
    for number in range(40):
        users.see(f"r{number}", ["hit"], {"hit"})
    assert not clicked, "nobody has waited yet"
    now[0] = DELAY[1] + 1
    users.see("nobody", [], set())
    assert done.wait(10)
    users.stop()
    assert {doc for _, doc in clicked} == {"hit"}


def test_users_who_are_stopped_never_click_again() -> None:
    clicked = list[str]()
    users = Users(lambda *click: clicked.append(click[1]), seed=1, clock=lambda: 0.0)
    users.see("r", ["hit"] * 50, {"hit"})
    users.start()
    users.stop()
    assert clicked == []
