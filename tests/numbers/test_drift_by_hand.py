"""Drift's tests of chance on tables that fit on the screen: every arrangement counted."""

from itertools import combinations, permutations, product

import numpy as np
import pytest

from raterbook.numbers.compare.drift import (
    DRIFTED,
    NOISE,
    SAME,
    UNKNOWN,
    Arrangements,
    Changed,
    Drift,
    anchors_of,
    shared_models,
)
from raterbook.rounds import RoundError
from tests.reporting.rounds import asking, opened, scale

NAN = np.nan
RNG = np.random.default_rng(1)
# Two replicates before, two now; items of three clusters.
TWICE = np.array([[3, 3, 4, 5], [2, NAN, 2, 4], [4, 4, 5, 5], [1, 2, 2, 2], [5, 5, 5, 4.0]])
CLUSTER = np.array([0, 0, 1, 1, 2])


def apart(a, b, scored):
    return abs(a - b) if scored else float(a != b)


def gap(table, dealt, scored):
    """The mean distance between the rounds less that within; `dealt` says which come first."""
    between, within = [], []
    for row, first in zip(table, dealt, strict=True):
        for a, b in combinations(range(len(row)), 2):
            if np.isfinite([row[a], row[b]]).all():
                where = between if (a in first) != (b in first) else within
                where.append(apart(row[a], row[b], scored))
    return np.mean(between), np.mean(within)


@pytest.mark.parametrize("scored", [True, False])
def test_beyond_noise_is_the_share_of_all_ways_to_deal_that_lie_as_far_apart(scored):
    test = Arrangements(TWICE, (2, 2), CLUSTER, scored)
    here = gap(TWICE, [(0, 1)] * 5, scored)
    assert (test.between, test.within) == pytest.approx(here)
    ways = list(combinations(range(4), 2))
    every = []
    for deal in product(ways, repeat=3):
        between, within = gap(TWICE, [deal[c] for c in CLUSTER], scored)
        every.append(between - within)
    far = np.mean(np.array(every) >= here[0] - here[1] - 1e-9)
    p, can_tell = test.beyond_noise(RNG)
    assert p == pytest.approx(far)
    # Item 5 looks the same however it is dealt, so there are 36 ways, and 40 would be enough.
    assert not can_tell


def test_where_answers_are_missing_each_way_to_deal_has_as_many_pairs_as_it_leaves():
    table = np.array([[NAN, 3, NAN, 5], [1, NAN, 4, NAN], [3, 1, 1, 5.0]])
    ways = list(combinations(range(4), 2))
    every = [np.subtract(*gap(table, deal, True)) for deal in product(ways, repeat=3)]
    far = np.mean(np.array(every) >= every[0] - 1e-9)
    p, _ = Arrangements(table, (2, 2), np.arange(3), True).beyond_noise(RNG)
    assert p == pytest.approx(far)


def test_a_round_that_was_answered_once_has_its_noise_from_the_other():
    test = Arrangements(TWICE[:, :3], (2, 1), CLUSTER, True)
    here = gap(TWICE[:, :3], [(0, 1)] * 5, True)
    assert (test.between, test.within) == pytest.approx(here)
    every = [
        np.subtract(*gap(TWICE[:, :3], [deal[c] for c in CLUSTER], True))
        for deal in product(combinations(range(3), 2), repeat=3)
    ]
    p, _ = test.beyond_noise(RNG)
    assert p == pytest.approx(np.mean(np.array(every) >= here[0] - here[1] - 1e-9))


def test_in_one_direction_is_the_share_of_all_exchanges_that_move_as_far():
    before, now = np.array([3, 2, 4, 1, 5, 2.0]), np.array([4, 2, 5, 3, 4, 3.0])
    cluster = np.array([0, 0, 1, 2, 3, 4])
    test = Arrangements(np.column_stack([before, now]), (1, 1), cluster, True)
    assert (test.within, test.between) == (None, pytest.approx(np.abs(now - before).mean()))
    moved = np.bincount(cluster, now - before)
    far = [abs(np.dot(signs, moved)) >= abs(moved.sum()) for signs in product((1, -1), repeat=5)]
    assert test.in_one_direction(RNG) == (pytest.approx(np.mean(far)), False)


def test_of_labels_each_label_moves_in_a_direction_of_its_own():
    before, now = np.array([0, 0, 0, 1, 1, 2.0, 2]), np.array([1, 1, 1, 1, 0, 2.0, 1])
    test = Arrangements(np.column_stack([before, now]), (1, 1), np.arange(7), False)
    assert test.between == pytest.approx(5 / 7)
    moved = (now[:, None] == [0, 1, 2]).astype(float) - (before[:, None] == [0, 1, 2])
    moved = moved[np.abs(moved).any(axis=1)]
    spread = (moved**2).sum(axis=0)

    def far(signs):
        return ((np.array(signs) @ moved) ** 2 / spread).sum()

    here = far([1] * 5)
    p = np.mean([far(signs) >= here - 1e-9 for signs in product((1, -1), repeat=5)])
    assert test.in_one_direction(RNG) == (pytest.approx(p), False)


@pytest.mark.parametrize(("items", "p", "can_tell"), [(5, 2 / 32, False), (6, 2 / 64, True)])
def test_six_clusters_that_all_moved_one_way_can_tell_and_five_cannot(items, p, can_tell):
    table = np.column_stack([np.full(items, 3.0), np.full(items, 4.0)])
    found = Arrangements(table, (1, 1), np.arange(items), True).in_one_direction(RNG)
    assert found == (pytest.approx(p), can_tell)
    still = Arrangements(table[:, [0, 0]], (1, 1), np.arange(items), True)
    assert still.in_one_direction(RNG) == (1.0, False)


def test_more_arrangements_than_are_counted_are_drawn_and_the_one_that_is_stands_among_them():
    table = np.column_stack([np.full(40, 3.0), np.full(40, 4.0)])
    p, can_tell = Arrangements(table, (1, 1), np.arange(40), True).in_one_direction(RNG)
    assert (p, can_tell) == (pytest.approx(1 / 10_000), True)


def test_of_more_ways_to_deal_than_are_tried_some_are_drawn_beside_the_one_that_is():
    """Ten replicates have 252 ways; one that is told by all clusters is told by those drawn."""
    moved = np.array([[3.0] * 5 + [4.0] * 5] * 3)
    p, can_tell = Arrangements(moved, (5, 5), np.arange(3), True).beyond_noise(RNG)
    assert (p, can_tell) == (pytest.approx(1 / 10_000, abs=2e-4), True)
    one = Arrangements(moved[:1], (5, 5), np.zeros(1, dtype=int), True)
    # Two of 252 ways lie as far apart: the one that is, and its mirror where it is among the 200.
    assert one.beyond_noise(RNG)[0] in (1 / 200, 2 / 200)
    still = np.array([[3.0, 4.0] * 5] * 3)
    assert Arrangements(still, (5, 5), np.arange(3), True).beyond_noise(RNG)[0] > 0.3


def drifted(**given):
    usual = {
        "model": "gauge", "question": "tone", "n_items": 8, "n_clusters": 4, "replicates": (2, 2),
        "changed": (), "between": 0.5, "within": 0.25, "shift": None, "p": 0.2, "can_tell": True,
        "p_corrected": 0.2,
    }  # fmt: skip
    return Drift(**(usual | given))


ONE = (Changed("i1", "3", "4"),)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({"p_corrected": 0.05}, DRIFTED),
        ({"p_corrected": 0.051, "changed": ONE}, NOISE),
        ({"p_corrected": None, "changed": ONE}, NOISE),
        ({"changed": ONE, "can_tell": False}, UNKNOWN),
        ({"changed": ONE, "within": None}, UNKNOWN),
        ({"within": None}, SAME),
        ({"between": 0.0, "within": 0.0}, SAME),
        ({"between": 0.5}, NOISE),
    ],
)
def test_the_verdict_is_that_of_p_of_what_changed_and_of_its_noise(given, verdict):
    assert drifted(**given).verdict == verdict


def test_the_sentence_says_how_far_which_way_how_sure_and_names_five_items():
    many = tuple(Changed(f"i{n}", "3", "4") for n in range(7))
    said = drifted(changed=many, shift=-0.256, p_corrected=0.0004).sentence
    assert said == (
        "gauge on tone: 7 of 8 answers changed; apart by 0.50, where its own replicates are by "
        "0.25; on average −0.26 (p under 0.001): it drifted. Changed: i0 (3 → 4), i1 (3 → 4), "
        "i2 (3 → 4), i3 (3 → 4), i4 (3 → 4) and 2 more."
    )
    said = drifted(changed=many[:5], shift=0.004, p_corrected=0.001).sentence
    assert said.endswith("by 0.25 (p 0.001): it drifted. Changed: i0 (3 → 4), i1 (3 → 4), "
                         "i2 (3 → 4), i3 (3 → 4), i4 (3 → 4).")  # fmt: skip


def test_names_of_clusters_and_their_order_change_no_p():
    found = set()
    for order in permutations(range(3)):
        test = Arrangements(TWICE, (2, 2), np.array(order)[CLUSTER], True)
        found.add(round(test.beyond_noise(np.random.default_rng(3))[0], 12))
    assert len(found) == 1


@pytest.mark.parametrize(("many", "end"), [(5, "i4 (a → b)."), (6, "i4 (a → b) and 1 more.")])
def test_five_changed_answers_are_named_and_further_ones_counted(many, end):
    changed = tuple(Changed(f"i{n}", "a", "b") for n in range(many))
    found = Drift("gauge", "tone", 9, 9, (1, 1), changed, 0.5, None, None, 0.5, True)
    assert found.sentence.endswith(end)


def test_which_models_answered_in_both_rounds_is_said_as_far_as_it_fits_a_line(tmp_path):
    text = asking({"s": scale(3)})
    rounds = {
        first: opened(tmp_path, text=text, items=[{"id": "i0", "text": "…"}]) for first in "ghi"
    }
    for first, there in zip("ghi", ("gx", "hx", "h"), strict=True):
        for name in [f"{letter}{at}" for letter in there for at in range(10)]:
            rounds[first].add_rater(name, kind="model")
    nine = ", ".join(f"x{at}" for at in range(9))
    with pytest.raises(RoundError, match=f"'g0' did not answer in both rounds: choose {nine} and"):
        shared_models(rounds["g"], rounds["h"], ["g0"])
    assert shared_models(rounds["g"], rounds["h"], []) == [f"x{at}" for at in range(10)]
    with pytest.raises(RoundError, match=r"\(g0, g1, g2, g3, g4 and .*\(h0, h1, h2, h3, h4 and "):
        shared_models(rounds["g"], rounds["i"], [])


@pytest.mark.parametrize(
    ("many", "said"),
    [
        (1, "1 item reads otherwise now, left out: i0."),
        (2, "2 items read otherwise now, left out: i0, i1."),
        (6, "6 items read otherwise now, left out: i0, i1, i2, i3, i4 and 1 more."),
    ],
)
def test_items_that_read_otherwise_now_are_named_as_far_as_it_fits_a_line(tmp_path, many, said):
    now, before = (
        opened(tmp_path, text=asking({"s": scale(3)}),
               items=[{"id": f"i{at}", "text": "New." if at < new else "Old."} for at in range(7)])
        for new in (many, 0)
    )  # fmt: skip
    kept, notes = anchors_of(now, before)
    assert said in notes
    assert kept == {f"i{at}" for at in range(many, 7)}
