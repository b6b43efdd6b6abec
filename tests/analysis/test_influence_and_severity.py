"""Who and what makes a number: without each rater and unit, each value alone, who rates high."""

from statistics import fmean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from analysis import (
    agreement_by_category,
    alpha,
    alpha_by_category,
    alpha_without_raters,
    alpha_without_units,
    compare_systems,
    confidence,
    confusion,
    distribution,
    kappa,
    kappa_by_category,
    kappa_test,
    mean,
    median,
    rater_severity,
    sd,
    variance_components,
)

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
    units = alpha_without_units(TABLE, level).set_index("unit")
    for i in range(len(TABLE)):
        rest = alpha(TABLE[:i] + TABLE[i + 1 :], level).value
        assert units.loc[i, "estimate"] == pytest.approx(rest, abs=1e-12)
        assert units.loc[i, "change"] == pytest.approx(rest - whole, abs=1e-12)
    sizes = units["change"].abs().round(12).tolist()
    assert sizes == sorted(sizes, reverse=True)
    raters = alpha_without_raters(TABLE, level).set_index("rater")
    for j in range(4):
        rest = alpha([row[:j] + row[j + 1 :] for row in TABLE], level).value
        assert raters.loc[j, "estimate"] == pytest.approx(rest, abs=1e-12)
        assert raters.loc[j, "change"] == pytest.approx(rest - whole, abs=1e-12)


def test_units_of_equal_influence_stand_in_the_order_of_their_names():
    table = pd.DataFrame([[1, 1], [2, 2], [1, 2], [1, 1], [1, 1]], index=[9, 7, 10, 3, "x"])
    assert alpha_without_units(table)["unit"].tolist()[-3:] == [3, 9, "x"]


def test_nobody_has_no_influence():
    assert alpha_without_units([[None, None]]).empty
    assert alpha_without_raters([[None, None]]).empty
    lone = alpha_without_raters([[1, 2], [2, 2]])
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


def test_specific_agreement_is_what_another_rater_says_too():
    found = agreement_by_category(TABLE, scale=[*SCALE, 6]).set_index("value")
    for value in SCALE:
        above = below = 0.0
        for row in TABLE:
            given = [v for v in row if v is not None]
            own = given.count(value)
            if len(given) > 1:
                above += own * (own - 1) / (len(given) - 1)
                below += own
        assert found.loc[value, "estimate"] == pytest.approx(above / below)
        assert found.loc[value, "n_ratings"] == below
    assert np.isnan(found.loc[6, "estimate"])
    assert found.loc[6, "n_ratings"] == 0


def gaps_of(rater):
    """A rater's distances from the mean of the others, unit by unit."""
    for row in TABLE:
        others = [v for j, v in enumerate(row) if j != rater and v is not None]
        if row[rater] is not None and others:
            yield row[rater] - fmean(others)


def test_severity_has_students_interval_over_the_units_a_rater_shares():
    found = rater_severity(TABLE).set_index("rater")
    for rater in range(4):
        own = [row[rater] for row in TABLE if row[rater] is not None]
        gaps, row = list(gaps_of(rater)), found.loc[rater]
        ends = ttest_1samp(gaps, 0).confidence_interval()
        assert row["mean"] == pytest.approx(fmean(own))
        assert row["sd"] == pytest.approx(stdev(own))
        assert row["estimate"] == pytest.approx(fmean(gaps))
        assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
        assert (row["n_units"], row["n_ratings"]) == (len(gaps), len(own))
    wide = rater_severity(TABLE, coverage=0.99).set_index("rater")
    ends = ttest_1samp(list(gaps_of(1)), 0).confidence_interval(0.99)
    assert (wide.loc[1, "low"], wide.loc[1, "high"]) == pytest.approx((ends.low, ends.high))


def test_a_rater_who_shares_no_unit_has_a_mean_and_no_severity():
    found = rater_severity([[1, None, None], [None, 2, 4]]).set_index("rater")
    assert found.loc[0, "mean"] == 1
    assert pd.isna(found.loc[0, "estimate"])
    assert pd.isna(found.loc[0, "sd"])
    assert (found.loc[0, "n_units"], found.loc[0, "n_ratings"]) == (0, 1)
    assert found.loc[1, "estimate"] == -2
    assert rater_severity([[None, None]]).empty


def test_a_distribution_counts_every_value_of_the_scale():
    found = distribution(TABLE, scale=[*SCALE, 6])
    assert len(found) == 5 * 6
    for rater in (None, 0, 1, 2, 3):
        own = found[found["rater"].isna() if rater is None else found["rater"] == rater]
        given = [
            v for row in TABLE for j, v in enumerate(row) if rater in (None, j) and v is not None
        ]
        assert own["value"].tolist() == [*SCALE, 6]
        assert own["n"].tolist() == [given.count(v) for v in [*SCALE, 6]]
        assert own["share"].tolist() == pytest.approx(
            [given.count(v) / len(given) for v in [*SCALE, 6]]
        )
    nobody = distribution([[None]], scale=[1])
    assert nobody["n"].tolist() == [0]
    assert nobody["share"].isna().all()


def test_a_confusion_table_is_counted_over_the_units_both_rated():
    found = confusion(TABLE, 2, 0, scale=SCALE)
    expected = np.zeros((5, 5), dtype=int)
    for row in TABLE:
        if row[0] is not None and row[2] is not None:
            expected[row[2] - 1, row[0] - 1] += 1
    assert found.to_numpy().tolist() == expected.tolist()
    assert (found.index.name, found.columns.name) == ("2", "0")
    assert found.index.tolist() == found.columns.tolist() == SCALE


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


def test_systems_have_students_interval_over_the_cases_both_answered():
    frame = systems({"b": [4, 4, None, 3, 5], "a": [5, 4, 5, None, 2], "c": [None] * 4 + [1.0]})
    found = compare_systems(frame, coverage=0.9).set_index("systems")
    assert found.index.tolist() == ["a − b", "a − c", "b − c"]
    gaps = [1, 0, -3]
    t = ttest_1samp(gaps, 0)
    ends = t.confidence_interval(0.9)
    row = found.loc["a − b"]
    assert row["estimate"] == pytest.approx(fmean(gaps))
    assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))
    assert row["p"] == pytest.approx(t.pvalue)
    assert (row["n_cases"], row["correction"]) == (3, "holm")
    # One p is not corrected for the two pairs that have none.
    assert row["adjusted"] == row["p"]
    assert found.loc["a − c", "n_cases"] == 1
    assert found.loc["a − c", "estimate"] == 1
    with pytest.raises(ValueError, match="no column 'score'"):
        compare_systems(frame, value="score")
    with pytest.raises(ValueError, match="no column 'chunk'"):
        compare_systems(frame, cluster="chunk")


def test_cases_without_a_cluster_each_stand_for_themselves():
    frame = systems({"a": [5, 4, 5, 1, 2, 2], "b": [4, 4, 1, 1, 3, 1]})
    alone = compare_systems(frame).loc[0]
    none = compare_systems(frame.assign(chunk=None), cluster="chunk").loc[0]
    assert (none["low"], none["p"]) == pytest.approx((alone["low"], alone["p"]))
    frame = frame.assign(case=frame["case"].where(frame["case"] != "q1"))
    with pytest.raises(ValueError, match="row 1 has no case"):
        compare_systems(frame)


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
    found = median([1, 2, 3, 4, 5, 5, 5], resamples=200, seed=3)
    assert found.method == "percentile bootstrap over 7 clusters, 200 draws, seed 3"
    assert found.seed == 3
    assert found.low <= 4 <= found.high
    assert median([1, 2, 3, 4], interval=None).low is None
    assert median([2, 2, 2]).reason == "no_spread_for_interval"
    assert median([1, 2]).reason == "too_few_units_for_interval"
    assert median(np.arange(501.0)).low is None
    assert median(np.arange(500.0), resamples=20).low is not None
    assert median([]).reason == "no_ratings"


def test_spread_needs_two_ratings():
    assert sd([4]).reason == "too_few_units"
    assert sd([4, 6]).value == pytest.approx(stdev([4, 6]))
    assert sd([1e9, 1e9 + 1, 1e9 + 3]).value == pytest.approx(stdev([0, 1, 3]))
    assert mean([]).reason == "no_ratings"
    with pytest.raises(ValueError, match=r"a mean needs numbers and the values are labels \('a'\)"):
        mean(["a", "b"])
