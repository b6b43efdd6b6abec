"""Who and what makes a number: without each rater and unit, each value alone, who rates high."""

from statistics import fmean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from raterbook.analysis import Interval, alpha, influence, kappa, mean, severity
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.averages.weighted import confidence
from raterbook.analysis.coefficients.icc import variance_components
from raterbook.analysis.older import alpha_by_category, kappa_by_category, kappa_test

TABLE = [
    [1, 2, 2, None],
    [3, 3, 4, 3],
    [5, 4, 5, None],
    [2, 2, None, 1],
    [4, None, 1, 4],
    [None, 3, 3, 2],
    [None, None, None, 5],
    [3, 3, 3, 3],
]
SCALE = [1, 2, 3, 4, 5]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_without_a_unit_or_a_rater_is_alpha_of_the_rest(level):
    whole = alpha(TABLE, level).value
    units = influence(TABLE, level, of="units").set_index("unit")
    for i in range(len(TABLE)):
        rest = alpha(TABLE[:i] + TABLE[i + 1 :], level).value
        assert units.loc[i, "estimate"] == pytest.approx(rest, abs=1e-12)
        assert units.loc[i, "change"] == pytest.approx(rest - whole, abs=1e-12)
    sizes = units["change"].abs().round(12).tolist()
    assert sizes == sorted(sizes, reverse=True)
    raters = influence(TABLE, level).set_index("rater")
    for j in range(4):
        rest = alpha([row[:j] + row[j + 1 :] for row in TABLE], level).value
        assert raters.loc[j, "estimate"] == pytest.approx(rest, abs=1e-12)
        assert raters.loc[j, "change"] == pytest.approx(rest - whole, abs=1e-12)


def test_units_of_equal_influence_stand_in_the_order_of_their_names():
    table = pd.DataFrame([[1, 1], [2, 2], [1, 2], [1, 1], [1, 1]], index=[9, 7, 10, 3, "x"])
    assert influence(table, of="units")["unit"].tolist()[-3:] == [3, 9, "x"]


def test_nobody_has_no_influence():
    assert influence([[None, None]], of="units").empty
    assert influence([[None, None]]).empty
    lone = influence([[1, 2], [2, 2]])
    assert lone["estimate"].isna().all()


def test_each_value_against_the_rest_is_the_coefficient_of_two_values():
    for value, found in alpha_by_category(TABLE, scale=[*SCALE, 6]).items():
        two = [[None if v is None else "it" if v == value else "else" for v in r] for r in TABLE]
        same = alpha(two)
        for name in ("value", "low", "high", "n_units", "n_ratings", "reason"):
            assert getattr(found, name) == pytest.approx(getattr(same, name))
    for value, found in kappa_by_category(TABLE, scale=SCALE).items():
        two = [[None if v is None else v == value for v in row] for row in TABLE]
        same = kappa(two, "fleiss")
        ends = (same.value, same.low, same.high)
        assert (found.value, found.low, found.high) == pytest.approx(ends)
        assert found.statistic == "kappa_fleiss_category"


def test_the_commonest_of_a_value_and_the_rest_is_named():
    found = alpha_by_category([[2, 2], [2, 2], [3, 2], [1, 1], [2, 3]])
    said = {value: each.beside["commonest"] for value, each in found.items()}
    assert said == {1: "any other", 2: 2, 3: "any other"}


def gaps_of(rater):
    """A rater's distances from the mean of the others, unit by unit."""
    for row in TABLE:
        others = [v for j, v in enumerate(row) if j != rater and v is not None]
        if row[rater] is not None and others:
            yield row[rater] - fmean(others)


def test_severity_has_students_interval_over_the_units_a_rater_shares():
    found = severity(TABLE).set_index("rater")
    for rater in range(4):
        own = [row[rater] for row in TABLE if row[rater] is not None]
        gaps, row = list(gaps_of(rater)), found.loc[rater]
        ends = ttest_1samp(gaps, 0).confidence_interval()
        assert row["mean"] == pytest.approx(fmean(own))
        assert row["sd"] == pytest.approx(stdev(own))
        assert row["estimate"] == pytest.approx(fmean(gaps))
        assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
        assert (row["n_units"], row["n_ratings"]) == (len(gaps), len(own))
    wide = severity(TABLE, interval=Interval(coverage=0.99)).set_index("rater")
    ends = ttest_1samp(list(gaps_of(1)), 0).confidence_interval(0.99)
    assert (wide.loc[1, "low"], wide.loc[1, "high"]) == pytest.approx((ends.low, ends.high))


def test_a_rater_who_shares_no_unit_has_a_mean_and_no_severity():
    found = severity([[1, None, None], [None, 2, 4]]).set_index("rater")
    assert found.loc[0, "mean"] == 1
    assert pd.isna(found.loc[0, "estimate"])
    assert pd.isna(found.loc[0, "sd"])
    assert (found.loc[0, "n_units"], found.loc[0, "n_ratings"]) == (0, 1)
    assert found.loc[1, "estimate"] == -2
    assert severity([[None, None]]).empty


def test_variance_components_of_a_complete_table_are_those_of_its_mean_squares():
    table = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9]])
    n, k = table.shape
    rows, columns, all_ = table.mean(axis=1), table.mean(axis=0), table.mean()
    of_units = k * ((rows - all_) ** 2).sum() / (n - 1)
    of_raters = n * ((columns - all_) ** 2).sum() / (k - 1)
    error = ((table - rows[:, None] - columns + all_) ** 2).sum() / ((n - 1) * (k - 1))
    found = variance_components(table)
    assert found["unit"] == pytest.approx((of_units - error) / k)
    assert found["rater"] == pytest.approx((of_raters - error) / n)
    assert found["residual"] == pytest.approx(error)
    assert variance_components([[None, None]]) == {"unit": None, "rater": None, "residual": None}
    assert variance_components([[1, 2]])["residual"] is None


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_kappas_standard_errors_are_statsmodels(weights):
    from statsmodels.stats.inter_rater import cohens_kappa

    rng = np.random.default_rng(5)
    for _ in range(10):
        truth = rng.integers(1, 5, 40)
        table = np.column_stack(
            [truth, np.where(rng.random(40) < 0.6, truth, rng.integers(1, 5, 40))]
        )
        counts = np.zeros((4, 4))
        np.add.at(counts, tuple(table.T - 1), 1)
        theirs = cohens_kappa(counts, wt=None if weights == "identity" else weights)
        ours = kappa_test(table, weights=weights, scale=[1, 2, 3, 4])
        assert ours.value == pytest.approx(theirs.kappa)
        assert ours.se == pytest.approx(theirs.std_kappa)
        assert ours.se0 == pytest.approx(theirs.std_kappa0)
        assert ours.z == pytest.approx(theirs.z_value)
        assert ours.p == pytest.approx(theirs.pvalue_two_sided)


def test_kappas_test_without_a_number_says_why():
    assert kappa_test([[1, 2], [1, 2]]).reason == "no_spread"
    assert kappa_test([[1, 1, 1], [1, 1, 1]], "fleiss").reason == "no_variation"
    assert kappa_test([[1, None], [None, 1]], "fleiss").reason == "no_pairable_units"
    assert kappa_test([[1, 2], [2, 2], [1, None]], "fleiss").reason == "unbalanced"
    nobody = kappa_test([[1, 1], [2, 2], [1, 2], [None, None]], "fleiss")
    assert nobody == kappa_test([[1, 1], [2, 2], [1, 2]], "fleiss")
    assert nobody.reason is None
    assert kappa_test([[None, None]], "fleiss").reason == "no_pairable_units"
    found = kappa_test([[1, 1], [2, 2]], "fleiss")
    assert (found.value, found.se) == (1, None)
    with pytest.raises(ValueError, match="cohen compares two raters and there are 3"):
        kappa_test([[1, 2, 1]])
    with pytest.raises(ValueError, match="unknown kind 'scott': choose cohen or fleiss"):
        kappa_test([[1, 2]], "scott")


def test_fleiss_test_by_its_formula():
    table = [[1, 1, 2], [2, 2, 2], [1, 3, 3], [3, 3, 3], [1, 1, 1], [2, 1, 2]]
    n, k = 6, 3
    share = [sum(row.count(v) for row in table) / (n * k) for v in (1, 2, 3)]
    observed = fmean(sum(row.count(v) * (row.count(v) - 1) for v in (1, 2, 3)) / 6 for row in table)
    expected = sum(p * p for p in share)
    pq = [p * (1 - p) for p in share]
    spread = sum(pq) ** 2 - sum(a * (1 - 2 * p) for a, p in zip(pq, share, strict=True))
    variance = 2 * spread / (sum(pq) ** 2 * n * k * (k - 1))
    found = kappa_test(table, "fleiss")
    assert found.value == pytest.approx((observed - expected) / (1 - expected))
    assert found.se0 == pytest.approx(variance**0.5)
    assert found.z == pytest.approx(found.value / found.se0)


def systems(scores, rater="r"):
    return pd.DataFrame(
        [(s, f"q{i}", rater, x) for s, each in scores.items() for i, x in enumerate(each)],
        columns=["system", "case", "rater", "value"],
    )


def test_confidences_are_told_rater_by_rater():
    frame = pd.DataFrame(
        {
            "unit": [1, 2, 3, 1, 2, 3, 1],
            "rater": list("aaabbbc"),
            "value": [1, 2, 3, 2, 2, 5, 4],
            "confidence": [10, 10, 40, 50, 60, None, 90],
        }
    )
    raters = confidence(frame).raters.set_index("rater")
    assert raters.loc["a"].tolist() == [20, pytest.approx(stdev([10, 10, 40])), 2 / 3, 3]
    assert raters.loc["b"].tolist() == [55, pytest.approx(stdev([50, 60])), 0.5, 2]
    assert raters.loc["c", ["mean", "share_constant", "n_ratings"]].tolist() == [90, 1, 1]
    assert np.isnan(raters.loc["c", "sd"])
    found = confidence(frame)
    c = [10, 10, 40, 50, 60, 90]
    assert found.effective_n == pytest.approx(sum(c) ** 2 / sum(v * v for v in c))
    assert found.largest_share == pytest.approx(110 / 260)
    nobody = confidence(frame.assign(confidence=None))
    assert (nobody.effective_n, nobody.largest_share) == (None, None)
    assert nobody.sentence == "No answer carries a confidence."
    assert nobody.closeness.reason == "no_confidence"
    zero = confidence(frame.assign(confidence=0))
    assert (zero.effective_n, zero.largest_share) == (None, None)


def test_surer_and_closer_is_a_slope_within_raters_over_answers_that_others_gave_too():
    rows = [
        *((1, "a", 1, 90), (1, "b", 4, 30), (2, "a", 2, 60), (2, "b", 5, 80), (2, "c", 3, 70)),
        *((3, "b", 5, 20), (3, "c", 1, 40), (4, "a", 4, 10), (5, "a", 3, 50), (5, "c", 3, 95)),
        *((6, "c", 2, 35), (7, "a", 5, 75), (7, "b", 2, 15), (7, "c", 4, 55)),
    ]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value", "confidence"])
    top = bottom = 0.0
    for name in "abc":
        sure, apart = [], []
        for unit, rater, value, confident in rows:
            others = [x for u, r, x, _ in rows if u == unit and r != name]
            if rater == name and others:
                sure.append(confident)
                apart.append(abs(value - np.mean(others)))
        top += sum(
            (c - np.mean(sure)) * (d - np.mean(apart)) for c, d in zip(sure, apart, strict=True)
        )
        bottom += sum((c - np.mean(sure)) ** 2 for c in sure)
    found = confidence(frame, interval=None)
    assert found.closeness.value == pytest.approx(top / bottom)
    both = np.corrcoef(frame["value"], frame["confidence"])[0, 1]
    assert found.correlation.value == pytest.approx(both)


@pytest.mark.parametrize(
    ("units", "raters", "told"), [(30, 3, True), (29, 3, False), (40, 2, False)]
)
def test_whether_surer_is_better_needs_three_raters_and_thirty_items(units, raters, told):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        [
            (i, r, 1 + (i + r + int(rng.integers(0, 2))) % 5, int(rng.integers(10, 100)))
            for i in range(units)
            for r in range(raters)
        ],
        columns=["unit", "rater", "value", "confidence"],
    )
    assert confidence(frame).sentence.endswith("Cannot be checked here.") is not told


@pytest.mark.parametrize(("sign", "which"), [(1, "high"), (-1, "low")])
def test_the_sentence_says_which_scores_raters_were_surer_of(sign, which):
    rng = np.random.default_rng(3)
    values = rng.integers(1, 6, 120)
    frame = pd.DataFrame(
        {"unit": np.arange(120) // 3, "rater": np.arange(120) % 3, "value": values}
    ).assign(confidence=50 + sign * 8 * (values - 3))
    assert f"surer of {which} scores" in confidence(frame).sentence
    chance = frame.assign(confidence=rng.integers(40, 60, 120))
    assert "which may be chance" in confidence(chance).sentence


def test_medians_of_even_numbers_lie_between_and_have_drawn_ends():
    assert median([1, 2, 4, 5]).value == 3
    assert median([1, 2, 5]).value == 2
    assert median([[1, None], [2, 5]]).value == 2
    found = median([1, 2, 3, 4, 5, 5, 5], interval=Interval(draws=200, seed=3))
    assert found.method == "percentile bootstrap over 7 clusters, 200 draws, seed 3"
    assert found.seed == 3
    assert found.low <= 4 <= found.high
    assert median([1, 2, 3, 4], interval=None).low is None
    assert median([2, 2, 2]).reason == "no_spread_for_interval"
    assert median([1, 2]).reason == "too_few_units_for_interval"
    assert median(np.arange(501.0)).low is None
    assert median(np.arange(500.0), interval=Interval(draws=20)).low is not None
    assert median([]).reason == "no_ratings"


def test_spread_needs_two_ratings():
    assert sd([4]).reason == "too_few_units"
    assert sd([4, 6]).value == pytest.approx(stdev([4, 6]))
    assert sd([1e9, 1e9 + 1, 1e9 + 3]).value == pytest.approx(stdev([0, 1, 3]))
    assert mean([]).reason == "no_ratings"
    with pytest.raises(ValueError, match=r"a mean needs numbers and the values are labels \('a'\)"):
        mean(["a", "b"])
