"""Intervals that would hang on one unit, cluster or rater, and who counts for their width."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from raterbook.analysis import (
    Interval,
    Ratings,
    agreement,
    alpha,
    gwet,
    icc,
    kappa,
    mean,
    proportion,
)
from raterbook.analysis.averages.means import sd
from raterbook.analysis.averages.proportions import proportion_difference
from raterbook.analysis.coefficients.tables import coefficients
from raterbook.analysis.older import brennan_prediger
from raterbook.numbers.compute import summary

# Everything but agreement on 1 stands in the last cluster.
CARRIED = [[1, 1]] * 300 + [[2, 2]] * 30 + [[1, 2]] * 15 + [[2, 1]] * 15
CLUSTERS = [
    *(f"c{i // 7}" for i in range(150)),
    *(f"d{i // 20}" for i in range(150)),
    *["last"] * 60,
]
CHANCE = ("alpha_nominal", "kappa_fleiss", "kappa_raters")


def long(table, clusters=None):
    rows = [(i, j, v) for i, row in enumerate(table) for j, v in enumerate(row) if v is not None]
    found = pd.DataFrame(rows, columns=["unit", "rater", "value"])
    return found if clusters is None else found.assign(chunk=[clusters[i] for i in found["unit"]])


def told(found):
    return found.low, found.high, found.reason, found.beside.get("rests_on")


@pytest.mark.parametrize("interval", ["jackknife", "bootstrap", "bca"])
@pytest.mark.parametrize("name", CHANCE)
def test_where_one_cluster_carries_a_coefficient_there_is_no_interval_but_its_name(name, interval):
    given, wish = Ratings(CARRIED, cluster=CLUSTERS), Interval(interval, draws=50)
    found = coefficients(given, [name], interval=wish)[name]
    assert found.value > 0.6
    assert told(found) == (None, None, "rests_on_one_cluster", "last")
    assert "cluster last" in found.method


def test_the_cluster_of_a_long_frame_is_named_by_its_label():
    found = alpha(Ratings(long(CARRIED, CLUSTERS), cluster="chunk"))
    assert told(found) == (None, None, "rests_on_one_cluster", "last")


@pytest.mark.parametrize("measure", [alpha, kappa, brennan_prediger, gwet])
def test_where_one_unit_carries_a_coefficient_there_is_no_interval_but_its_name(measure):
    table = [[1, 1, None]] * 50 + [[1, 1, 1]] * 50 + [[1, 2, 2]]
    table[3], table[-1] = table[-1], table[3]
    asked = {} if measure in (alpha, kappa) else {"scale": [1, 2]}
    assert told(measure(table, **asked)) == (None, None, "rests_on_one_unit", 3)


def test_an_icc_without_a_value_where_one_unit_leaves_has_no_interval():
    found = icc([[1, 1]] * 20 + [[5, 4]], interval="jackknife")
    assert told(found) == (None, None, "rests_on_one_unit", 20)


def test_where_hardly_any_spread_is_left_without_one_cluster_there_is_no_interval():
    rng = np.random.default_rng(0)
    calm = [[1, 1]] * 290 + [[1, 2]] * 2 + [[2, 1]] * 3 + [[2, 2]] * 5
    rng.shuffle(calm)
    loud = [[2, 2]] * 60 + [[1, 2], [2, 1]] * 10
    clusters = [i // 10 for i in range(300)] + ["loud"] * 80
    assert told(alpha(Ratings(calm + loud, cluster=clusters)))[2:] == (
        "rests_on_one_cluster",
        "loud",
    )


def test_two_clusters_that_carry_all_leave_a_wide_interval_with_few_degrees_of_freedom():
    table = [[1, 1]] * 280 + ([[2, 2]] * 8 + [[1, 2]] * 2 + [[1, 1]] * 30) * 2
    table[-1] = [2, 1]
    clusters = [i // 10 for i in range(280)] + ["e"] * 40 + ["f"] * 40
    found = alpha(Ratings(table, cluster=clusters))
    assert 1 <= found.df < 5
    assert f"t with {found.df:.1f} degrees of freedom" in found.method
    assert found.high - found.low > 0.3


def test_units_that_all_carry_have_students_degrees_of_freedom():
    rng = np.random.default_rng(1)
    level = rng.integers(1, 6, (60, 1))
    table = np.clip(level + rng.integers(-1, 2, (60, 3)), 1, 5)
    found = alpha(table, "ordinal", scale=[1, 2, 3, 4, 5])
    assert found.df == 59
    assert found.method.startswith("jackknife over 60 units on Fisher's z, t;")


def test_where_one_rater_carries_a_coefficient_only_other_raters_are_not_spoken_of():
    table = [["a", "a", "b"], ["a", "a", "a"]] * 15
    frame = pd.DataFrame(table, columns=["ana", "ben", "cy"])
    found = alpha(frame)
    assert found.low < found.value < found.high
    assert (found.low_like, found.high_like) == (None, None)
    assert (found.reason, found.beside["rests_on"]) == ("rests_on_one_rater", "cy")
    assert "none for raters like these: all rests on rater cy" in found.method


def test_a_page_can_say_what_carries_a_number(frame):
    answers = [
        (f"{cluster}-{i}", 0, f"r{j}", "label", "YN"[value - 1])
        for i, (row, cluster) in enumerate(zip(CARRIED, CLUSTERS, strict=True))
        for j, value in enumerate(row)
    ]
    built = frame(answers, chunk={f"{c}-{i}": c for i, c in enumerate(CLUSTERS)})
    questions = {"label": {"type": "choice", "level": "nominal", "scale": ["Y", "N"]}}
    measures = [{"statistic": "alpha_nominal", "question": ["label"]}]
    [row] = summary(built, measures, questions, cluster="chunk")
    assert (row["low"], row["reason"]) == (None, "rests_on_one_cluster")
    assert row["method"] == "no interval: all rests on cluster last"
    alone = summary(built, measures, questions)
    assert alone[0]["low"] is not None


PAIRABLE = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 2], [3, 1]]
AGREEMENT = (alpha, kappa, agreement)


@pytest.mark.parametrize("interval", ["jackknife", "bootstrap", "bca"])
@pytest.mark.parametrize("measure", AGREEMENT)
def test_units_rated_once_change_no_interval_of_agreement(measure, interval):
    more = [[1, None]] * 120 + [[None, 3]] * 80
    asked = {"interval": Interval(interval, draws=200), "scale": [1, 2, 3]}
    alone, among = measure(PAIRABLE, **asked), measure(more[:100] + PAIRABLE + more[100:], **asked)
    assert (among.low, among.high) == pytest.approx((alone.low, alone.high))
    assert among.df == pytest.approx(alone.df)
    assert among.warnings == alone.warnings
    assert "few_clusters" in among.warnings


def test_clusters_in_which_nothing_was_rated_twice_do_not_count():
    table, clusters = [*PAIRABLE, *PAIRABLE], [i // 3 for i in range(12)]
    more = [*table, *[[1, None]] * 60]
    alone = alpha(Ratings(table, cluster=clusters))
    among = alpha(Ratings(more, cluster=[*clusters, *(f"single {i}" for i in range(60))]))
    assert (among.low, among.high, among.df) == pytest.approx((alone.low, alone.high, alone.df))


@pytest.mark.parametrize("measure", [gwet, lambda t, **k: kappa(t, "fleiss", **k)])
def test_chance_from_units_rated_once_leaves_the_degrees_of_freedom_to_the_others(measure):
    among = measure([*PAIRABLE, *[[1, None], [2, None], [3, None]] * 70], scale=[1, 2, 3])
    assert among.df <= 5
    assert "few_clusters" in among.warnings
    assert "over 6 units" in among.method


def test_a_rater_who_never_met_another_is_no_rater_like_these():
    rng = np.random.default_rng(2)
    level = rng.integers(1, 6, (40, 1))
    table = np.clip(level + rng.integers(-1, 2, (40, 3)), 1, 5).astype(float)
    wide = np.full((60, 4), np.nan)
    wide[:40, :3], wide[40:, 3] = table, 3
    one, other = (alpha(t, "interval", scale=[1, 2, 3, 4, 5]) for t in (table, wide))
    assert (one.low_like, one.high_like) == pytest.approx((other.low_like, other.high_like))
    assert "over 3 raters" in other.method


@pytest.mark.parametrize("values", [[5] * 99 + [1], [1] + [5] * 99, [3, 3, 4], [4, 3, 3]])
def test_a_spread_that_one_value_makes_has_no_interval_in_any_order(values):
    found = sd(values)
    assert found.value == pytest.approx(np.std(values, ddof=1))
    alone = next(i for i, x in enumerate(values) if values.count(x) == 1)
    assert told(found) == (None, None, "rests_on_one_unit", alone)


@pytest.mark.parametrize("measure", [mean, sd])
def test_rounding_of_equal_values_is_no_spread(measure):
    assert measure([1e6 / 3] * 12).reason == "no_spread_for_interval"


def test_a_share_that_is_the_same_in_all_units_has_no_interval():
    found = proportion([[1, 0]] * 10, [1])
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert found.reason == "no_spread_for_interval"


def shares(clusters, hits):
    table = long([[hit] for hit in hits], clusters)
    return proportion(Ratings(table, scale=[0, 1], cluster="chunk"), [1])


@pytest.mark.parametrize("hit", [0, 1])
def test_a_share_at_its_end_is_rough_over_few_clusters_and_none_over_two(hit):
    five = shares([i // 3 for i in range(15)], [hit] * 15)
    # Wilson (1927) for 5 of 5: 1 / (1 + 1.959964² / 5).
    assert 1 - abs(five.low - (1 - five.high)) == pytest.approx(1 - 1 / (1 + 3.841459 / 5))
    assert five.warnings == ("few_clusters",)
    assert shares([i // 3 for i in range(30)], [hit] * 30).warnings == ()
    two = shares([0, 0, 0, 1, 1, 1], [hit] * 6)
    assert told(two)[:3] == (None, None, "too_few_units_for_interval")


def test_a_share_whose_hits_stand_in_one_cluster_is_as_wide_as_over_clusters_alone():
    found = shares([i // 10 for i in range(200)], [1] * 6 + [0] * 194)
    # Wilson for .03 of 20: (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n), z² = 3.841459.
    assert (found.low, found.high) == pytest.approx((0.003633, 0.207825), abs=5e-6)
    assert found.method == "Wilson on 20 clusters"


def test_a_recall_of_one_has_the_interval_of_any_share_at_its_end(frame):
    questions = {
        name: {"type": "answer", "level": None, "scale": None}
        for name in ("reference_answer", "generated_answer")
    }
    answers = [
        (item, part, "qa", question, "x")
        for n in range(12)
        for item, question in (
            (f"case:{n}", "reference_answer"),
            (f"{n}/m", "generated_answer"),
        )
        for part in (1, 2)
    ]
    built = frame(answers, kinds={"qa": "model"})
    rows = summary(built, [{"statistic": "recall"}, {"statistic": "precision"}], questions)
    for row in rows:
        assert (row["estimate"], row["high"], row["reason"]) == (1.0, 1.0, None)
        # Wilson for 12 of 12.
        assert row["low"] == pytest.approx(0.7575, abs=5e-5)


def test_a_correlation_that_one_item_makes_has_no_interval_but_its_name(frame):
    scores = [(3, 3)] * 11 + [(5, 5)]
    answers = [
        (f"i{n}", 0, rater, "q", score)
        for n, pair in enumerate(scores)
        for rater, score in zip(("ana", "bot"), pair, strict=True)
    ]
    built = frame(answers, kinds={"bot": "model"})
    questions = {"q": {"type": "scale", "level": "ordinal", "scale": [1, 2, 3, 4, 5]}}
    [row] = summary(built, [{"statistic": "spearman", "question": ["q"]}], questions)
    assert (row["estimate"], row["low"]) == (pytest.approx(1.0), None)
    assert row["reason"] == "rests_on_one_unit"
    assert row["method"] == "no interval: all rests on unit i11"


def test_a_coefficient_below_minus_one_has_an_interval_below_one():
    table = [[1, 2], [1, 2], [2, 1], [1, 2], [1, 1], [1, 2]] * 2 + [[1, None]] * 40
    found = kappa(table, "fleiss")
    assert found.value < -1
    assert found.low < found.value < found.high < 1


def test_a_distance_from_one_that_is_not_known_to_a_factor_of_three_has_no_interval():
    table = [[1, 2], [1, 2], [2, 1], [1, 2], [1, 1], [1, 2]] * 2 + [[1, None]] * 40
    found = kappa(table, "fleiss", interval=Interval(coverage=0.5))
    # The ends lie evenly around the logarithm of the distance from 1.
    reach = np.log((1 - found.low) / (1 - found.value))
    assert np.log((1 - found.value) / (1 - found.high)) == pytest.approx(reach)
    three = 2 * student.cdf(np.log(3) / reach * student.ppf(0.75, found.df), found.df) - 1
    within, beyond = (
        kappa(table, "fleiss", interval=Interval(coverage=three + by)) for by in (-1e-5, 1e-5)
    )
    assert (1 - within.low) / (1 - within.value) == pytest.approx(3, rel=1e-2)
    assert told(beyond)[:3] == (None, None, "too_few_units_for_interval")


def test_where_all_disagree_it_is_not_said_that_nobody_did():
    for found in (kappa([[1, 2]] * 8, "fleiss"), brennan_prediger([[1, 2]] * 8)):
        assert (found.value, found.reason) == (-1, "no_spread_for_interval")


@pytest.mark.parametrize("counts", [(80, 70, 48, 80), (48, 80, 80, 70), (-1, 70, 48, 80)])
def test_more_hits_than_answers_are_no_proportion(counts):
    with pytest.raises(ValueError, match="is not a proportion"):
        proportion_difference(*counts)


def test_one_agreement_that_was_not_met_widens_an_interval_around_zero():
    """On 2, nobody agreed; one unit on which both say 2 would move alpha to a half."""
    table = [[1, 1]] * 50 + [[1, 2], [2, 1], [1, 2]]
    found = alpha(table)
    with_it = alpha([*table, [2, 2]], interval=None)
    assert found.value < 0
    assert found.high > with_it.value > 0.35


def test_the_unit_is_named_where_no_unit_has_all_raters():
    table = [[None, None, 1, 1], [None, None, 1, 1], [None, 1, None, 2]]
    found = alpha(table, scale=[1, 2, 3])
    assert told(found) == (None, None, "rests_on_one_unit", 2)


def test_a_rater_of_one_answer_leaves_with_the_unit_and_the_others_stay():
    """Without the fourth unit the third rater said nothing; the interval is that of all units."""
    none = None
    given = [[1, 1, none], [2, 2, none], [1, 2, none], [2, 1, 1], [1, 1, none], [2, 2, none]]
    found = kappa([*given, [1, 1, none], [2, 1, none]], "conger")
    assert found.value == pytest.approx(0.2727, abs=1e-4)
    assert (found.low, found.high) == pytest.approx((-0.6974, 0.8900), abs=1e-4)


def test_clusters_carry_a_rare_value_by_how_often_they_hold_it():
    """The rare value was given 8, 8, 10 and 10 times: 36² / 328 clusters of equal shares."""
    given, clusters = [[1, 1]] * 60, [f"c{n // 4}" for n in range(60)]
    for name, many in zip("abde", (1, 1, 2, 2), strict=True):
        given += [[2, 2]] * many + [[1, 2], [2, 1]] * 3
        clusters += [name] * (many + 6)
    found = alpha(Ratings(given, cluster=clusters))
    assert found.df == pytest.approx(2 * (36**2 / 328 - 1))
