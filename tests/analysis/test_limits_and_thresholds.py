"""Ends of intervals against second computations, and each threshold on both of its sides."""

import copy
import pickle
from importlib import import_module

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy.stats import f as f_distribution
from scipy.stats import norm, truncnorm
from statsmodels.stats.proportion import proportion_confint

from raterbook.analysis import (
    Estimate,
    Interval,
    Ratings,
    adjust,
    agreement,
    alpha,
    gwet,
    icc,
    kappa,
    mean,
    proportion,
    severity,
)
from raterbook.analysis.averages.means import sd
from raterbook.analysis.coefficients.icc import variance_components
from raterbook.analysis.coefficients.tables import coefficients
from raterbook.analysis.estimate import REASONS, WARNINGS, How, sentence
from raterbook.analysis.intervals.resampling import FISHER, FROM_ONE, LOG, LOGIT, PLAIN
from raterbook.analysis.older import benchmark


@pytest.mark.parametrize(
    ("ours", "theirs"), [("wilson", "wilson"), ("clopper-pearson", "beta"), ("normal", "normal")]
)
@pytest.mark.parametrize(("count", "total"), [(0, 5), (5, 5), (1, 9), (7, 9), (30, 200), (0.0, 1)])
@pytest.mark.parametrize("coverage", [0.5, 0.95, 0.99])
def test_ends_of_a_proportion_are_statsmodels(ours, theirs, count, total, coverage):
    found = proportion(count, total, method=ours, interval=Interval(coverage=coverage))
    expected = proportion_confint(count, total, 1 - coverage, theirs)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-9)
    assert found.value == count / total
    assert found.se == pytest.approx((count / total * (1 - count / total) / total) ** 0.5)
    assert (found.beside["count"], found.beside["total"]) == (count, total)
    assert (found.n_units, found.n_ratings, found.n_raters) == (total, total, 1)
    assert found.method == ours


def test_counts_that_are_no_proportion_are_refused():
    for count, total in ((-1, 3), (4, 3)):
        with pytest.raises(ValueError, match=f"{count} of 3 is not a proportion"):
            proportion(count, total)
    with pytest.raises(ValueError, match="'wald': choose wilson, clopper-pearson or normal"):
        proportion(1, 2, method="wald")
    assert proportion(0, 0).reason == "zero_denominator"
    assert proportion([["a", "b"]], ["a"], of=["c"]).reason == "zero_denominator"
    with pytest.raises(ValueError, match="'c' is not on the scale: a, b"):
        proportion(Ratings([["a", "b"]], scale=["a", "b"]), ["c"])
    with pytest.raises(ValueError, match="'c' is not on the scale: a, b"):
        proportion(Ratings([["a", "b"]], scale=["a", "b"]), ["a"], of=["a", "c"])
    for values in (None, "a"):
        with pytest.raises(ValueError, match="name the values that count as hits"):
            proportion([["a", "b"]], values)


def test_a_hit_outside_the_denominator_is_none():
    found = proportion([["a", "b"], ["c", "a"]], ["a", "c"], of=["a", "b"])
    assert found.value == 2 / 3
    assert (found.beside["count"], found.beside["total"]) == (2, 3)


@pytest.mark.parametrize("link", [FISHER, LOGIT, LOG, PLAIN, FROM_ONE])
def test_a_link_goes_there_and_back_with_its_slope(link):
    x = np.array([0.01, 0.2, 0.5, 0.83, 0.999])
    assert link.back(link.there(x)) == pytest.approx(x)
    step = 1e-6
    slope = (link.there(x + step) - link.there(x - step)) / (2 * step)
    assert link.slope(x) == pytest.approx(slope, rel=1e-4)


def test_a_link_has_no_place_for_the_ends_of_its_range():
    assert np.isnan(FISHER.there(np.array([-1.0, 1.0, 1.5]))).all()
    assert FISHER.there(np.array([-0.5])) == pytest.approx(np.arctanh(-0.5))
    assert np.isnan(LOGIT.there(np.array([0.0, 1.0, -0.1]))).all()
    assert LOGIT.there(np.array([0.75])) == pytest.approx(np.log(3))
    assert np.isnan(LOG.there(np.array([0.0, -1.0]))).all()
    assert LOG.there(np.array([np.e])) == pytest.approx(1)


LOWS = {
    "landis_koch": [0.8, 0.6, 0.4, 0.2, 0, -1],
    "fleiss": [0.75, 0.4, -1],
    "altman": [0.8, 0.6, 0.4, 0.2, -1],
    "regier": [0.8, 0.6, 0.4, 0.2, -1],
    "cicchetti_sparrow": [0.75, 0.6, 0.4, -1],
}
WORDS = {
    "landis_koch": ["almost perfect", "substantial", "moderate", "fair", "slight", "poor"],
    "fleiss": ["excellent", "intermediate to good", "poor"],
    "altman": ["very good", "good", "moderate", "fair", "poor"],
    "regier": ["excellent", "very good", "good", "questionable", "unacceptable"],
    "cicchetti_sparrow": ["excellent", "good", "fair", "poor"],
}


@pytest.mark.parametrize("scale", LOWS)
@pytest.mark.parametrize(("value", "se"), [(0.55, 0.1), (0.9, 0.3), (-0.2, 0.4), (0.7, 0.02)])
def test_a_word_is_as_probable_as_the_normal_curve_cut_at_one_says(scale, value, se):
    found = benchmark(value, se, scale)
    curve = truncnorm((-1 - value) / se, (1 - value) / se, value, se)
    above = [1 - curve.cdf(low) for low in LOWS[scale]]
    assert found["low"].tolist() == LOWS[scale]
    assert found["high"].tolist() == [1, *LOWS[scale][:-1]]
    assert found["word"].tolist() == WORDS[scale]
    assert found["cumulative"].tolist() == pytest.approx(above)
    assert found["probability"].tolist() == pytest.approx(np.diff([0, *above]))
    best = next(i for i, p in enumerate(above) if p >= 0.95)
    assert found.index[found["chosen"]].tolist() == [best]


def test_a_benchmark_takes_an_estimate_and_refuses_what_has_no_spread():
    given = Estimate(0.7, se=0.1)
    assert benchmark(given).equals(benchmark(0.7, 0.1))
    assert benchmark(given, 0.2).equals(benchmark(0.7, 0.2))
    for coefficient, se in ((0.7, None), (0.7, -0.1), (float("nan"), 0.1), (Estimate(None), 0.1)):
        with pytest.raises(ValueError, match="a coefficient and its standard error"):
            benchmark(coefficient, se)
    assert benchmark(0.5, 0.0)["probability"].tolist() == [0, 0, 1, 0, 0, 0]


def test_an_estimate_shows_itself():
    full = Estimate(
        0.51234, 0.1, 0.9, 0.05, 0.95, statistic="alpha", coverage=0.9, n_units=3, n_raters=2,
        n_ratings=6, warnings=("few_clusters",), method=How("jackknife"), raters=("a", "b"),
    )  # fmt: skip
    assert repr(full) == (
        "<alpha: 0.5123; 90 % 0.1000 to 0.9000 for these raters; 0.0500 to 0.9500 for raters like "
        "these; 3 units, 2 raters, 6 ratings; few_clusters>"
    )
    html = full._repr_html_()
    assert "0.100 to 0.900" in html
    assert "0.050 to 0.950" in html
    assert "0.512" in html
    assert "<th scope='row'>alpha</th>" in html
    assert "<td>jackknife</td>" in html
    assert WARNINGS["few_clusters"] in html
    assert full.notes() == [sentence("few_clusters")]
    assert full.n_units == 3
    assert full.raters == ("a", "b")
    assert full.scope == ("these raters", "raters like these")
    none = Estimate(None, reason="no_ratings")
    assert repr(none) == "<estimate: none, no_ratings>"
    assert "none" in none._repr_html_()
    assert "–" in none._repr_html_()
    assert none.scope == ()
    assert none.notes() == [REASONS["no_ratings"]]
    assert float(full) == 0.51234
    with pytest.raises(ValueError, match="unknown reason 'why'"):
        Estimate(None, reason="why")
    with pytest.raises(ValueError, match="unknown warning 'oh'"):
        Estimate(1.0, warnings=("few_clusters", "oh"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"coverage": 0}, "coverage 0 is not between 0 and 1"),
        ({"coverage": 1}, "coverage 1 is not between 0 and 1"),
        ({"draws": 0}, "draws=0: at least 1"),
        ({"method": "wald"}, "choose jackknife, bootstrap, bca, analytic or None"),
    ],
)
def test_how_an_interval_is_wanted_is_checked(options, said):
    with pytest.raises(ValueError, match=said):
        mean([1, 2, 3], interval=Interval(**options))


def test_one_draw_has_no_ends_and_two_have():
    one, two = (Interval("bootstrap", draws=draws, seed=3) for draws in (1, 2))
    assert mean([1, 2, 3, 5], interval=one).reason == "too_few_units_for_interval"
    assert mean([1, 2, 3, 5], interval=two).low is not None
    assert mean([1, 2, 3, 5], interval=two).seed == 3
    assert mean([1, 2, 3, 5], interval=Interval(seed=3)).seed is None


def test_p_values_need_a_spread():
    assert Estimate(None).p is None
    assert Estimate(0.4, se=0.0, df=3).p is None
    assert Estimate(0.4, se=0.1).p is None
    assert Estimate(1.96, se=1.0, df=1e9).p == pytest.approx(2 * norm.sf(1.96))
    assert Estimate(-1.96, se=1.0, df=1e9).p == pytest.approx(2 * norm.sf(1.96))


def test_corrections_stop_at_one_and_may_be_none():
    assert adjust([0.6, 0.5], "holm") == [1, 1]
    assert adjust([0.9, 0.8], "benjamini-hochberg") == [0.9, 0.9]
    assert adjust([0.6, None], "none") == [0.6, None]
    assert adjust([]) == []
    with pytest.raises(ValueError, match="'fdr': choose holm, benjamini-hochberg, none"):
        adjust([0.1], "fdr")


@pytest.mark.parametrize(("others", "warned"), [(24, True), (25, False)])
def test_twenty_five_units_outside_the_commonest_pattern_are_enough(others, warned):
    table = [[1, 1]] * 60 + [[1, 2], [2, 2], [2, 1]] * 8 + [[2, 1]] * (others - 24)
    assert ("too_few_disagreements" in alpha(table).warnings) is warned
    assert "too_few_disagreements" not in alpha(table, interval=None).warnings
    # Whoever was absent, agreeing on the commonest value is that pattern.
    gaps = [[*row, None] for row in table[:50]] + [[*row, row[0]] for row in table[50:60]]
    gaps += [[*row, None] for row in table[60:]]
    assert ("too_few_disagreements" in alpha(gaps).warnings) is warned


@pytest.mark.parametrize(("agreed", "told"), [(60, True), (59, False)])
def test_three_fifths_agreeing_beside_a_low_coefficient_are_explained(agreed, told):
    odd = 100 - agreed
    table = [[1, 1]] * agreed + [[1, 2]] * (odd // 2) + [[2, 1]] * (odd - odd // 2)
    found = kappa(table)
    assert ("high_agreement_low_coefficient" in found.warnings) is told
    assert ("sentence" in found.beside) is told
    high = [[1, 1]] * 60 + [[2, 2]] * 25 + [[1, 2]] * 15
    assert kappa(high).value > 0.5
    assert "high_agreement_low_coefficient" not in kappa(high).warnings


@pytest.mark.parametrize(("units", "rough"), [(9, True), (10, False)])
def test_fewer_than_ten_independent_units_are_rough(units, rough):
    values = list(range(units))
    assert ("few_clusters" in mean(values).warnings) is rough
    assert mean(values).low is not None


def test_three_units_have_an_interval_and_two_have_none():
    assert mean([1, 2, 4]).low is not None
    assert mean([1, 2]).reason == "too_few_units_for_interval"
    assert mean([3, 3, 3]).reason == "no_spread_for_interval"


SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


@pytest.mark.parametrize("units", [2, 3, 6])
@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_intervals_of_an_intraclass_correlation_are_shrout_and_fleiss(coverage, units):
    x = np.array(SHROUT[:units], dtype=float)
    n, k = x.shape
    rows, columns, middle = x.mean(axis=1), x.mean(axis=0), x.mean()
    bms = k * ((rows - middle) ** 2).sum() / (n - 1)
    wms = ((x - rows[:, None]) ** 2).sum() / (n * (k - 1))
    jms = n * ((columns - middle) ** 2).sum() / (k - 1)
    ems = ((x - rows[:, None] - columns + middle) ** 2).sum() / ((n - 1) * (k - 1))
    p = 0.5 + coverage / 2

    def one(ratio, df):
        low = ratio / f_distribution.ppf(p, n - 1, df)
        high = ratio * f_distribution.ppf(p, df, n - 1)
        return low, high

    ends = {}
    low, high = one(bms / wms, n * (k - 1))
    ends["ICC1"] = (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)
    ends["ICC1k"] = 1 - 1 / low, 1 - 1 / high
    low, high = one(bms / ems, (n - 1) * (k - 1))
    ends["ICC3"] = (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)
    ends["ICC3k"] = 1 - 1 / low, 1 - 1 / high
    rho = (bms - ems) / (bms + (k - 1) * ems + k * (jms - ems) / n)
    fj = jms / ems
    above = (k - 1) * (n - 1) * (k * rho * fj + n * (1 + (k - 1) * rho) - k * rho) ** 2
    below = (n - 1) * k**2 * rho**2 * fj**2 + (n * (1 + (k - 1) * rho) - k * rho) ** 2
    v = above / below
    f_low, f_high = f_distribution.ppf(p, n - 1, v), f_distribution.ppf(p, v, n - 1)
    low = n * (bms - f_low * ems) / (f_low * (k * jms + (k * n - k - n) * ems) + n * bms)
    high = n * (f_high * bms - ems) / (k * jms + (k * n - k - n) * ems + n * f_high * bms)
    ends["ICC2"] = low, high
    ends["ICC2k"] = tuple(end * k / (1 + end * (k - 1)) for end in (low, high))
    for form, expected in ends.items():
        found = icc(x, form, interval=Interval("analytic", coverage=coverage))
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-9), form
        assert found.method == "F distribution (Shrout and Fleiss 1979)"
        assert icc(SHROUT, form).statistic == f"icc_{form[3:]}"


def test_a_closed_form_needs_complete_ratings_and_units_that_stand_alone():
    assert "jackknife" in icc([*SHROUT, [5, None, 4, 4]]).method
    assert "clusters" in icc(Ratings(SHROUT, cluster=[1, 1, 2, 2, 3, 3])).method
    with pytest.raises(ValueError, match=r"ICC4.*choose ICC1, ICC2, ICC3, ICC1k, ICC2k or ICC3k"):
        icc(SHROUT, "ICC4")
    with pytest.raises(ValueError, match=r"needs numbers and the values are labels \('a'\)"):
        icc([["a", "b"], ["b", "b"]])


def test_one_way_components_allow_gaps():
    table = [[1, 2, None], [4, 4, 5], [7, None, 6], [3, 3, 3]]
    rows = [[v for v in row if v is not None] for row in table]
    m = [len(row) for row in rows]
    n, total = len(rows), sum(m)
    middle = sum(map(sum, rows)) / total
    inside = sum(sum((v - sum(r) / len(r)) ** 2 for v in r) for r in rows) / (total - n)
    between = sum(len(r) * (sum(r) / len(r) - middle) ** 2 for r in rows) / (n - 1)
    size = (total - sum(v * v for v in m) / total) / (n - 1)
    unit = (between - inside) / size
    assert icc(table, "ICC1").value == pytest.approx(unit / (unit + inside))
    harmonic = n / sum(1 / v for v in m)
    assert icc(table, "ICC1k").value == pytest.approx(unit / (unit + inside / harmonic))


def test_coefficients_have_names_of_a_closed_list():
    with pytest.raises(ValueError, match="unknown coefficient 'alfa': choose alpha_nominal"):
        coefficients([[1, 2]], ["alfa"])
    with pytest.raises(ValueError, match="ac2 needs an order"):
        coefficients([["a", "b"]], ["ac1", "ac2"])
    found = coefficients([[1, 2], [2, 2], [1, 1]], ["ac1", "percent_within_one"])
    assert list(found) == ["ac1", "percent_within_one"]
    assert found["percent_within_one"].value == 1
    assert "scale_inferred" in found["ac1"].warnings
    assert agreement([[1, 2], [2, 2]]).value == 0.5


@pytest.mark.parametrize("q", [24, 25, 99, 100, 101, 125, 126, 127, 128, 300])
def test_many_labels_are_as_many_as_they_are(q):
    # Codes widen at 127 values, whole numbers up to 126 are bytes, and alpha counts values apart
    # that are given once. Of a unit's three pairs one agrees here.
    values = np.arange(1, q + 1)
    table = np.column_stack([values, values, np.roll(values, 1)])
    n = 3 * q
    expected = pytest.approx(1 - (n - 1) * 2 * q / (n * n - 9 * q))
    for given in (table, pd.DataFrame(table).astype(str), table + 0.5):
        assert alpha(given, interval=None).value == expected
        found = coefficients(given, ["percent_agreement"], interval=None)["percent_agreement"]
        assert found.value == pytest.approx(1 / 3)
    alone = np.column_stack([2 * values, 2 * values + 1])
    assert alpha(alone, interval=None).value == pytest.approx(
        1 - (2 * q - 1) * q / (4 * q * q - 2 * q) * 2
    )
    ranks = krippendorff.alpha(table.T, level_of_measurement="ordinal")
    assert alpha(table, "ordinal", interval=None).value == pytest.approx(ranks)


@pytest.mark.parametrize("q", [32_766, 32_767, 32_768])
def test_scores_that_all_differ_are_told_apart_however_many(q):
    values = np.arange(q) + 0.25
    table = np.column_stack([values, np.roll(values, 1)])
    given = table.ravel()
    within = ((table[:, 0] - table[:, 1]) ** 2).sum() * 2
    between = 2 * (len(given) * (given**2).sum() - given.sum() ** 2)
    expected = 1 - (len(given) - 1) * within / between
    assert alpha(table, "interval", interval=None).value == pytest.approx(expected)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_one_unit_on_which_two_raters_differ_is_no_better_than_chance(level):
    assert alpha([[1, 2]], level).value == 0
    assert alpha([[1, 1]], level).reason == "no_variation"


def test_two_ratings_have_a_spread_and_one_has_none():
    found = severity([[1, 2, None], [4, 2, 5]])
    assert found["sd"].tolist()[:2] == [pytest.approx(4.5**0.5), 0]
    assert np.isnan(found["sd"][2])


def test_squared_differences_have_one_published_interval_however_they_are_asked_for():
    table = [[1, 2, 4], [2, 2, 3], [5, 4, None], [3, 3, 3], [4, None, 1], [None, 2, None]]
    asked = {"interval": "analytic"}
    named = alpha(table, "interval", **asked)
    made = alpha(table, lambda a, b: (a - b) ** 2, **asked)
    assert (named.low, named.high, named.se) == pytest.approx((made.low, made.high, made.se))
    assert named.method.startswith("Gwet's linearised variance over 5 units")
    many = np.column_stack([np.arange(150), np.arange(150) ^ 1])
    assert "jackknife" in alpha(many, "ordinal", **asked).method


@pytest.mark.parametrize("size", [1e-10, 1e9 / 3, 1e90])
@pytest.mark.parametrize("interval", ["jackknife", "bootstrap", "bca"])
def test_neither_very_small_nor_very_large_numbers_change_the_shape_of_an_interval(size, interval):
    values = [1, 2, 4, 5, 2, 3, 3]
    asked = {"interval": Interval(interval, draws=300, seed=3)}
    usual = mean(values, **asked)
    found = mean([x * size for x in values], **asked)
    again = mean([x * size for x in values[::-1]], **asked)
    ends = (usual.low, usual.high, usual.df)
    assert (found.low / size, found.high / size, found.df) == pytest.approx(ends)
    assert (again.low / size, again.high / size, again.df) == pytest.approx(ends)


def test_a_correlation_is_the_share_of_its_components_whoever_rated_a_unit_alone():
    table = [[1, 2, None], [2, 3, 3], [4, None, None], [5, 4, 5], [None, 1, None], [3, 3, 2]]
    parts = variance_components([*table, [None] * 3])
    found = icc([*table, [None] * 3], interval=None)
    assert found.value == pytest.approx(parts["unit"] / sum(parts.values()))
    without = parts["unit"] + parts["residual"]
    assert icc(table, "ICC3").value == pytest.approx(parts["unit"] / without)
    assert icc([*SHROUT, [None] * 4]).method == icc(SHROUT).method


def test_an_ordinal_alpha_of_a_million_units_keeps_its_digits():
    table = np.ones((1_000_002, 2))
    table[-2:] = [[1, 2], [2, 2]]
    # Coincidences: 2,000,001 ones, 3 twos, one pair of each order apart.
    expected = 1 - (2_000_004 - 1) * 2 / (2 * 2_000_001 * 3)
    assert alpha(table, "ordinal", interval=None).value == pytest.approx(expected, rel=1e-14)


def test_a_method_is_a_text_with_its_parts_also_after_it_was_sent_elsewhere():
    table = [[1, 1, 2], [2, 2, 2], [1, 2, 1], [2, 2, 1], [1, 1, 1], [2, 1, 2]] * 2
    here = alpha(Ratings(table, cluster=[*range(11), 10])).method
    for method in (here, copy.deepcopy(here), pickle.loads(pickle.dumps(here))):
        parts = (method.name, method.n, method.over, method.scale, method.reach, method.raters)
        assert parts == ("jackknife", 11, "clusters", FISHER.name, "t", 3)
        assert method == (
            "jackknife over 11 clusters on Fisher's z, t; raters like these: and over 3 raters"
        )
    drawn = mean(table, interval=Interval("bca", draws=50, seed=2)).method
    assert (drawn.name, drawn.reach) == ("BCa bootstrap", "50 draws, seed 2")
    assert (How(), How(said="no interval")) == ("", "no interval")
    assert How("x").saying("one").saying("two") == "x; one; two"


def test_clusters_of_one_unit_are_called_units():
    table = [[1, 1], [2, 2], [1, 2], [2, 2], [1, 1], [2, 1]]
    assert "over 6 units" in alpha(Ratings(table, cluster=list("abcdef"))).method
    assert "over 5 clusters" in alpha(Ratings(table, cluster=list("aacdef"))).method
    assert told_cluster(list(range(21))) == "rests_on_one_unit"
    assert told_cluster([0, *range(20)]) == "rests_on_one_cluster"


def told_cluster(clusters):
    return alpha(Ratings([[1, 1]] * 20 + [[1, 2]], cluster=clusters)).reason


@pytest.mark.parametrize("far", [-3e8, 1e9])
@pytest.mark.parametrize("form", ["alpha", "ICC1", "ICC2", "ICC3k", "sd"])
def test_numbers_far_from_zero_lose_no_digits(form, far):
    def found(table, **asked):
        if form == "alpha":
            return alpha(table, "interval", **asked)
        return sd(table, **asked) if form == "sd" else icc(table, form, **asked)

    table = np.array([*SHROUT, [3, np.nan, 4, 8], [np.nan, np.nan, 5, np.nan]])
    for interval in ("jackknife", None):
        near, away = found(table, interval=interval), found(table + far, interval=interval)
        assert away.value == pytest.approx(near.value, rel=1e-12)
        if interval is not None:
            ends = near.low, near.high, near.low_like, near.high_like
            assert (away.low, away.high, away.low_like, away.high_like) == pytest.approx(ends)


@pytest.mark.parametrize("form", ["ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"])
def test_the_error_of_a_correlation_with_gaps_is_that_of_leaving_out_each_unit(form):
    table = [*SHROUT, [3, None, 4, 8], [None, None, 5, None], [4, 2, None, 5]]
    n = len(table)
    without = [icc(table[:i] + table[i + 1 :], form, interval=None).value for i in range(n)]
    assert icc(table, form).se == pytest.approx((n - 1) ** 0.5 * np.std(without))


def test_as_many_values_as_a_table_may_have_are_taken_and_one_more_is_refused(monkeypatch):
    for name in ("gwet", "alpha", "tables"):
        monkeypatch.setattr(
            import_module(f"raterbook.analysis.coefficients.{name}"), "MOST_VALUES", 5
        )
    table = [[value, value] for value in range(6)]
    for compute in (gwet, agreement, lambda rows: alpha(rows, "absolute")):
        assert compute(table[:5]).value == 1
        with pytest.raises(ValueError, match=r"6 different values: .* at most 5"):
            compute(table)
    names = ["percent_agreement", "alpha_interval"]
    assert coefficients(table[:5], names)["percent_agreement"].value == 1
    found = coefficients(table, names)
    assert found["percent_agreement"].reason == "too_many_values"
    assert found["alpha_interval"].value == 1


@pytest.mark.parametrize("seed", range(12))
def test_an_estimate_outside_all_draws_has_ends_among_them(seed):
    found = mean([1, 2, 3, 5, 9], interval=Interval("bca", draws=2, seed=seed))
    assert 1 <= found.low <= found.high <= 9


def test_single_answers_are_told_from_clusters_of_them():
    alone = proportion([[x] for x in [1] * 4 + [0] * 11], [1])
    assert alone.method == "Wilson on 15 answers"
    assert (alone.low, alone.high) == pytest.approx(proportion_confint(4, 15, method="wilson"))
    assert "clusters" in proportion([[x, 1 - x] for x in [1] * 4 + [0] * 11] + [[1, 1]], [1]).method


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[1, 2], [3, 3]], "<2 units × 2 raters, 4 ratings on 1, 2, 3>"),
        ([list(range(1, 9))], "<1 units × 8 raters, 8 ratings on 1, 2, 3, 4, 5, 6, 7, 8>"),
        ([list(range(1, 10))], "<1 units × 9 raters, 9 ratings on 1, 2, 3, 4, 5, 6, 7, 8 …>"),
        ([], "<0 units × 0 raters, 0 ratings on >"),
    ],
)
def test_ratings_say_how_many_there_are_and_at_most_eight_values(given, said):
    assert repr(Ratings(given)) == said
