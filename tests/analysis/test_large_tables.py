"""Many units, raters or values go other ways through the counting; the number is the same."""

import krippendorff
import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings, agreement, alpha, kappa, mean
from raterbook.analysis import coefficients as statistic
from raterbook.analysis.averages import against
from raterbook.analysis.coefficients import kappa as kappa_module
from raterbook.analysis.coefficients.tables import coefficients, statistic_named
from raterbook.analysis.intervals import raters as raters_module
from raterbook.analysis.intervals.resampling import in_order
from raterbook.analysis.ratings import patterns
from raterbook.numbers.compute import summary


def table(n, raters, q, seed=1, missing=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, q + 1, (n, 1))
    found = np.where(rng.random((n, raters)) < 0.6, truth, rng.integers(1, q + 1, (n, raters)))
    found = found.astype(float)
    found[rng.random(found.shape) < missing] = np.nan
    return found


def long_frame(given):
    units, raters = given.shape
    return pd.DataFrame(
        {
            "unit": np.repeat(np.arange(units), raters),
            "rater": np.tile(np.arange(raters), units),
            "value": given.ravel(),
        }
    )


# (q + 1) to the power of the raters fits single precision, two, four and eight bytes, or none.
@pytest.mark.parametrize(
    ("raters", "q"), [(3, 2), (5, 5), (6, 9), (6, 16), (8, 7), (9, 5), (12, 9), (20, 9), (30, 4)]
)
def test_a_pattern_is_told_apart_however_many_raters_and_values(raters, q):
    given = table(150, raters, q)
    scale = list(range(1, q + 1))
    expected = krippendorff.alpha(given.T, level_of_measurement="ordinal")
    clusters = np.arange(150) // 3
    for wide in (given, np.asfortranarray(given), pd.DataFrame(given)):
        assert alpha(wide, "ordinal", scale=scale, interval=None).value == pytest.approx(expected)
    frame = long_frame(given)
    assert alpha(frame, "ordinal", scale=scale, interval=None).value == pytest.approx(expected)
    without = [
        krippendorff.alpha(given[clusters != c].T, level_of_measurement="ordinal")
        for c in range(50)
    ]
    se = (49 / 50 * ((np.array(without) - np.mean(without)) ** 2).sum()) ** 0.5
    together = alpha(Ratings(given, scale=scale, cluster=clusters), "ordinal")
    assert together.value == pytest.approx(expected)
    assert together.se == pytest.approx(se)


@pytest.mark.parametrize("n", [8191, 8192, 8193, 70_001])
def test_tables_of_several_pieces_are_counted_whole(n):
    given = table(n, 3, 3)
    expected = krippendorff.alpha(given.T, level_of_measurement="nominal")
    given = given.astype(np.float64)
    assert alpha(given, scale=[1, 2, 3], interval=None).value == pytest.approx(expected)
    found = alpha(long_frame(given), scale=[1, 2, 3], interval=None)
    assert found.value == pytest.approx(expected)
    assert found.n_ratings == np.isfinite(given[np.isfinite(given).sum(axis=1) > 1]).sum()
    assert mean(given, interval=None).value == pytest.approx(np.nanmean(given))


def test_sums_made_in_steps_are_the_sums(monkeypatch):
    given, asked = table(60, 4, 4), {"scale": [1, 2, 3, 4]}
    names = ["alpha_ordinal", "kappa_raters", "ac2", "icc_2_1", "percent_agreement"]
    whole = coefficients(given, names, **asked)
    monkeypatch.setattr(patterns, "CELLS", 50)
    stepped = coefficients(given, names, **asked)
    for name in names:
        assert stepped[name].value == pytest.approx(whole[name].value)
        assert stepped[name].se == pytest.approx(whole[name].se)


def test_units_resampled_in_groups_keep_the_value_and_about_the_spread(monkeypatch):
    given, asked = table(900, 3, 3), {"scale": [1, 2, 3]}
    whole = alpha(given, **asked)
    clusters = np.arange(900) // 2
    together = alpha(Ratings(given, cluster=clusters, **asked))
    monkeypatch.setattr(statistic, "LARGE", 1)
    assert alpha(given, **asked).value == pytest.approx(whole.value)
    grouped = alpha(Ratings(given, cluster=clusters, **asked))
    assert grouped.value == pytest.approx(together.value)
    assert grouped.se == pytest.approx(together.se, rel=0.15)


def test_units_that_are_alike_are_as_many_in_groups_as_they_are(monkeypatch):
    kinds = [[1, 1], [1, 2], [2, 2], [2, 1], [3, 3]]
    given, asked = kinds * 80 + [[1, 1]] * 300, {"scale": [1, 2, 3]}
    clusters = np.arange(len(given)) // 7
    whole, together = alpha(given, **asked), alpha(Ratings(given, cluster=clusters, **asked))
    # Four patterns have five sums each.
    monkeypatch.setattr(statistic, "LARGE", 20)
    assert alpha(given, **asked) == whole
    monkeypatch.setattr(statistic, "LARGE", 19)
    assert "over 200 units" in alpha(given, **asked).method
    assert alpha(given, **asked).value == pytest.approx(whole.value)
    # A hundred clusters are a hundred groups.
    monkeypatch.setattr(statistic, "LARGE", 1)
    grouped = alpha(Ratings(given, cluster=clusters, **asked))
    assert grouped.value == pytest.approx(together.value)
    assert grouped.se == pytest.approx(together.se, rel=0.01)
    # The patterns one at a time, or all together: the groups are the same.
    monkeypatch.setattr(patterns, "CELLS", 1)
    assert alpha(Ratings(given, cluster=clusters, **asked)).se == pytest.approx(grouped.se)


def test_rows_are_ordered_by_what_they_hold_and_rounding_tells_nothing_apart():
    rows = np.array([[2.0, 1], [0.1 + 0.2, 5], [0.3, 4], [2.0, 0], [0.3, 4]])
    weights = np.array([1, 1, 3, 1, 2])
    order = in_order(rows, weights)
    assert order.tolist() == [4, 2, 1, 3, 0]
    assert in_order(rows[::-1] * 1e9, weights[::-1]).tolist() == [0, 2, 3, 1, 4]
    assert in_order(np.zeros((0, 2)), np.zeros(0)).tolist() == []


@pytest.mark.parametrize("raters", [11, 12, 13, 14])
def test_kappas_of_crowds_are_the_mean_over_pairs(raters):
    given = table(40, raters, 3, missing=0.4)
    each = []
    for i in range(raters):
        for j in range(i + 1, raters):
            two = kappa(given[:, [i, j]], "cohen", "linear", scale=[1, 2, 3], interval=None)
            if two.value is not None:
                each.append(two.value)
    found = kappa(given, "light", "linear", scale=[1, 2, 3], interval=None)
    assert found.value == pytest.approx(np.mean(each))
    shares = agreement(given, interval=None).value
    assert 0 < shares < 1


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 2])
def test_kappas_counted_where_memory_is_short_are_the_kappas(monkeypatch, clusters):
    given = Ratings(table(60, 4, 3), scale=[1, 2, 3], cluster=clusters)
    whole = kappa(given, "light", "linear")
    monkeypatch.setattr(kappa_module, "LARGE", 1)
    short = kappa(given, "light", "linear")
    assert short.value == pytest.approx(whole.value)
    ends = pytest.approx((whole.low, whole.high), rel=0.03)
    assert (short.low, short.high) == ends


def test_clusters_are_left_out_one_by_one_while_their_kappas_have_room(monkeypatch):
    given = Ratings(table(500, 3, 3, missing=0), cluster=np.arange(500) // 2)
    # Of 250 clusters each of three pairs has seven sums.
    for room, many in ((250 * 3 * 7, 250), (250 * 3 * 7 - 1, 200)):
        monkeypatch.setattr(kappa_module, "LARGE", room)
        assert f"over {many} clusters" in kappa(given, "light").method


@pytest.mark.parametrize("alike", [0, 300])
def test_units_are_left_out_one_by_one_while_what_they_take_along_has_room(alike, monkeypatch):
    ratings = table(400, 9, 4)
    ratings[:alike] = 1  # they are spread over the groups, and do not all leave at once
    given = Ratings(ratings, scale=[1, 2, 3, 4])
    moved = statistic_named("kappa_raters", given).departures(given.patterns)
    ways = []
    for room in (len(moved.kinds) * 9, len(moved.kinds) * 9 - 1):
        monkeypatch.setattr(raters_module, "LARGE", room)
        ways.append(kappa(given, "light"))
    whole, grouped = ways
    met = 399 if alike == 0 else 400
    assert f"over {met} units" in whole.method
    assert "over 200 units" in grouped.method
    assert grouped.value == pytest.approx(whole.value)
    assert grouped.se == pytest.approx(whole.se, rel=0.15)


def test_a_correlation_of_too_many_kinds_of_pairs_has_no_interval(monkeypatch, frame):
    scores = [(1, 2), (3, 3), (4, 5), (5, 4), (2, 2)]
    answers = [
        (f"i{i}", 0, r, "q", x)
        for i, both in enumerate(scores)
        for r, x in zip(("ana", "bot"), both, strict=True)
    ]
    question = {"q": {"type": "scale", "level": "ordinal", "scale": [1, 2, 3, 4, 5]}}
    measures = [{"statistic": "spearman", "question": "q"}]

    def row():
        return summary(frame(answers, kinds={"bot": "model"}), measures, question)[0]

    usual = row()
    assert usual["reason"] is None
    monkeypatch.setattr(against, "MOST_CELLS", 25)
    assert row() == usual
    monkeypatch.setattr(against, "MOST_CELLS", 24)
    assert (row()["estimate"], row()["low"]) == (usual["estimate"], None)
    assert row()["reason"] == "too_many_values"


def test_units_of_one_pattern_stand_in_many_groups(monkeypatch):
    given = [[1, 1]] * 700 + [[1, 2]] * 150 + [[2, 2]] * 150
    whole = alpha(given)
    monkeypatch.setattr(statistic, "LARGE", 1)
    assert alpha(given).se == pytest.approx(whole.se, rel=0.1)


NAMES = [f"c{number:03d}" for number in range(300)]
ONE_DIFFERS = ([[1, 1]] * 599 + [[1, 2]], np.repeat(NAMES, 2))
ONE_IS_HUGE = ([[1, 2]] * 299 + [[2, 2]] * 5000, NAMES[:-1] + NAMES[-1:] * 5000)


@pytest.mark.parametrize(("compute", "rated"), [(alpha, ONE_DIFFERS), (mean, ONE_IS_HUGE)])
def test_nobody_is_named_where_units_are_resampled_in_groups(monkeypatch, compute, rated):
    ratings = Ratings(rated[0], cluster=rated[1])
    assert compute(ratings).beside["rests_on"] == "c299"
    monkeypatch.setattr(statistic, "LARGE", 1)
    grouped = compute(ratings)
    assert grouped.reason == "rests_on_one_cluster"
    assert "rests_on" not in grouped.beside
    assert "c099" not in grouped.method


def test_of_very_many_values_those_given_twice_agree_with_themselves():
    agreed = [[float(n), float(n)] for n in range(60)]
    given = agreed + [[200.0 + n, 300.0 + n] for n in range(30)]
    expected = krippendorff.alpha(np.array(given).T, level_of_measurement="nominal")
    assert alpha(given, interval=None).value == pytest.approx(expected)


@pytest.mark.parametrize(("low", "high"), [(0, 5), (0, 10_000_000), (-3, 4), (7, 8)])
@pytest.mark.parametrize("many", [0, 1, 200])
def test_codes_are_numbered_as_numpy_does_whatever_their_range(low, high, many):
    codes = np.random.default_rng(many).integers(low, high, many)
    found, first, place = np.unique(codes, return_index=True, return_inverse=True)
    ours = patterns.numbered(codes)
    assert [each.tolist() for each in ours] == [found.tolist(), first.tolist(), place.tolist()]
    assert patterns.how_many(codes) == len(found)
