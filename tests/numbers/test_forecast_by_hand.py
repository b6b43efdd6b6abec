"""A plan's sizes, costs and ranges, by hand."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from raterbook.analysis.estimate import Estimate
from raterbook.analysis.forecast import Components, Design, of_numbers
from raterbook.analysis.intervals.resampling import PLAIN
from raterbook.numbers.counted import Board
from raterbook.numbers.forecast import (
    Cost,
    Forecast,
    Outlook,
    Size,
    assumption,
    choose,
    leading,
    outlooks,
    pilot_of,
    sizes_of,
    smallest,
    twice_first,
)
from raterbook.rounds import RoundError


def outlook(same=1.0, per_item=1.0, doubt=0.0, name="mean", **more):
    # Of three parts, one that shows more and one that shows less; widths are roots of variances.
    off = math.exp(2 * math.sqrt(doubt * 3 / 4))
    parts = tuple(Components(name, 3.0, PLAIN, False, same=each) for each in (off, 1.0, 1 / off))
    made = Components(name, 3.0, PLAIN, False, same=same, without=lambda: parts, **more)
    return Outlook(name, "tone", None, made, per_item)


HERE = (Size(40, 2, 2),)


def plan(*numbers, sizes=HERE, width=None, cost=None):
    return Forecast("r1", numbers, tuple(sizes), sizes[0], cost or Cost(), 0.95, width)


def test_a_number_of_sentences_has_as_many_units_an_item_as_the_pilot():
    each = outlook(per_item=2.5)
    assert each.design(Size(40, 3, 2)) == Design(100.0, 3, 2, None)
    assert each.design(Size(40, 3, 2, 4)) == Design(100.0, 3, 2, 10.0)
    rare = outlook(per_item=0.1)
    assert rare.design(Size(4, 3, 2, 4)) == Design(1.0, 3, 2, 1.0)
    units = each.components.needed(0.3, Design(100.0, 3, 2))
    assert each.items(0.3, Size(40, 3, 2), 0.95) == math.ceil(units / 2.5)
    assert rare.items(0.3, Size(40, 3, 2), 0.95) == units * 10


def test_two_standard_errors_of_the_pilot_s_own_variance_bound_the_items():
    size = Size(100, 2, 2)
    assert outlook(doubt=0.01).between(size) == (
        math.floor(100 / math.exp(0.4)), math.ceil(100 * math.exp(0.4))
    )  # fmt: skip
    assert outlook().between(size) == (100, 100)


def test_the_width_has_two_standard_errors_of_its_own():
    each, size = outlook(doubt=0.01), Size(100, 2, 2)
    found = each.at(size, 0.95)
    low, high = each.widths(size, 0.95)
    assert math.sqrt(low * high) == pytest.approx(found.high - found.low)
    assert high / low == pytest.approx(math.exp(0.4))
    assert (
        dataclasses.replace(
            each, components=dataclasses.replace(each.components, without=None)
        ).widths(size, 0.95)
        is None
    )


def test_hours_are_of_all_ratings_and_money_of_all_items():
    cost = Cost(seconds=90.0, money=0.02, models=("gauge",))
    assert cost.hours(Size(40, 3, 2)) == 2.0
    assert cost.dollars(Size(40, 3, 2)) == 0.8
    assert (Cost().hours(Size(4, 1, 1)), Cost().dollars(Size(4, 1, 1))) == (None, None)
    priced = plan(outlook(), cost=cost).priced({"zoom": 0.5, "gauge": 0.25})
    assert (priced.cost.money, priced.cost.models) == (0.75, ("gauge", "zoom"))
    assert priced.cost.seconds == 90.0


def test_a_row_has_the_width_of_both_scopes_and_what_it_costs():
    each = outlook(raters=0.6, size=2.0, unequal=3.0, along=0.5)
    cost = Cost(seconds=36.0, money=0.01)
    row = plan(each, sizes=[Size(50, 4, 2, 5)], cost=cost).frame().iloc[0]
    found = each.at(Size(50, 4, 2, 5), 0.95)
    assert row["width"] == pytest.approx(found.high - found.low)
    assert row["width_like"] == pytest.approx(found.high_like - found.low_like)
    assert row["design_effect"] == pytest.approx(1 + 4 * 0.5 / 1.0)
    assert (row["hours"], row["money"], row["finds"]) == (1.0, 0.5, None)
    assert (row["items"], row["raters"], row["per_item"], row["cluster_size"]) == (50, 4, 2, 5)


def test_the_smallest_difference_adds_what_power_needs_to_half_of_the_width():
    found = Estimate(0.1, -0.3, 0.5, df=24.0, coverage=0.9)
    power = student.ppf(0.8, 24) / student.ppf(0.95, 24)
    assert smallest(found) == pytest.approx(0.4 * (1 + power))
    assert smallest(Estimate(0.1)) is None
    assert smallest(Estimate(0.1, -0.3, 0.5)) is None
    assert smallest(Estimate(0.1, df=24.0)) is None


def test_the_number_that_needs_most_items_leads_and_what_cannot_be_told_is_left_out():
    wide, narrow = outlook(same=4.0), outlook(same=1.0, name="proportion")
    none = outlook(name="alpha_nominal", reason="no_variation")
    found = plan(narrow, wide, none, width=0.5)
    size = Size(40, 2, 2)
    assert found.known(size) == [narrow, wide]
    assert found.needed(0.5, size) == (wide, wide.items(0.5, size, 0.95))
    endless = outlook(same=1e9)
    assert plan(narrow, endless, wide).needed(0.05, size) == (endless, None)


def test_of_the_designs_asked_for_the_one_of_fewest_ratings_is_advised():
    # A second rating of an item tells little here, and much where raters hardly agree.
    alike = outlook(same=1.0, apart=0.9)
    noisy = outlook(same=1.0, apart=0.0)
    sizes = [Size(40, 3, 3), Size(40, 3, 1), Size(80, 3, 1)]
    assert plan(alike, sizes=sizes, width=0.3).design().per_item == 1
    assert plan(noisy, sizes=sizes).design().per_item == 3
    paired = Components("alpha_nominal", 0.6, PLAIN, True, same=0.5)
    both = Outlook("alpha_nominal", "tone", None, paired, 1.0)
    # Rated once there is no agreement: a design that tells all numbers comes before.
    assert plan(alike, both, sizes=sizes, width=0.3).design().per_item == 3
    assert plan(outlook(reason="no_ratings"), sizes=sizes).design() is None


@pytest.mark.parametrize(("every", "there"), [([outlook(), outlook()], "mean"), ([], "none")])
def test_what_there_is_no_forecast_of_is_refused_with_what_there_is(every, there):
    with pytest.raises(RoundError, match=f"r1: no forecast of 'mood'; there are those of {there}"):
        choose(every, ["mood"], "r1")
    assert choose([outlook()], ["mean:tone"], "r1")[0].name == "mean:tone"


def test_the_pilot_s_ratings_an_item_are_those_of_most_numbers():
    numbers = [outlook(n_raters=4, per_unit=many) for many in (1.2, 2.4, 3.0)]
    assert pilot_of(numbers, 30) == Size(30, 4, 2)
    assert pilot_of([outlook()], 30) == Size(30, 1, 1)
    assert pilot_of([outlook(n_raters=2, per_unit=0.2)], 7) == Size(7, 2, 1)


def test_sizes_are_half_to_eight_times_the_pilot_and_what_is_not_named_stays():
    usual = sizes_of(Size(10, 3, 3), {})
    assert [each.items for each in usual] == [5, 10, 20, 40, 80]
    assert {(each.raters, each.per_item, each.cluster_size) for each in usual} == {(3, 3, None)}
    assert [each.items for each in sizes_of(Size(4, 1, 1), {})] == [3, 4, 8, 16, 32]
    # Where all rated all they still do; where they took turns they go on taking them.
    assert sizes_of(Size(10, 3, 3), {"raters": [5]})[0].per_item == 5
    assert sizes_of(Size(10, 3, 2), {"raters": [5]})[0].per_item == 2
    assert sizes_of(Size(10, 3, 2), {"raters": [1]})[0].per_item == 1
    least = {"items": [1], "raters": [1], "per_item": [1], "cluster_size": [1]}
    assert sizes_of(Size(10, 3, 2), least) == [Size(1, 1, 1, 1)]


@pytest.mark.parametrize("name", ["items", "raters", "per_item", "cluster_size"])
def test_nothing_of_a_size_is_below_one(name):
    with pytest.raises(ValueError, match="begin at 1"):
        sizes_of(Size(10, 3, 2), {name: [0]})


def test_a_forecast_without_money_or_time_is_a_table_all_the_same():
    frame = plan(outlook(), outlook(reason="no_ratings")).frame()
    assert frame["reason"].fillna("").tolist() == ["", "no_ratings"]
    assert frame["width"].notna().tolist() == [True, False]
    assert pd.isna(frame["design_effect"].iloc[1])
    assert frame["hours"].isna().all()
    assert np.isfinite(frame["low"].iloc[0])


ASKED = {"s": {"type": "scale", "level": "interval", "scale": [1, 2, 3, 4, 5]}}


def test_where_each_system_had_raters_of_its_own_a_case_has_one_difference(frame):
    one, other = [4, 5, 3, 5, 2], [3, 3, 3, 2, 2]
    answers = [(f"q{n}/a", 0, "ana", "s", value) for n, value in enumerate(one)]
    answers += [(f"q{n}/b", 0, "ben", "s", value) for n, value in enumerate(other)]
    system = {item: item[-1] for item, *_ in answers}
    board = Board(frame(answers, model=system), ASKED)
    measure = {"statistic": "difference", "question": "s", "system": "model"}
    [found] = outlooks(board, [measure], 10, {"s": (1.0, 5.0)})
    gap = np.subtract(one, other)
    assert (found.pair, found.span) == (("a", "b"), 4.0)
    assert found.components.value == pytest.approx(gap.mean())
    assert found.components.same == pytest.approx(gap.var(ddof=1))


def test_an_assumed_agreement_has_the_clusters_of_the_round(frame):
    """A case of one item, and one of three."""
    items = ["q0/a", "q1/a", "q1/b", "q1/c"]
    board = Board(frame([(item, 0, "ana", "s", 1 + n) for n, item in enumerate(items)]), ASKED)
    made = assumption(board, "alpha_nominal:s", 0.6, 0.1, 4)
    assert (made.components.size, made.components.unequal, made.per_item) == (2.0, 2.5, 1.0)
    assert assumption(board, "alpha_nominal:s", 0.6, 0.1, 1).per_item == 4.0


def test_where_raters_rated_both_systems_each_has_a_difference_of_their_own(frame):
    said = {"ana": ([4, 5, 3, 5, 2], [3, 3, 3, 2, 2]), "ben": ([3, 5, 2, 4, 2], [3, 1, 3, 1, 2])}
    answers = [
        (f"q{n}/{system}", 0, rater, "s", value)
        for rater, both in said.items()
        for system, values in zip("ab", both, strict=True)
        for n, value in enumerate(values)
    ]
    board = Board(frame(answers, model={item: item[-1] for item, *_ in answers}), ASKED)
    measure = {"statistic": "difference", "question": "s", "system": "model"}
    [found] = outlooks(board, [measure], 10, {})
    gaps = np.array([np.subtract(*both) for both in said.values()], dtype=float).T
    own = of_numbers(gaps)
    assert found.components.value == pytest.approx(gaps.mean())
    assert (found.components.same, found.components.between) == pytest.approx(
        (own.same, own.between)
    )


def test_agreement_at_a_question_s_level_leads_and_at_another_does_not():
    asked = SimpleNamespace(id="tone", level="ordinal", covers=None)
    protocol = SimpleNamespace(questions=[asked], targets=[])
    every = [outlook(name=name) for name in ("alpha_nominal", "alpha_ordinal", "mean")]
    assert [each.statistic for each in leading(every, protocol)] == ["alpha_ordinal", "mean"]
    asked.covers = "use"  # how sure somebody was leads nothing, but where there is nothing else
    assert leading(every, protocol) == every


def test_items_of_clusters_where_two_rated_already_come_later(frame):
    """Case a has one item with two raters, so its other one comes with the second of b."""
    answers = [("a/1", 0, "ben", "s", 1)]
    answers += [(item, 0, "ana", "s", 2) for item in ("a/1", "a/2", "b/1", "b/2")]
    board = Board(frame(answers), ASKED)
    orders = {twice_first(board, name) for name in "abcdefghijkl"}
    assert {order[0][0] for order in orders} == {"b"}
    assert {order.index("a/2") for order in orders} == {1, 2}
