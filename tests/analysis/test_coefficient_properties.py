"""What must hold for every table: orders do not matter, and no input gives NaN or a crash."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raterbook import analysis
from raterbook.analysis import Estimate, Interval, Ratings, agreement, alpha, icc, mean, older
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.averages.weighted import confidence
from raterbook.analysis.coefficients.tables import coefficients
from raterbook.analysis.estimate import REASONS, WARNINGS
from raterbook.analysis.text import token_f1

SCALE = [1, 2, 3, 4]
RATING = st.sampled_from([None, 1, 2, 3, 4])
NAMES = (
    *("alpha_nominal", "alpha_ordinal", "alpha_interval", "kappa_fleiss", "ac1", "ac2"),
    *("kappa_raters", "kappa_weighted_quadratic", "percent_agreement", "percent_within_one"),
    "icc_2_1",
)
COMMON = settings(max_examples=60, deadline=None)


@st.composite
def tables(draw, least=1, most=12):
    width = draw(st.integers(1, 5))
    values = draw(st.sampled_from([RATING, st.sampled_from([None, 1]), st.sampled_from([2, 3])]))
    row = st.lists(values, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=least, max_size=most))


def whole(estimate):
    """Every number is finite or absent with a reason; intervals hold their estimate."""
    assert isinstance(estimate, Estimate)
    if estimate.value is None:
        assert estimate.reason in REASONS
        assert estimate.low is None
        assert estimate.low_like is None
        return
    assert math.isfinite(estimate.value)
    for low, high in (
        (estimate.low, estimate.high),
        (estimate.low_like, estimate.high_like),
    ):
        assert (low is None) == (high is None)
        if low is not None:
            assert math.isfinite(low)
            assert math.isfinite(high)
            assert low <= high
    assert estimate.low is not None or estimate.reason in REASONS
    assert set(estimate.warnings) <= set(WARNINGS)
    assert not re.search(r"\bnan\b", repr(estimate))


@COMMON
@given(tables())
def test_no_table_gives_a_crash_or_a_number_that_is_not_one(table):
    for estimate in coefficients(table, NAMES, scale=SCALE).values():
        whole(estimate)


@COMMON
@given(tables(), st.sampled_from(["bootstrap", "bca", "analytic"]))
def test_no_table_breaks_another_interval(table, interval):
    for estimate in coefficients(
        table, NAMES, scale=SCALE, interval=Interval(interval, draws=40)
    ).values():
        whole(estimate)


KINDS = (alpha, older.alpha_gwet, older.brennan_prediger, agreement, icc, mean, sd)
BY_VALUE = (older.alpha_by_category, older.kappa_by_category)
INTERVALS = st.sampled_from(["jackknife", "bootstrap", "bca", "analytic"])


@COMMON
@given(tables(), INTERVALS, st.sampled_from(["identity", "quadratic", "ordinal", "ratio"]))
def test_no_table_breaks_a_function_called_by_itself(table, interval, weights):
    given, wish = Ratings(table, scale=SCALE), Interval(interval, draws=20)
    for compute in KINDS:
        whole(compute(given, interval=wish))
    for compute in BY_VALUE:
        for estimate in compute(given, interval=wish).values():
            whole(estimate)
    for kind in ("light", "fleiss", "conger"):
        whole(analysis.kappa(given, kind, weights, interval=wish))
    whole(analysis.proportion(given, [3], of=[2, 3], interval=wish))


@COMMON
@given(tables(), INTERVALS, st.lists(st.sampled_from([0, 50, 100, None]), min_size=60, max_size=60))
def test_no_confidences_break_the_means_that_use_them(table, interval, sure):
    long = pd.DataFrame(
        [(f"u{i}", f"r{j}", value) for i, row in enumerate(table) for j, value in enumerate(row)],
        columns=["unit", "rater", "value"],
    ).assign(confidence=sure[: sum(map(len, table))])
    whole(analysis.weighted_mean(Ratings(long, scale=SCALE), interval=Interval(interval, draws=20)))
    found = confidence(Ratings(long, scale=SCALE), interval=Interval(interval, draws=20))
    for part in ("plain", "weighted", "within", "difference", "correlation", "closeness"):
        whole(getattr(found, part))


@COMMON
@given(tables(), st.data())
def test_no_table_with_clusters_gives_a_crash(table, data):
    clusters = data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)))
    for estimate in coefficients(Ratings(table, scale=SCALE, cluster=clusters), NAMES).values():
        whole(estimate)


def same(first, second, but=()):
    assert first.keys() == second.keys()
    for name, one in first.items():
        other = second[name]
        assert one.reason == other.reason, name
        fields = {"value", "low", "high", "low_like", "high_like", "n_units", "n_ratings"}
        for field in fields - set(but):
            a, b = getattr(one, field), getattr(other, field)
            assert (a is None) == (b is None), (name, field)
            assert a is None or a == pytest.approx(b, abs=1e-6), (name, field)


@COMMON
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_units_and_of_raters_does_not_matter(table, random):
    shuffled = list(table)
    random.shuffle(shuffled)
    columns = list(range(len(table[0])))
    random.shuffle(columns)
    turned = [[row[j] for j in columns] for row in shuffled]
    same(coefficients(table, NAMES, scale=SCALE), coefficients(turned, NAMES, scale=SCALE))


@COMMON
@given(tables())
def test_a_unit_nobody_rated_and_a_rater_who_rated_nothing_change_nothing(table):
    width = len(table[0])
    more = [[*row, None] for row in [*table, [None] * width]]
    same(coefficients(table, NAMES, scale=SCALE), coefficients(more, NAMES, scale=SCALE))


@COMMON
@given(tables())
def test_doubling_every_unit_keeps_what_does_not_depend_on_their_number(table):
    names = [name for name in NAMES if not name.startswith(("alpha", "icc"))]
    first = coefficients(table, names, scale=SCALE, interval=None)
    second = coefficients(table + table, names, scale=SCALE, interval=None)
    same(first, second, but=("n_units", "n_ratings"))


@COMMON
@given(tables())
def test_a_long_frame_and_a_table_give_the_same(table):
    long = pd.DataFrame(
        [(f"u{i}", f"r{j}", value) for i, row in enumerate(table) for j, value in enumerate(row)],
        columns=["unit", "rater", "value"],
    )
    long["value"] = long["value"].astype("Int64")
    same(coefficients(table, NAMES, scale=SCALE), coefficients(long, NAMES, scale=SCALE))


@COMMON
@given(tables())
def test_a_frame_is_the_same_whatever_its_columns_hold(table):
    frame = pd.DataFrame(table).astype(float)
    strings = pd.DataFrame([[None if v is None else str(v) for v in row] for row in table])
    first = coefficients(table, NAMES, scale=SCALE)
    same(first, coefficients(frame, NAMES, scale=SCALE))
    same(first, coefficients(strings, NAMES, scale=[str(v) for v in SCALE]))


@COMMON
@given(tables(), st.permutations(SCALE))
def test_labels_may_be_renamed_where_only_equality_counts(table, names):
    renamed = [[None if v is None else f"label {names[v - 1]}" for v in row] for row in table]
    equal = ("alpha_nominal", "kappa_fleiss", "kappa_raters", "ac1", "percent_agreement")
    scale = [f"label {name}" for name in names]
    same(coefficients(table, equal, scale=SCALE), coefficients(renamed, equal, scale=scale))


@COMMON
@given(tables(), st.floats(0.5, 20), st.floats(-50, 50))
def test_interval_alpha_does_not_depend_on_the_unit_of_measurement(table, factor, shift):
    moved = [[None if v is None else v * factor + shift for v in row] for row in table]
    one, other = analysis.alpha(table, "interval"), analysis.alpha(moved, "interval")
    same({"a": one}, {"a": other})


@COMMON
@given(tables(least=4))
def test_clusters_of_one_unit_are_units(table):
    alone = coefficients(Ratings(table, scale=SCALE, cluster=list(range(len(table)))), NAMES)
    same(coefficients(table, NAMES, scale=SCALE), alone)


@COMMON
@given(tables(), st.integers(0, 3))
def test_the_bootstrap_is_the_same_for_a_seed_whatever_the_order(table, seed):
    asked = {"scale": SCALE, "interval": Interval("bootstrap", draws=30, seed=seed)}
    names = ["alpha_ordinal", "ac1"]
    same(coefficients(table, names, **asked), coefficients(table[::-1], names, **asked))


@COMMON
@given(tables(least=3))
def test_perfect_agreement_over_several_values_is_exactly_one(table):
    agreed = [[row[0]] * 3 for row in table if row[0] is not None]
    if len({row[0] for row in agreed}) < 2:
        return
    for name, estimate in coefficients(agreed, NAMES, scale=SCALE).items():
        assert estimate.value == pytest.approx(1.0, abs=1e-12), name
        if name not in ("percent_agreement", "percent_within_one"):
            assert estimate.low is None, name
            assert estimate.reason in (
                "no_disagreement_for_interval",
                "too_few_units_for_interval",
            ), name


@COMMON
@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), min_size=2, max_size=15))
def test_continuous_scores_are_welcome(table):
    for level in ("nominal", "ordinal", "interval"):
        whole(analysis.alpha(table, level))
    whole(analysis.icc(table))
    whole(analysis.mean(table))
    whole(sd(table))
    whole(median(table, interval=Interval(draws=20)))


@COMMON
@given(
    st.lists(st.tuples(st.integers(1, 5), st.floats(0, 1)), max_size=12),
)
def test_a_weighted_mean_lies_within_its_values(pairs):
    x, c = [p[0] for p in pairs], [p[1] for p in pairs]
    found = analysis.weighted_mean(x, c)
    whole(found)
    if found.value is not None:
        assert min(x) - 1e-9 <= found.value <= max(x) + 1e-9
    equal = analysis.weighted_mean(x, [0.7] * len(x), interval=None)
    if x:
        assert equal.value == pytest.approx(np.mean(x))


@COMMON
@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(["squad", "char", "auto"]))
def test_token_f1_is_symmetric_and_between_zero_and_one(a, b, tokeniser):
    score = token_f1(a, b, tokeniser)
    assert 0 <= score <= 1
    assert score == token_f1(b, a, tokeniser)
    assert token_f1(a, a, tokeniser) == 1
