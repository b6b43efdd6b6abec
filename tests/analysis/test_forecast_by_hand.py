"""What a forecast is made of, counted one pair at a time, and what it makes of it."""

from collections import defaultdict
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import t as student

from raterbook.analysis import Interval, Ratings, kappa, mean
from raterbook.analysis.assumption import assumed
from raterbook.analysis.coefficients.tables import coefficient
from raterbook.analysis.forecast import (
    Components,
    Design,
    forecast,
    of_numbers,
    width_of,
)
from raterbook.analysis.intervals.resampling import LOGIT, PLAIN

NAN = np.nan
GAPS = [[1, 2, NAN, 2], [4, 5, 4, NAN], [2, NAN, NAN, 2], [5, 3, 4, 4], [NAN, 1, 1, 3],
        [3, 3, 5, 4], [2, 2, 4, NAN]]  # fmt: skip
FULL = [[1, 2, 1, 2], [4, 5, 2, 4], [2, 2, 1, 2], [5, 4, 2, 4], [3, 2, 1, 3], [3, 5, 3, 4]]


def given(table):
    """Rater → value of each unit."""
    return [{j: v for j, v in enumerate(row) if v == v} for row in table]


def test_of_a_mean_they_are_products_of_two_answers_to_a_unit():
    found = of_numbers(np.array(GAPS))
    units = given(GAPS)
    middle = np.mean([v for unit in units for v in unit.values()])
    square = [(v - middle) ** 2 for unit in units for v in unit.values()]
    cross = [(v - middle) * (w - middle) for unit in units for v, w in
             permutations(unit.values(), 2)]  # fmt: skip
    n = len(units)
    assert found.same == pytest.approx(n / (n - 1) * np.mean(square))
    assert found.apart == pytest.approx(n / (n - 1) * np.mean(cross))
    assert found.value == pytest.approx(middle)
    assert (found.units, found.n_raters, found.between) == (n, 4, 0)
    assert found.per_unit == pytest.approx(np.mean([len(unit) for unit in units]))


def test_of_agreement_they_are_products_of_two_pairs_by_how_many_raters_they_share():
    found = forecast(GAPS, "percent_agreement")
    units = [
        {pair: float(unit[pair[0]] == unit[pair[1]]) for pair in combinations(sorted(unit), 2)}
        for unit in given(GAPS)
    ]
    value = np.mean([np.mean(list(unit.values())) for unit in units])
    products = defaultdict(list)
    for unit in units:
        for (one, a), (other, b) in permutations(unit.items(), 2):
            products[len({*one} & {*other})].append((a - value) * (b - value))
        products[2] += [(a - value) ** 2 for a in unit.values()]
    n = len(units)
    assert found.value == pytest.approx(value)
    for name, shared in (("same", 2), ("sharing", 1), ("apart", 0)):
        expected = n / (n - 1) * np.mean(products[shared])
        assert getattr(found, name) == pytest.approx(expected, rel=1e-6), name


@pytest.mark.parametrize("raters", [[1, 2], [0, 1, 2, 3]])
def test_where_all_rate_all_what_sets_raters_apart_is_kept_for_those_who_take_turns(raters):
    x = np.array(FULL, dtype=float)[:, raters]
    n, r = x.shape
    found = of_numbers(x)
    left = x - x.mean(axis=0)
    assert found.same == pytest.approx(n / (n - 1) * (left**2).mean())
    between = x.mean(axis=0).var(ddof=1) - left.var() / n
    assert found.between == pytest.approx(between)
    assert found.spread(r, r) == pytest.approx(left.mean(axis=1).var(ddof=1))
    turns = between * (1 / 2 - 1 / r)
    of_two = found.apart + (found.same - found.apart) / 2
    assert found.spread(2, r) == pytest.approx(of_two + turns)


def test_units_of_a_cluster_are_as_alike_as_their_products_say():
    x, clusters = np.array(FULL, dtype=float), np.array([7, 3, 7, 3, 7, 5])
    found = of_numbers(x, clusters)
    own = x.mean(axis=1) - x.mean()
    pairs = [own[u] * own[v] for u, v in permutations(range(6), 2) if clusters[u] == clusters[v]]
    sums = [own[clusters == name].sum() for name in (3, 5, 7)]
    assert found.along == pytest.approx(np.mean(pairs) + np.square(sums).sum() / 6**2)
    assert (found.size, found.unequal) == (2, pytest.approx((9 + 4 + 1) / 6))
    effect = 1 + (found.unequal - 1) * found.along / found.spread(4, 4)
    assert found.design_effect(Design(50, 4, 4)) == pytest.approx(effect)
    of_five = 1 + 4 * found.along / found.spread(4, 4)
    assert found.design_effect(Design(50, 4, 4, 5)) == pytest.approx(of_five)


def test_units_of_a_cluster_with_gaps_are_as_alike_as_their_means_say():
    clusters = np.array([7, 3, 7, 3, 7, 5, 5])
    found = of_numbers(np.array(GAPS), clusters)
    middle = np.nanmean(GAPS)
    own = np.nanmean(np.array(GAPS) - middle, axis=1)
    sums = np.array([(own - own.mean())[clusters == name].sum() for name in (3, 5, 7)])
    within = 2 + 2 + 6
    expected = ((sums**2).sum() - (own**2).sum()) / within + (sums**2).sum() / 7**2
    assert found.along == pytest.approx(expected)


@pytest.mark.parametrize(("size", "effect"), [(1, 1.0), (2, 0.8), (3, 0.6), (9, 0.6)])
def test_units_less_alike_than_strangers_are_so_by_chance_and_no_more_so_in_larger_clusters(
    size, effect
):
    """−.2 for each pair, in a pilot of clusters of three."""
    made = Components("mean", 3.0, PLAIN, False, same=1.0, apart=1.0, along=-0.2, unequal=3.0)
    assert made.design_effect(Design(60, 2, 2, size)) == pytest.approx(effect)
    assert made.design_effect(Design(60, 2, 2)) == pytest.approx(0.6)
    least = replace(made, along=-0.9)
    assert least.design_effect(Design(60, 2, 2)) == pytest.approx(1 / 6)
    alike = replace(made, along=0.2)
    assert alike.design_effect(Design(60, 2, 2, size)) == pytest.approx(1 + 0.2 * (size - 1))


@pytest.mark.parametrize(("ratings", "raters"), [(2, 2), (3, 5), (4, 4), (5, 9)])
def test_a_unit_varies_as_the_mean_of_its_pairs_does(ratings, raters):
    """By the table of how any two pairs of these raters vary together."""
    shared = {2: 1.0, 1: 0.4, 0: 0.15}
    made = Components("alpha", 0.5, PLAIN, True, same=1.0, sharing=0.4, apart=0.15, between=0.3)
    pairs = list(combinations(range(ratings), 2))
    table = [[shared[len({*a} & {*b})] for b in pairs] for a in pairs]
    turns = 0.3 * (1 / len(pairs) - 2 / (raters * (raters - 1)))
    assert made.spread(ratings, raters) == pytest.approx(np.mean(table) + turns)
    unknown = Components("alpha", 0.5, PLAIN, True, same=1.0)
    assert unknown.spread(ratings, raters) == pytest.approx(1.0)


def test_ratings_that_pull_against_one_another_leave_a_quarter_at_least():
    made = Components("alpha", 0.5, PLAIN, True, same=1.0, sharing=-0.9, apart=0.0)
    assert made.spread(3, 3) == pytest.approx(1 / 12)
    assert np.isnan(made.spread(1, 3))
    units = Components("mean", 3.0, PLAIN, False, same=1.0, apart=-0.9)
    assert units.spread(2, 2) == pytest.approx(1 / 8)


MADE = {"same": 1.2, "apart": 0.5, "raters": 0.6, "twice": 0.8, "rest": 0.3, "bent": 6.0}


def test_both_ends_are_cochrans_with_each_part_at_its_new_size():
    made = Components("mean", 3.0, PLAIN, False, **MADE, units=60, n_raters=5, per_unit=5)
    found = made.at(Design(100, 4, 2), 0.9)
    of_units = (0.5 + 0.7 / 2) / 100 * (1 + 6 / 100)
    reach = student.ppf(0.95, 99) * of_units**0.5
    assert (found.low, found.high) == pytest.approx((3 - reach, 3 + reach))
    u, v = of_units - 0.8 / 200 / 2, 0.6 / 4 + 0.3 / 200
    reach = (student.ppf(0.95, 99) * u + student.ppf(0.95, 3) * v) / (u + v) ** 0.5
    assert (found.low_like, found.high_like) == pytest.approx((3 - reach, 3 + reach))
    assert (found.n_units, found.n_raters, found.n_ratings, found.df) == (100, 4, 200, 99)
    assert width_of(found, like=True) == pytest.approx(2 * reach)


def test_a_share_s_width_is_made_on_the_logit_and_two_raters_speak_of_themselves():
    made = Components("proportion", 0.2, LOGIT, False, same=0.16, raters=0.6)
    found = made.at(Design(50, 2, 2))
    reach = student.ppf(0.975, 49) * (0.16 / 50) ** 0.5 / 0.16
    here = np.log(0.2 / 0.8)
    ends = 1 / (1 + np.exp([-(here - reach), -(here + reach)]))
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert (found.low_like, found.high_like) == (None, None)


def test_degrees_of_freedom_are_those_of_the_clusters_that_carry_the_number():
    made = Components("mean", 3.0, PLAIN, False, same=1.0, shown=0.25, size=2.0, unequal=2.0)
    assert made.at(Design(80, 2, 2)).df == pytest.approx(10)  # a quarter of forty
    assert made.at(Design(80, 2, 2, 4)).df == pytest.approx(5)
    assert made.at(Design(8, 2, 2)).df == 1
    assert made.at(Design(4, 2, 2)).reason == "too_few_units_for_interval"
    assert made.at(Design(6, 2, 2)).reason is None


def test_a_few_units_that_carry_all_are_seen_in_what_the_pilot_shows():
    x = np.array([[3.0]] * 18 + [[9.0], [-3.0]])
    found = of_numbers(x)
    # Two of twenty carry the variance: 2² − 1 degrees of freedom.
    assert found.shown == pytest.approx(3 / 20)
    # Without any of eighteen the variance is 72 / 18, which two of 19 carry; without one of the
    # two 34.11 / 18, where a fifth of it lies in the others. Their t comes from what they show.
    parts = found.without()
    assert [round(part.same, 4) for part in parts] == [4.0] * 18 + [1.8947] * 2
    logs = [np.log(width_of(part.at(Design(40, 1, 1)))) for part in parts]
    assert found.doubt(Design(40, 1, 1)) == pytest.approx(19 * np.var(logs))
    # Of more units each of twenty parts is left out in turn.
    of_more = of_numbers(np.arange(41.0)[:, None]).without()
    assert [part.units for part in of_more] == [38] + [39] * 19
    even = of_numbers(np.array([[2.0], [4.0]] * 10))
    assert (even.shown, even.doubt(Design(40, 1, 1))) == (np.inf, pytest.approx(0))


@pytest.mark.parametrize("name", ["mean", "alpha_ordinal", "alpha_nominal", "ac1"])
def test_at_its_own_size_a_whole_table_has_the_interval_that_is_counted(name):
    rng = np.random.default_rng(5)
    seen = rng.normal(size=(90, 1)) + 0.8 * rng.normal(size=(90, 4)) + [0.3, -0.2, 0, 0.1]
    ratings = Ratings(np.clip(np.round(3 + seen), 1, 5).astype(int), scale=[1, 2, 3, 4, 5])
    own = mean(ratings) if name == "mean" else coefficient(name, ratings, Interval())
    planned = forecast(ratings, name).at(Design(90, 4, 4))
    assert planned.df == pytest.approx(own.df)
    ends = own.low, own.high, own.low_like, own.high_like
    assert (planned.low, planned.high, planned.low_like, planned.high_like) == pytest.approx(
        ends, rel=2e-3
    )


@pytest.mark.parametrize("name", ["units", "raters", "per_unit", "cluster_size"])
def test_nothing_of_a_design_is_below_one(name):
    least = {"units": 1, "raters": 1, "per_unit": 1, "cluster_size": 1}
    assert Design(**least).units == 1
    with pytest.raises(ValueError, match=f"{name}=0.5: at least 1"):
        Design(**(least | {"raters": 2, name: 0.5}))
    with pytest.raises(ValueError, match=f"{name}=inf: at least 1"):
        Design(**(least | {"raters": 2, name: np.inf}))


def test_what_sets_raters_apart_is_their_component_of_variance():
    """The mean square of raters less that of what is left, by the units."""
    x = np.array(FULL, dtype=float)
    n, r = x.shape
    rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    left = (rest**2).sum() / ((n - 1) * (r - 1))
    found = of_numbers(x)
    assert found.raters == pytest.approx(x.mean(axis=0).var(ddof=1) - left / n)


@pytest.mark.parametrize(("raters", "known"), [(2, False), (3, True)])
@pytest.mark.parametrize("name", ["mean", "alpha_nominal"])
def test_from_three_raters_on_a_pilot_speaks_of_raters_like_these(name, raters, known):
    found = forecast([row[:raters] for row in FULL], name).at(Design(60, 4, 2))
    assert (found.low is not None, found.low_like is not None) == (True, known)


def test_how_small_the_numbers_are_changes_no_share_of_the_width():
    large, small = (of_numbers(np.array(GAPS) * by) for by in (1.0, 1e-9))
    assert small.reason is None
    assert small.same * 1e18 == pytest.approx(large.same)


def test_shares_are_taken_by_how_they_stand_to_one_another():
    one, other = (assumed("alpha_nominal", 0.6, shares) for shares in ([3, 1], [0.75, 0.25]))
    assert one.same == pytest.approx(other.same)


def test_what_is_assumed_of_raters_says_nothing_of_how_they_differ():
    found = assumed("alpha_nominal", 0.6, [0.5, 0.5]).at(Design(100, 4, 2))
    assert (found.low is not None, found.low_like) == (True, None)


@pytest.mark.parametrize("alike", [-0.1, 1.5])
def test_units_are_alike_by_a_share(alike):
    with pytest.raises(ValueError, match="between 0 and 1"):
        assumed("alpha_nominal", 0.6, [0.5, 0.5], alike=alike)


@pytest.mark.parametrize("raters", [2, 3])
def test_a_kappa_of_pairs_is_forecast_as_wide_as_it_is(raters):
    rng = np.random.default_rng(9)
    table = rng.integers(1, 4, (200, 1)) % 3 + (rng.random((200, raters)) < 0.2)
    found = kappa(table, interval=Interval("jackknife"))
    planned = forecast(table, "kappa_cohen" if raters == 2 else "kappa_raters")
    expected = planned.at(Design(200, raters, raters))
    assert width_of(expected) == pytest.approx(width_of(found), rel=0.05)


FEW = [[1, 1], [2, 2], [3, 3], [1, 2], [2, 2], [3, 1], [1, 1], [2, 3], [3, 3], [1, 1]]


def test_how_far_a_unit_moves_a_kappa_is_seen_by_leaving_it_out():
    n = len(FEW)
    without = [kappa([*FEW[:at], *FEW[at + 1 :]], interval=None).value for at in range(n)]
    found = forecast(FEW, "kappa_cohen")
    assert found.same == pytest.approx(np.var((n - 1) * np.array(without)) * n / (n - 1))
    planned, own = found.at(Design(n, 2, 2)), kappa(FEW)
    assert (planned.low, planned.high) == pytest.approx((own.low, own.high))
