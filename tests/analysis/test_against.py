"""One rater against all others: by hand, with clusters, and where there is nothing to compare."""

from statistics import fmean

import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats import t as student
from sklearn.metrics import f1_score
from statsmodels.stats.proportion import proportion_confint

from raterbook.analysis import Interval, Ratings, against
from raterbook.analysis.averages.against import COMPARISONS

TABLE = [[4, 5, 4], [2, 2, 3], [3, 1, 3], [5, None, 5], [1, 2, None], [2, 4, 2]]


def by_name(found):
    return found.set_index("statistic")


def test_each_comparison_is_what_it_says():
    found = by_name(against(TABLE, 2, names=COMPARISONS, interval=None))["estimate"]
    own, others = [4, 3, 3, 5, 2], [[4, 5], [2, 2], [3, 1], [5], [2, 4]]
    middle = [fmean(each) for each in others]
    pairs = list(zip(own, others, middle, strict=True))
    assert found["exact"] == pytest.approx(fmean(fmean(v == o for v in vs) for o, vs, _ in pairs))
    near = fmean(fmean(abs(v - o) <= 1 for v in vs) for o, vs, _ in pairs)
    assert found["within_one"] == pytest.approx(near)
    assert found["mae"] == pytest.approx(fmean(abs(o - m) for o, _, m in pairs))
    assert found["bias"] == pytest.approx(fmean(o - m for o, _, m in pairs))
    assert found["spearman"] == pytest.approx(spearmanr(own, middle).statistic)
    assert found["exact_halves"] == pytest.approx(fmean(o == m for o, _, m in pairs))
    doubled = [[int(2 * v) for v in side] for side in (middle, own)]
    assert found["macro_f1_halves"] == pytest.approx(f1_score(*doubled, average="macro"))


def test_counts_are_those_of_the_units_of_both():
    found = by_name(against(TABLE, 2))
    assert set(found["n_units"]) == {5}
    assert set(found["n_raters"]) == {3}
    assert (found["low"] < found["estimate"]).all()
    clustered = by_name(against(Ratings(TABLE, cluster=list("aabbcc")), 2))
    assert clustered.loc["bias", "low"] != pytest.approx(found.loc["bias", "low"])
    wide = by_name(against(TABLE, 2, interval=Interval(coverage=0.99)))
    assert (wide["low"] < found["low"]).all()


def test_spearmans_interval_is_students_on_fishers_scale_leaving_each_unit_out():
    own = np.array([4, 3, 3, 5, 2, 2, 4, 1, 5, 3, 2, 4])
    middle = np.array([4.5, 2, 3, 5, 3.5, 1, 3, 2, 4, 4, 2.5, 3])
    [found] = against(np.column_stack([middle, own]), 1, names=["spearman"]).itertuples()
    left = np.arctanh([
        spearmanr(np.delete(middle, i), np.delete(own, i)).statistic for i in range(12)
    ])  # fmt: skip
    reach = student.ppf(0.975, 11) * np.sqrt(11 / 12 * ((left - left.mean()) ** 2).sum())
    here = np.arctanh(spearmanr(middle, own).statistic)
    assert (found.low, found.high) == pytest.approx(np.tanh([here - reach, here + reach]))


def test_the_interval_of_f1_is_students_leaving_out_each_unit_and_its_values():
    """Without its only unit a value is no class any more, and F1 is averaged over the rest."""
    own = np.array([4, 3, 3, 5, 2, 4])
    middle = np.array([4, 3, 3.5, 5, 2.5, 3])

    def f1(keep):
        sides = ((2 * side[keep]).astype(int) for side in (middle, own))
        return f1_score(*sides, average="macro")

    [found] = against(np.column_stack([middle, own]), 1, names=["macro_f1_halves"]).itertuples()
    left = np.array([f1(np.arange(6) != i) for i in range(6)])
    reach = student.ppf(0.975, 5) * np.sqrt(5 / 6 * ((left - left.mean()) ** 2).sum())
    assert found.estimate == pytest.approx(f1(np.arange(6)))
    assert found.high - found.estimate == pytest.approx(reach)
    assert found.estimate - found.low == pytest.approx(reach)


def test_a_share_of_several_others_is_no_single_answer():
    """Mostly one of two others is met, which is surer than twelve tosses of a coin."""
    table = [*[[4, 5, 4]] * 10, [3, 3, 3], [2, 2, 1]]
    [found] = against(table, 2, names=["exact"]).itertuples()
    low, _ = proportion_confint(6, 12, method="wilson")
    assert found.estimate == pytest.approx(0.5)
    assert found.low > low + 0.05


def test_without_a_common_unit_there_is_a_reason():
    found = against([[1, None], [None, 2]], 1)
    assert found["estimate"].isna().all()
    assert set(found["reason"]) == {"no_comparison"}


def test_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no rater 'gpt' here"):
        against(TABLE, "gpt")
    with pytest.raises(ValueError, match="unknown comparison 'r': choose exact, within_one"):
        against(TABLE, 2, names=["r"])
