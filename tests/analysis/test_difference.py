"""Two systems on the same cases: the paired difference, its clusters and its refusals."""

from statistics import fmean

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from raterbook.analysis import Interval, Ratings, difference


def answers(scores, rater="ana", **columns):
    frame = pd.DataFrame({"unit": [f"q{i}" for i in range(len(scores))], "value": scores})
    return frame.assign(rater=rater, **columns)


def test_a_difference_has_students_interval_over_the_cases_both_answered():
    a, b = answers([5, 4, 5, None, 2]), answers([4, 4, None, 3, 5])
    found = difference(a, b, interval=Interval(coverage=0.9))
    gaps = [1, 0, -3]
    t = ttest_1samp(gaps, 0)
    ends = t.confidence_interval(0.9)
    assert found.value == pytest.approx(fmean(gaps))
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
    assert found.p == pytest.approx(t.pvalue)
    assert (found.n_units, found.n_raters, found.n_ratings) == (3, 1, 6)
    turned = difference(b, a, interval=Interval(coverage=0.9))
    assert (turned.value, turned.p) == pytest.approx((-found.value, found.p))


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_the_p_beside_a_drawn_interval_is_students_too(method):
    gaps = [1, 0, -3, 2, 1]
    found = difference(answers([4 + gap for gap in gaps]), answers([4] * 5), interval=method)
    assert found.p == pytest.approx(ttest_1samp(gaps, 0).pvalue)


def test_a_case_counts_once_however_many_rated_it():
    a = pd.concat([answers([4, 2]), answers([5], rater="ben")])
    found = difference(a, answers([3, 3]), interval=None)
    assert found.value == pytest.approx(fmean([4.5 - 3, 2 - 3]))
    assert found.n_raters == 2


def test_one_common_case_has_a_difference_and_no_p():
    found = difference(answers([1]), answers([2, 5]))
    assert (found.value, found.p, found.reason) == (-1, None, "too_few_units_for_interval")
    assert difference(answers([1]), answers([2]).assign(unit="q9")).reason == "no_common_cases"


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_cases_without_a_cluster_stand_each_alone(missing):
    rng = np.random.default_rng(3)
    a, b = (answers(rng.integers(1, 5, 12).astype(float)) for _ in range(2))
    chunks = [f"a{i // 2}" for i in range(12)]
    lacking = [missing if i < 6 else chunk for i, chunk in enumerate(chunks)]
    named = [f"alone {i}" if i < 6 else chunk for i, chunk in enumerate(chunks)]
    found, expected = (
        difference(*(Ratings(each.assign(chunk=given), cluster="chunk") for each in (a, b)))
        for given in (lacking, named)
    )
    assert (found.value, found.low, found.p) == (expected.value, expected.low, expected.p)
    none = difference(Ratings(a.assign(chunk=missing), cluster="chunk"), b)
    alone = difference(a, b)
    assert (none.low, none.p) == pytest.approx((alone.low, alone.p))
    assert found.low != pytest.approx(alone.low)


def test_a_cluster_said_of_one_side_holds_for_the_other():
    rng = np.random.default_rng(4)
    a, b = (answers(rng.integers(1, 5, 12).astype(float)) for _ in range(2))
    chunks = [f"a{i // 2}" for i in range(12)]
    both = [Ratings(each.assign(chunk=chunks), cluster="chunk") for each in (a, b)]
    assert difference(both[0], b).low == pytest.approx(difference(*both).low)


def test_systems_keep_their_cases_apart_by_cluster():
    a, b = answers([1, 2, 3], chunk=["x", "x", "y"]), answers([2, 2, 4], chunk=["x", "y", "y"])
    with pytest.raises(ValueError, match="unit q1 stands in two clusters"):
        difference(*(Ratings(each, cluster="chunk") for each in (a, b)))


def test_an_answer_without_a_case_is_refused_with_its_row():
    lacking = answers([1, 2, 3])
    lacking["unit"] = lacking["unit"].where(lacking.index != 2)
    with pytest.raises(ValueError, match="row 2 has no unit"):
        difference(lacking, answers([1, 2, 3]))
    with pytest.raises(ValueError, match="no column 'chunk'"):
        difference(Ratings(answers([1]), cluster="chunk"), answers([1]))
