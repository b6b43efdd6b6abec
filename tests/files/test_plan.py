"""Plans: balanced, seeded, the same everywhere, and never changed by what comes later."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raterbook.rounds.opening import sample
from raterbook.rounds.plan import Mix, PlanError, assign, draw, in_order, order

ITEMS = [f"i{number}" for number in range(300)]
RATERS = [f"r{number}" for number in range(12)]


@given(n=st.integers(1, 120), raters=st.integers(1, 12), data=st.data(), seed=st.integers(0, 99))
def test_no_rater_has_more_than_one_item_above_another(n, raters, data, seed):
    per_item = data.draw(st.integers(1, raters))
    pairs = assign(ITEMS[:n], RATERS[:raters], per_item, seed)
    assert len(pairs) == len(set(pairs)) == n * per_item
    assert set(Counter(item for item, _ in pairs).values()) == {per_item}
    load = Counter(rater for _, rater in pairs)
    counts = [load[rater] for rater in RATERS[:raters]]
    assert max(counts) - min(counts) <= 1


@given(n=st.integers(1, 60), more=st.integers(0, 60), per_item=st.integers(1, 3))
def test_later_items_and_raters_change_no_pair(n, more, per_item):
    first = assign(ITEMS[:n], RATERS[:3], per_item, 5)
    then = assign(ITEMS[: n + more], RATERS[:5], per_item, 5, first)
    assert not set(first) & set(then)
    every = Counter(item for item, _ in [*first, *then])
    assert set(every.values()) == {per_item}
    assert assign(ITEMS[: n + more], RATERS[:5], per_item, 5, [*first, *then]) == []


def test_everyone_rates_everything_without_a_number():
    assert assign(["a", "b"], ["x", "y"]) == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    assert assign(["a", "b"], ["x"], None, 0, [("a", "x")]) == [("b", "x")]


def test_the_same_seed_gives_the_same_plan_on_every_platform():
    """Worked out by SHA-256 alone; these values may never change."""
    assert draw(0, "order", "ana", "q1") == pytest.approx(DRAWN, abs=1e-15)
    assert order(ITEMS[:8], "ana", 7) == ORDERED
    assert assign(ITEMS[:4], ["ana", "ben", "eve"], 2, 7) == DEALT


DRAWN = 0.15352066703539824
ORDERED = ["i4", "i2", "i1", "i0", "i5", "i7", "i6", "i3"]
DEALT = [
    ("i0", "ben"),
    ("i0", "ana"),
    ("i1", "eve"),
    ("i1", "ben"),
    ("i2", "eve"),
    ("i2", "ana"),
    ("i3", "ana"),
    ("i3", "eve"),
]


@given(st.permutations(ITEMS[:10]))
def test_the_order_of_the_file_does_not_matter(shuffled):
    assert order(shuffled, "ana", 1) == order(ITEMS[:10], "ana", 1)
    pairs = assign(ITEMS[:10], RATERS[:4], 2, 1)
    assert sorted(assign(shuffled, RATERS[:4], 2, 1)) == sorted(pairs)


def test_orders_differ_between_raters_and_seeds():
    orders = {tuple(order(ITEMS[:20], rater, seed)) for rater in RATERS for seed in (1, 2)}
    assert len(orders) == 24


def test_a_shuffle_favours_no_place():
    """A place among ten, over 2,000 raters: chi-squared with nine degrees of freedom, p > .001."""
    places = Counter(order(ITEMS[:10], f"rater {n}").index("i0") for n in range(2_000))
    assert sum((places[place] - 200) ** 2 / 200 for place in range(10)) < 27.9


def test_later_lots_follow_earlier_ones():
    lot = dict.fromkeys(ITEMS[:10], 0) | dict.fromkeys(ITEMS[10:20], 1)
    assert order(ITEMS[:20], "ana", 3, lot)[:10] == order(ITEMS[:10], "ana", 3)


@given(
    main=st.integers(0, 80), gold=st.integers(0, 20), rate=st.sampled_from([0, 0.05, 0.1, 0.5, 0.9])
)
def test_gold_comes_at_the_declared_rate_and_training_first(main, gold, rate):
    roles = {f"m{n}": "main" for n in range(main)} | {f"g{n}": "gold" for n in range(gold)}
    roles |= {"t1": "training", "t2": "training"}
    found = in_order(roles, "ana", 4, Mix(gold=rate))
    assert set(found[:2]) == {"t1", "t2"}
    rest = found[2:]
    assert [i for i in rest if i[0] == "m"] == order([i for i in roles if i[0] == "m"], "ana", 4)
    golden = [place for place, item in enumerate(rest) if item[0] == "g"]
    assert len(golden) <= gold
    for number, place in enumerate(golden):
        assert int(number / rate) <= place < int((number + 1) / rate)
    if rate and len(golden) < gold:
        assert len(rest) < int((len(golden) + 1) / rate)


@given(first=st.integers(0, 40), later=st.integers(0, 40))
def test_later_main_items_move_no_gold_item(first, later):
    gold = {f"g{n}": "gold" for n in range(9)}
    lot = {f"m{n}": 0 for n in range(first)} | {f"m{n}": 1 for n in range(first, first + later)}
    before = in_order({**{f"m{n}": "main" for n in range(first)}, **gold}, "ana", 1, Mix(0.2), lot)
    after = in_order(
        {**{f"m{n}": "main" for n in range(first + later)}, **gold}, "ana", 1, Mix(0.2), lot
    )
    shared = max((place + 1 for place, item in enumerate(before) if item[0] == "g"), default=0)
    assert after[:shared] == before[:shared]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: assign(["a"], ["x"], 2),
            "2 raters per item need at least 2 raters, and there are 1",
        ),
        (lambda: assign(["a"], ["x"], 0), "0 raters per item is not a plan"),
        (lambda: assign(["a", "a"], ["x"]), "item a is named twice"),
        (lambda: Mix(gold=1.0), "a gold rate of 1.0 is no share"),
        (lambda: sample({"a": {}}, 2), "a sample of 2 cannot be taken from 1 items. Use 1 to 1"),
        (lambda: sample({"a": {"x": "1"}}, 1, ["y"]), "items have no column y to sample by. Use"),
    ],
)
def test_a_plan_that_cannot_be_made_says_why(call, message):
    with pytest.raises(PlanError, match=message):
        call()


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    data=st.data(),
    seed=st.integers(0, 9),
)
def test_a_stratified_sample_is_proportional_and_knows_its_chances(sizes, data, seed):
    columns = {
        f"{stratum}-{n}": {"s": str(stratum)}
        for stratum, size in enumerate(sizes)
        for n in range(size)
    }
    n = data.draw(st.integers(1, len(columns)))
    taken = sample(columns, n, ["s"], seed)
    assert len(taken.items) == n
    assert list(taken.items) == [item for item in columns if item in set(taken.items)]
    for key, (there, chosen) in taken.strata.items():
        exact = n * there / len(columns)
        assert chosen <= there
        assert abs(chosen - exact) < 1 or chosen == 1 or n >= len(sizes)
        chances = {taken.chance[item] for item in taken.items if columns[item]["s"] == key[0]}
        assert chances <= {chosen / there}
    assert sum(1 / taken.chance[item] for item in taken.items) <= len(columns) + 1e-9
    assert sample(columns, n, ["s"], seed) == taken


def test_neuregs_sample_of_160_from_twelve_equal_strata():
    columns = {
        f"{shot}{kind}{n}": {"shot": shot, "kind": kind}
        for shot in "zof"
        for kind in "frci"
        for n in range(276)
    }
    counts = [chosen for _, chosen in sample(columns, 160, ["shot", "kind"], 1).strata.values()]
    assert sorted(counts) == [13] * 8 + [14] * 4


def test_every_item_is_as_likely_as_its_chance_says():
    """Of 4 from strata of 8 and 2: each of the first is in .375 of samples, of the other in .5."""
    columns = {f"a{n}": {"s": "a"} for n in range(8)} | {f"b{n}": {"s": "b"} for n in range(2)}
    seen: Counter[str] = Counter()
    for seed in range(2_000):
        taken = sample(columns, 4, ["s"], seed)
        seen.update(taken.items)
        assert {taken.chance[item] for item in taken.items if item[0] == "a"} == {3 / 8}
    assert all(abs(seen[f"a{n}"] / 2_000 - 0.375) < 0.04 for n in range(8))
    assert all(abs(seen[f"b{n}"] / 2_000 - 0.5) < 0.04 for n in range(2))


def test_a_sample_without_strata_is_drawn_from_all():
    taken = sample({item: {} for item in ITEMS}, 30, (), 2)
    assert set(taken.chance.values()) == {0.1}
    assert taken.to_dict() == {
        "n": 30,
        "of": 300,
        "seed": 2,
        "by": [],
        "strata": [{"items": 300, "taken": 30, "chance": 0.1}],
    }
