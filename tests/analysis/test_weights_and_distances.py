"""Weights and distances by their published formulas, in loops, and alpha made of them by hand."""

from fractions import Fraction
from itertools import permutations
from math import comb, pi, sin, sqrt

import numpy as np
import pytest

from raterbook.analysis import agreement, alpha, gwet, kappa
from raterbook.analysis.coefficients.tables import pairwise
from raterbook.analysis.older import alpha_gwet
from tests.analysis.test_rating_conventions import FOUR

SCALE = [1, 2, 4, 5, 9]
TABLE = [[1, 2, 4], [5, 5, 9], [9, 1, None], [2, 2, 2], [4, 9, 5], [1, None, 1], [None, 4, None]]


def weight(name, a, b, scale=SCALE):
    """Gwet, Handbook, 4th edition, chapter 3."""
    low, high, q = min(scale), max(scale), len(scale)
    i, j = scale.index(a), scale.index(b)
    if a == b:
        return 1.0
    return {
        "identity": lambda: 0.0,
        "linear": lambda: 1 - abs(a - b) / (high - low),
        "quadratic": lambda: 1 - (a - b) ** 2 / (high - low) ** 2,
        "radical": lambda: 1 - sqrt(abs(a - b) / (high - low)),
        "ordinal": lambda: 1 - comb(abs(i - j) + 1, 2) / comb(q, 2),
        "ratio": lambda: 1 - ((a - b) / (a + b)) ** 2 / ((high - low) / (high + low)) ** 2,
        "circular": lambda: 1 - _turn(a, b, low, high) / _widest(_turn, scale),
        "bipolar": lambda: 1 - _poles(a, b, low, high) / _widest(_poles, scale),
    }[name]()


def _turn(a, b, low, high):
    return sin(pi * (a - b) / (high - low + 1)) ** 2


def _poles(a, b, low, high):
    return (a - b) ** 2 / ((a + b - 2 * low) * (2 * high - a - b)) if a != b else 0.0


def _widest(distance, scale):
    return max(distance(a, b, min(scale), max(scale)) for a, b in permutations(scale, 2))


NAMES = ("identity", "linear", "quadratic", "radical", "ordinal", "ratio", "circular", "bipolar")


@pytest.mark.parametrize("name", NAMES)
def test_named_weights_are_those_of_the_handbook(name):
    matrix = [[weight(name, a, b) for b in SCALE] for a in SCALE]
    for compute in (
        lambda w: gwet(TABLE, w, scale=SCALE),
        lambda w: alpha_gwet(TABLE, w, scale=SCALE),
        lambda w: kappa(TABLE, "light", w, scale=SCALE),
        lambda w: kappa(TABLE, "fleiss", w, scale=SCALE),
        lambda w: agreement(TABLE, weights=w, scale=SCALE),
    ):
        assert compute(name).value == pytest.approx(compute(matrix).value, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "circular"])
def test_weights_are_the_same_whatever_unit_the_scale_is_in(name):
    """Circular ones are not: the way around is one step longer than the scale."""
    table = np.array(TABLE, dtype=float)
    found = gwet(table, weights=name, scale=SCALE, interval=None)
    hundredths = [value / 100 for value in SCALE]
    other = gwet(table / 100, weights=name, scale=hundredths, interval=None)
    assert other.value == pytest.approx(found.value)


def test_ac2_and_the_weighted_share_by_hand():
    pairs = [[1, 2, 4], [5, 5, 9], [9, 1], [2, 2, 2], [4, 9, 5], [1, 1]]
    for name in NAMES:
        agreed = np.mean(
            [np.mean([weight(name, a, b) for a, b in permutations(row, 2)]) for row in pairs]
        )
        found = agreement(TABLE, weights=name, scale=SCALE)
        assert found.value == pytest.approx(agreed)
        # Value shares count units rated once as well.
        use = [np.mean([row.count(v) / len(row) for row in [*pairs, [4]]]) for v in SCALE]
        total = sum(weight(name, a, b) for a in SCALE for b in SCALE)
        chance = total / (5 * 4) * sum(p * (1 - p) for p in use)
        expected = (agreed - chance) / (1 - chance)
        assert gwet(TABLE, name, scale=SCALE).value == pytest.approx(expected)


def by_hand(table, distance):
    """Alpha from its definition: pairs within units against pairs among all."""
    units = [[v for v in row if v is not None] for row in table]
    units = [row for row in units if len(row) > 1]
    everything = [v for row in units for v in row]
    n = len(everything)
    within = sum(
        sum(distance(a, b) for a, b in permutations(row, 2)) / (len(row) - 1) for row in units
    )
    between = sum(distance(a, b) for a, b in permutations(everything, 2)) / (n - 1)
    return 1 - within / between


DISTANCES = {
    "nominal": lambda a, b: a != b,
    "interval": lambda a, b: (a - b) ** 2,
    "absolute": lambda a, b: abs(a - b),
    "ratio": lambda a, b: ((a - b) / (a + b)) ** 2,
    "circular": lambda a, b: _turn(a, b, 1, 9),
    "bipolar": lambda a, b: _poles(a, b, 1, 9),
}


@pytest.mark.parametrize("level", DISTANCES)
def test_alpha_at_every_level_follows_its_definition(level):
    distance = DISTANCES[level]
    expected = by_hand(TABLE, distance)
    assert alpha(TABLE, level, scale=SCALE).value == pytest.approx(expected, abs=1e-12)
    assert alpha(TABLE, lambda a, b: float(distance(a, b)), scale=SCALE).value == pytest.approx(
        expected, abs=1e-12
    )


def test_ordinal_alpha_follows_its_definition():
    values = [v for row in TABLE if sum(x is not None for x in row) > 1 for v in row if v]
    n = {v: values.count(v) for v in SCALE}

    def distance(a, b):
        low, high = sorted((a, b))
        between = sum(n[v] for v in SCALE if low <= v <= high)
        return (between - (n[a] + n[b]) / 2) ** 2

    assert alpha(TABLE, "ordinal").value == pytest.approx(by_hand(TABLE, distance), abs=1e-12)


def test_ordinal_alpha_of_more_values_than_a_table_takes_follows_its_definition():
    """Some values come often and some once, and some units are rated once."""
    rng = np.random.default_rng(4)
    table = rng.integers(1, 60, (150, 1)) ** 2 + rng.integers(0, 9, (150, 2))
    table = [[a, b if i % 5 else None] for i, (a, b) in enumerate(table.tolist())]
    values = np.sort([v for row in table if None not in row for v in row])
    assert len(set(values)) > 100
    rank = {v: np.searchsorted(values, [v, v + 1]).mean() for v in values.tolist()}
    expected = by_hand(table, lambda a, b: (rank[a] - rank[b]) ** 2)
    assert alpha(table, "ordinal").value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", ["circular", "bipolar"])
def test_distances_between_ends_are_the_same_wherever_the_scale_lies(level):
    moved = [[None if v is None else v + 4 for v in row] for row in TABLE]
    here = alpha(TABLE, level, scale=SCALE).value
    assert alpha(moved, level, scale=[v + 4 for v in SCALE]).value == pytest.approx(here)


def test_bipolar_distances_are_the_same_in_small_steps():
    small = [[None if v is None else v / 100 for v in row] for row in TABLE]
    here = alpha(TABLE, "bipolar", scale=SCALE).value
    found = alpha(small, "bipolar", scale=[v / 100 for v in SCALE])
    assert found.value == pytest.approx(here)


SETS = [
    [frozenset("ab"), frozenset("a")],
    [frozenset("c"), frozenset("c")],
    [frozenset("abc"), frozenset("bcd")],
    [frozenset("b"), frozenset("c")],
    [frozenset(), frozenset("d")],
]


def jaccard(a, b):
    return float(1 - Fraction(len(a & b), len(a | b))) if a | b else 0.0


def masi(a, b):
    if a == b:
        return 0.0
    kept = Fraction(2, 3) if a <= b or b <= a else Fraction(1, 3) if a & b else 0
    return 1 - (1 - jaccard(a, b)) * float(kept)


@pytest.mark.parametrize(("level", "distance"), [("jaccard", jaccard), ("masi", masi)])
def test_sets_lie_apart_by_what_they_share(level, distance):
    assert alpha(SETS, level).value == pytest.approx(by_hand(SETS, distance), abs=1e-12)


@pytest.mark.parametrize(
    ("distance", "said"),
    [
        (lambda a, b: -1.0 if a != b else 0.0, "not negative"),
        (lambda a, b: float("nan"), "must be a finite number"),
        (lambda a, b: float(a > b), "symmetric"),
        (lambda a, b: 1.0, "0 from a value to itself"),
    ],
)
def test_a_distance_that_is_none_is_refused(distance, said):
    with pytest.raises(ValueError, match=said):
        alpha(TABLE, distance)


@pytest.mark.parametrize(
    ("weights", "scale", "said"),
    [
        ([[1, 0], [0, 1]], SCALE, r"weights are \(2, 2\), the scale has 5 values: give 5 × 5"),
        (np.full((5, 5), np.nan), SCALE, "must be finite"),
        ("ratio", [-1, 1, 2, 4, 5, 9], "not negative"),
        ("ratio", [-9, *SCALE], "not negative"),
        ("cubic", SCALE, "choose identity, linear, quadratic, ordinal, radical, ratio, circular"),
    ],
)
def test_weights_that_fit_nothing_are_refused(weights, scale, said):
    with pytest.raises(ValueError, match=said):
        gwet(TABLE, weights, scale=scale)


def test_ratio_weights_allow_a_zero():
    found = gwet([[0, 1], [1, 1], [0, 0]], "ratio", scale=[0, 1, 2])
    # (0 − 1)/(0 + 1) is as far apart as 0 and 2 are: no partial agreement.
    near = [[1, 0, 0], [0, 1, 1 - (1 / 3) ** 2], [0, 1 - (1 / 3) ** 2, 1]]
    assert found.value == pytest.approx(gwet([[0, 1], [1, 1], [0, 0]], near, scale=[0, 1, 2]).value)


def test_one_value_needs_no_weights():
    assert gwet([[3, 3], [3, 3]], "linear", scale=[3]).value is None
    assert kappa([[3, 3], [3, 3]], "fleiss", "quadratic").reason == "no_variation"


def test_within_counts_steps_of_the_numbers():
    assert agreement([[1, 2], [1, 3], [2, 2]], 1).value == pytest.approx(2 / 3)
    assert agreement([[1, 2], [1, 3], [2, 2]], 2).value == 1
    assert agreement([[1, 1.5], [1, 3]], 0.5).value == 0.5
    assert agreement([[1, 2], [1, 3], [2, 2]], 1).statistic == "percent_within_one"
    assert agreement([[1, 2], [1, 3], [2, 2]], 2).statistic == "percent_agreement"
    with pytest.raises(ValueError, match="within=-1"):
        agreement(TABLE, -1)


def test_pairs_of_raters_are_what_they_are_alone():
    for statistic, more, alone in (
        ("kappa", {"weights": "linear"}, lambda t: kappa(t, "cohen", "linear", scale=SCALE)),
        ("alpha", {"level": "ordinal"}, lambda t: alpha(t, "ordinal", scale=SCALE)),
        ("percent_agreement", {"within": 1}, lambda t: agreement(t, 1, scale=SCALE)),
    ):
        found = pairwise(TABLE, statistic, scale=SCALE, **more)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            two = [[row[i], row[j]] for row in TABLE]
            assert found.loc[i, j] == found.loc[j, i] == pytest.approx(alone(two).value)
            met = sum(None not in row for row in two)
            assert found.attrs["n"].loc[i, j] == found.attrs["n"].loc[j, i] == met
        assert np.isnan(np.diag(found)).all()
        assert not np.diag(found.attrs["n"]).any()
    with pytest.raises(ValueError, match="'kapa': choose kappa, alpha or percent_agreement"):
        pairwise(TABLE, "kapa")
    lone = pairwise([[1, None, 1], [None, 2, 2]], "percent_agreement")
    assert np.isnan(lone.loc[0, 1])


def test_more_values_than_weights_can_hold_are_refused_and_one_fewer_is_not():
    scores = np.arange(2002.0).reshape(-1, 2)
    with pytest.raises(ValueError, match="2,002 different values"):
        agreement(scores, interval=None)
    with pytest.raises(ValueError, match="2,002 different values: level 'ratio'"):
        alpha(scores, "ratio", interval=None)
    with pytest.raises(ValueError, match="2,002 different values: round them"):
        agreement(scores, 0.5, interval=None)
    assert agreement(scores[:1000], interval=None).value == 0
    assert alpha(FOUR, "interval").value is not None
