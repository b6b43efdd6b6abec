"""What reaches the store twice, late, from two places or with a wrong clock; and simpler rules.

Each fault is also put to the rule a simpler store would follow, which gets it wrong.
"""

import random
from dataclasses import replace

import pytest

from raterbook.rounds import Event, Store
from tests.rounds.faults import writers


def last_to_arrive(arrived):
    """A store that keeps what came last."""
    return arrived[-1].value


def by_the_clock(arrived):
    """A store that believes the senders' clocks."""
    return max(arrived, key=lambda event: event.client_time).value


def score(n, value, lamport, clock=0.0):
    return Event(f"e{n}", "i0", "score", value, lamport=lamport, client_time=clock)


FIRST, SECOND, THIRD = score(1, 1, 1, 100.0), score(2, 2, 2, 200.0), score(3, 3, 3, 300.0)


@pytest.fixture
def stored(tmp_path):
    return writers.new_round(tmp_path / "store.sqlite", ["ana"])


def kept(stored, arrived, clients=1):
    """The current answer and its revision after these events came, in this order."""
    doors = [Store(stored.store.path).round("faults") for _ in range(clients)]
    for number, event in enumerate(arrived):
        assert doors[number % clients].save("ana", [event])[0].ok
    (answer,) = stored.current("ana").values()
    return answer.value, answer.revision


def test_the_same_event_twice_counts_once(stored):
    arrived = [FIRST, FIRST, SECOND, SECOND, FIRST]
    assert kept(stored, arrived) == (2, 2)
    assert len(writers.stored_ids(stored.store.path)) == 2


def test_control_without_ids_the_same_event_counts_as_often_as_it_came(stored):
    arrived = [replace(each, event_id=None) for each in (FIRST, FIRST, SECOND, SECOND, FIRST)]
    assert kept(stored, arrived)[1] == 5


def test_a_late_retry_of_an_old_answer_does_not_override_the_new_one(stored):
    arrived = [FIRST, SECOND, THIRD, FIRST]
    assert kept(stored, arrived)[0] == 3
    assert last_to_arrive(arrived) == 1  # control


def test_an_answer_that_was_held_up_on_its_way_is_an_earlier_revision(stored):
    arrived = [FIRST, THIRD, SECOND]
    assert kept(stored, arrived) == (3, 3)
    assert last_to_arrive(arrived) == 2  # control


def test_two_clients_of_one_rater_give_one_answer_whatever_the_order(stored):
    """Both counted on from what they saw; equal counts go by arrival, all others by the count."""
    here = [score(f"a{n}", 1 + n % 5, lamport=2 * n) for n in range(20)]
    there = [score(f"b{n}", 1 + (n + 2) % 5, lamport=2 * n + 1) for n in range(20)]
    arrived = here + there
    random.Random(4).shuffle(arrived)
    latest = max(arrived, key=lambda event: event.lamport).value
    assert kept(stored, arrived, clients=2) == (latest, 40)
    assert last_to_arrive(arrived) != latest  # control


def test_a_clock_that_goes_backwards_changes_nothing(stored):
    arrived = [score(1, 1, 1, 300.0), score(2, 2, 2, 200.0), score(3, 3, 3, 100.0)]
    assert kept(stored, arrived)[0] == 3
    assert by_the_clock(arrived) == 1  # control


def test_the_stores_own_clock_may_go_backwards_too(tmp_path):
    times = iter(range(10**6, 0, -1))
    stored = writers.new_round(tmp_path / "store.sqlite", ["ana"])
    backwards = Store(stored.store.path, clock=lambda: float(next(times))).round("faults")
    for event in (FIRST, SECOND, THIRD):
        assert backwards.save("ana", [event])[0].ok
    assert next(iter(stored.current("ana").values())).value == 3
    frame = stored.frame()
    assert frame["value"].tolist() == ["3"]
