"""What counts as missing, which scale holds, what is refused, and what is undefined and why."""

import numpy as np
import pandas as pd
import pytest

from raterbook import analysis
from raterbook.analysis import (
    Interval,
    Ratings,
    agreement,
    alpha,
    gwet,
    icc,
    influence,
    kappa,
    mean,
    older,
)
from raterbook.analysis.coefficients.tables import coefficients, pairwise
from raterbook.analysis.older import alpha_gwet, brennan_prediger
from raterbook.analysis.text import token_f1
from raterbook.numbers.compute import summary

# Krippendorff (2011), section C: four observers, twelve units.
FOUR = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]


def long_frame(table, unit="unit"):
    return pd.DataFrame(
        [(i, f"r{j}", v) for i, row in enumerate(table) for j, v in enumerate(row)],
        columns=[unit, "rater", "value"],
    )


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, "", "  "])
def test_every_kind_of_missing_is_missing(missing):
    table = [["a", "a"], ["b", "b"], ["a", "b"], ["b", missing]]
    without = [["a", "a"], ["b", "b"], ["a", "b"]]
    assert alpha(table).value == alpha(without).value
    assert alpha(table).n_dropped == 1


def test_a_label_spelled_nan_is_a_label():
    found = alpha([["nan", "nan"], ["b", "b"], ["nan", "b"]])
    assert found.n_units == 3
    assert set(found.beside) >= {"observed_agreement", "prevalence", "commonest", "n_pairable"}


def test_object_boolean_and_nullable_columns_are_welcome():
    table = [[1, 1], [2, 2], [1, 2], [2, 1]]
    expected = alpha(table, "nominal").value
    for cells in (
        np.array(table, dtype=object),
        np.array(table) == 1,
        pd.DataFrame(table).astype("Int64"),
        pd.DataFrame(table).astype("category"),
        pd.DataFrame(table).astype(bool),
    ):
        if isinstance(cells, pd.DataFrame) and cells.dtypes.iloc[0].kind == "b":
            assert alpha(cells).reason == "no_variation"
        else:
            assert alpha(cells).value == pytest.approx(expected)


def test_ordinal_alpha_is_krippendorffs_and_gwets_has_its_own_name():
    # Krippendorff (2011), section D; Gwet (2014), table 4.
    assert alpha(FOUR, "ordinal").value == pytest.approx(0.815, abs=0.0005)
    assert alpha_gwet(FOUR, "ordinal").value == pytest.approx(0.834, abs=0.0005)


def test_the_scale_and_not_the_values_seen_makes_the_weights():
    table = [[1, 1], [1, 3], [3, 3], [3, 1], [5, 5]]
    # On 1 to 5 a step of 2 costs (2/4)²; on the ranks 1 2 3 it would cost (1/2)² as well, but
    # a scale of 1 to 9 makes the same answers nearer neighbours.
    five = gwet(table, "quadratic", scale=[1, 2, 3, 4, 5]).value
    nine = gwet(table, "quadratic", scale=list(range(1, 10))).value
    assert nine > five
    assert kappa(table, weights="quadratic", scale=[1, 2, 3, 4, 5]).value == pytest.approx(
        kappa(table, weights="quadratic", scale=list(range(1, 10))).value
    )


def test_a_scale_that_was_not_declared_is_said_to_be_inferred():
    table = [[1, 1], [2, 2], [1, 2]]
    assert "scale_inferred" in gwet(table).warnings
    assert "scale_inferred" in brennan_prediger(table).warnings
    assert "scale_inferred" not in gwet(table, scale=[1, 2, 3]).warnings
    assert "scale_inferred" not in kappa(table).warnings


def test_one_used_value_of_a_declared_scale_is_full_agreement_for_ac1_and_brennan_prediger():
    table = [[2, 2], [2, 2], [2, 2]]
    assert gwet(table, scale=[1, 2, 3]).value == 1
    assert brennan_prediger(table, scale=[1, 2, 3]).value == 1
    assert gwet(table).reason == "scale_not_declared"
    assert brennan_prediger(table).reason == "scale_not_declared"


def test_a_single_value_leaves_alpha_and_kappa_undefined_beside_full_agreement():
    for found in (alpha([[5, 5]] * 4), kappa([[5, 5]] * 4), kappa([[5, 5, 5]] * 4, "fleiss")):
        assert (found.value, found.reason) == (None, "no_variation")
        assert found.beside["observed_agreement"] == 1.0


def test_undefined_has_a_reason_of_its_own():
    assert alpha([[None, None]]).reason == "no_ratings"
    assert alpha([[1], [2]]).reason == "single_rater"
    assert alpha([[1, None], [None, 2]]).reason == "no_pairable_units"
    everything_agrees = np.ones((2, 2))
    assert kappa([[1, 2], [2, 1]], weights=everything_agrees, scale=[1, 2]).reason == (
        "weights_give_no_disagreement"
    )
    assert alpha([[1, 2], [2, 1]], lambda a, b: 0.0).reason == "weights_give_no_disagreement"
    assert icc([[1, 1], [1, 1]]).reason in ("no_spread", "no_variation")


def test_negative_values_are_legal():
    # NLTK's "dress" data: three colours in a circle, alpha −1/3.
    assert alpha([[0, 1], [1, 0], [0, 1], [1, 0]]).value < -0.1
    assert kappa([[0, 1], [1, 0], [0, 1], [1, 0]]).value == -1


def test_two_answers_by_one_rater_are_refused_by_name_or_resolved_on_request():
    frame = long_frame([[1, 2], [2, 2], [1, 1]])
    twice = pd.concat([frame, pd.DataFrame([(1, "r0", 1)], columns=frame.columns)])
    with pytest.raises(ValueError, match="answered twice: r0 on 1"):
        alpha(twice)
    assert alpha(Ratings(twice, keep="first")).value == alpha(frame).value
    changed = frame.copy()
    changed.loc[(changed.unit == 1) & (changed.rater == "r0"), "value"] = 1
    assert alpha(Ratings(twice, keep="last")).value == alpha(changed).value


def test_a_missing_answer_does_not_wipe_out_a_given_one():
    frame = long_frame([[1, 2], [2, 2], [1, 1]]).astype({"value": "float"})
    more = pd.concat([frame, pd.DataFrame([(1, "r0", np.nan)], columns=frame.columns)])
    assert alpha(Ratings(more, keep="last")).value == alpha(frame).value


def test_numeric_strings_need_a_scale_where_order_counts():
    table = [["9", "10"], ["10", "10"], ["9", "9"]]
    assert alpha(table, "nominal").value is not None
    for compute in (
        lambda: alpha(table, "ordinal"),
        lambda: alpha(table, "interval"),
        lambda: kappa(table, weights="quadratic"),
        lambda: gwet(table, "linear"),
        lambda: agreement(table, within=1),
    ):
        with pytest.raises(ValueError, match=r"needs an order.*pass scale="):
            compute()
    assert alpha(table, "ordinal", scale=["9", "10"]).value is not None


def test_a_rating_off_the_scale_is_refused_with_the_scale():
    with pytest.raises(ValueError, match=r"rating 6.* is not on the scale: 1, 2, 3, 4, 5"):
        alpha([[1, 6], [2, 2]], "ordinal", scale=[1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match=r"rating 4.5 is not on the scale"):
        alpha([[1, 4.5], [2, 2]], "ordinal", scale=[1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match=r"rating 'maybe' is not on the scale: yes, no"):
        alpha([["yes", "maybe"]], scale=["yes", "no"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda t: alpha(t, "ordnial"), "Unknown level 'ordnial': choose nominal, ordinal"),
        (lambda t: kappa(t, "cohn"), "unknown kind 'cohn': choose cohen"),
        (lambda t: kappa([[1, 2, 3]], "cohen"), "compares two raters and there are 3"),
        (lambda t: kappa(t, weights="cubic"), "unknown weights 'cubic'"),
        (lambda t: kappa(t, weights=[[1, 0], [0, 1], [0, 0]]), "weights are"),
        (lambda t: kappa(t, weights=[[0.5, 0], [0, 1]]), "1 on the diagonal"),
        (lambda t: icc(t, "ICC4"), "unknown form 'ICC4'"),
        (lambda t: alpha(t, interval="bayes"), "unknown interval 'bayes': choose jackknife"),
        (lambda t: alpha(t, interval=Interval(coverage=95)), "coverage 95 is not between 0 and 1"),
        (lambda t: alpha(Ratings(t, raters=["zoe"])), "no rater 'zoe' here"),
        (lambda t: alpha([[-1, 1]], "ratio"), "ratio level with a negative value -1"),
        (lambda t: alpha([[1, np.inf]]), "an infinite rating"),
        (lambda t: alpha([[1, 2], [1]]), "rows differ in length"),
        (lambda t: alpha([1, 2, 3]), "units × raters"),
        (lambda t: alpha(t, scale=[1, 2, 2]), "names 2 twice"),
        (lambda t: alpha(Ratings(t, cluster=["x"])), "1 cluster labels for 2 units"),
        (lambda t: token_f1("a", "b", "bert"), "unknown tokeniser 'bert'"),
        (lambda t: analysis.proportion(5, 3), "5 of 3 is not a proportion"),
        (lambda t: analysis.mean([["a", "b"]]), "a mean needs numbers"),
        (lambda t: analysis.weighted_mean([1, 2], [1]), "2 values and 1 confidences"),
        (lambda t: older.benchmark(0.5, 0.1, "koch"), "unknown scale 'koch'"),
    ],
)
def test_what_is_wrong_is_named_with_what_to_do(wrong, message):
    with pytest.raises(ValueError) as refused:
        wrong([[1, 2], [2, 2]])
    assert message in str(refused.value)


def test_ratio_level_takes_zero():
    assert alpha([[0, 0], [1, 1], [0, 1]], "ratio").value is not None


def test_a_rater_may_be_left_out_by_naming_the_others():
    frame = long_frame(FOUR)
    some = alpha(Ratings(frame, raters=["r0", "r1", "r2"]), "ordinal")
    assert some.raters == ("r0", "r1", "r2")
    assert some.value == pytest.approx(alpha([row[:3] for row in FOUR], "ordinal").value)


def test_an_estimate_says_what_it_used_and_what_it_dropped():
    found = alpha(FOUR, "ordinal")
    assert (found.n_units, found.n_dropped, found.n_raters, found.n_ratings) == (11, 1, 4, 40)
    assert found.scope == ("these raters", "raters like these")
    assert "alpha_ordinal: 0.8154" in repr(found)
    assert "raters like these" in found._repr_html_()
    assert float(found) == found.value
    assert float(alpha([[1, 1]])) != float(alpha([[1, 1]]))  # NaN: there is none


def test_high_agreement_beside_a_low_coefficient_is_explained():
    # Feinstein and Cicchetti's paradox: 90 % agreement, kappa 0.
    table = [[1, 1]] * 90 + [[1, 2]] * 5 + [[2, 1]] * 5
    found = kappa(table)
    assert found.value < 0
    assert "high_agreement_low_coefficient" in found.warnings
    assert "90% of the units" in found.beside["sentence"]
    assert found.beside["prevalence"] == pytest.approx(0.95)


def test_too_few_disagreements_are_said_and_enough_are_not():
    few = [[1, 1, 1]] * 80 + [[2, 2, 1]] * 20
    enough = [[1, 1, 1]] * 80 + [[2, 2, 1]] * 30
    assert "too_few_disagreements" in alpha(few).warnings
    assert "too_few_disagreements" not in alpha(enough).warnings


def test_a_mean_over_pairs_leaves_out_pairs_that_never_varied_and_says_so():
    table = [[1, 1, 1], [1, 1, 2], [1, 1, 1], [1, 1, 2]]
    found = kappa(table, "light")
    assert found.value == pytest.approx(0.0)
    assert "undefined_pairs" in found.warnings


def test_sets_of_labels_agree_in_part():
    sets = [[{"a", "b"}, {"a"}], [{"c"}, {"c"}], [{"b"}, {"b"}]]
    nominal, jaccard = alpha(sets, "nominal").value, alpha(sets, "jaccard").value
    assert nominal < jaccard < 1
    assert alpha(sets, "masi").value < jaccard


def test_a_rounds_own_frame_goes_straight_in(frame):
    answers = [
        (f"f{i}", 0, rater, "tone", x)
        for rater, scores in {"A": [5, 4, 3, 5], "B": [5, 4, 4, 5], "C": [4, 4, 3, 5]}.items()
        for i, x in enumerate(scores)
    ]
    found = alpha(frame(answers), "ordinal", scale=[1, 2, 3, 4, 5])
    table = [[5, 5, 4], [4, 4, 4], [3, 4, 3], [5, 5, 5]]
    assert found.value == alpha(table, "ordinal", scale=[1, 2, 3, 4, 5]).value
    with pytest.raises(ValueError, match="several questions"):
        alpha(frame([*answers, ("f1", 0, "A", "clarity", 2)]), "ordinal")


def test_full_percent_agreement_still_has_an_interval():
    found = agreement([[1, 1], [2, 2]] * 10)
    # Wilson, 20 of 20.
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.8389, abs=5e-5)


def test_scores_that_hardly_repeat_cost_no_table():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(3000, 1)) + rng.normal(0, 0.5, (3000, 3))
    for level in ("nominal", "ordinal", "interval"):
        assert alpha(scores, level).value is not None
    with pytest.raises(ValueError, match="need a scale of at most 2,000"):
        gwet(scores)
    with pytest.raises(ValueError, match="level 'absolute' needs at most 2,000"):
        alpha(scores, "absolute")
    assert coefficients(scores, ["ac1"])["ac1"].reason == "too_many_values"


PAIRS = [[1, 1], [2, 2], [1, 2], [2, 1], [3, 3], [3, 2]]


def many_labels(n):
    return [[f"v{i:02d}", f"v{i:02d}"] for i in range(n)]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: kappa(PAIRS, "cohn"),
            "unknown kind 'cohn': choose cohen, scott, fleiss, conger or light",
        ),
        (
            lambda: alpha(PAIRS, "ordnial"),
            "Unknown level 'ordnial': choose nominal, ordinal, interval, ratio, circular, bipolar "
            "or absolute; jaccard or masi for sets; or give a distance(a, b)",
        ),
        (
            lambda: kappa(PAIRS, weights="cubic"),
            "unknown weights 'cubic': choose identity, linear, quadratic, ordinal, radical, "
            "ratio, circular or bipolar",
        ),
        (
            lambda: older.benchmark(0.5, 0.1, "koch"),
            "unknown scale 'koch': choose landis_koch, fleiss, altman, regier or cicchetti_sparrow",
        ),
        (
            lambda: alpha(many_labels(6), "ordinal"),
            "level 'ordinal' needs an order, and the values are labels ('v00', 'v01', 'v02', "
            "'v03', 'v04'): pass scale=[…] from lowest to highest",
        ),
        (
            lambda: alpha([["x", "x"]], scale=list("abcdefghijkl")),
            "rating 'x' is not on the scale: a, b, c, d, e, f, g, h, i, j, k, l",
        ),
        (
            lambda: alpha([["x", "x"]], scale=list("abcdefghijklm")),
            "rating 'x' is not on the scale: a, b, c, d, e, f, g, h, i, j, k, l …",
        ),
        (
            lambda: alpha(pd.DataFrame([[1, 2, 3, 4]], columns=list("abcb"))),
            "rater 'b' has two columns: give each rater one",
        ),
        (
            lambda: alpha(pd.DataFrame([range(10)], columns=["value", "rater", *"abcdefgh"])),
            "this looks like a long frame of unit, rater, value, but there is no column 'unit' "
            "(the columns are value, rater, a, b, c, d, e, f)",
        ),
    ],
)
def test_a_message_lists_what_there_is_and_no_more(wrong, said):
    with pytest.raises(ValueError) as refused:
        wrong()
    assert str(refused.value) == said


def test_of_many_questions_four_are_named(frame):
    built = frame([(f"i{i}", 0, "ana", f"q{i}", 3) for i in range(6)])
    with pytest.raises(ValueError, match=r"several questions \(q0, q1, q2, q3\): keep"):
        mean(built)


def test_units_may_have_numbers_that_only_an_unsigned_integer_holds():
    frame = long_frame(PAIRS).assign(unit=np.repeat(np.arange(6, dtype="uint64"), 2))
    large = frame.assign(unit=frame["unit"] + np.uint64(2**63))
    assert alpha(large).value == alpha(frame).value
    assert influence(large, of="units")["unit"].min() == 2**63


def test_a_value_that_comes_late_in_a_long_table_is_counted():
    table = np.ones((40_000, 2))
    table[-1] = 5
    assert np.bincount(Ratings(table).codes.ravel()).tolist() == [0, 79_998, 2]
    assert alpha(table, interval=None).value == 1


def test_labels_that_need_no_order_are_compared_pair_by_pair():
    table = [["a", "b", "c"], ["b", "b", "b"], ["c", "c", "a"], ["a", "a", "a"]]
    for statistic in ("kappa", "alpha", "percent_agreement"):
        assert pairwise(table, statistic).loc[0, 1] > pairwise(table, statistic).loc[0, 2]
    assert pairwise(table, weights=np.eye(3)).equals(pairwise(table))
    with pytest.raises(ValueError, match="weights 'linear' needs an order"):
        pairwise(table, weights="linear")


@pytest.mark.parametrize("least", [1, 2, 24, 25, 125, 126, 127, 128])
def test_whole_numbers_of_any_size_are_values(least):
    table = np.array([[0, 0], [1, 1], [0, 1], [1, 1]])
    found = Ratings(table + least)
    assert (found.scale, np.bincount(found.codes.ravel()).tolist()) == (
        (least, least + 1),
        [0, 3, 5],
    )
    scale = [least, least + 1]
    assert alpha(table + least, scale=scale).value == alpha(table, scale=[0, 1]).value
    frame = long_frame((table + least).tolist())
    assert alpha(frame, "interval").value == alpha(table, "interval").value


def test_a_value_may_be_written_in_any_way_a_number_is(frame):
    built = frame([(f"i{i}", 0, "ana", "tone", x) for i, x in enumerate([3, 4, 3, 1])])
    question = {"tone": {"type": "scale", "level": "ordinal", "scale": [1, 2, 3, 4, 5]}}

    def share(*values):
        of = {"is": list(values), "of": [1, 2, 3, 4, 5]}
        measure = {"statistic": "proportion_fair", "question": "tone", **of}
        return summary(built, [measure], question)[0]["estimate"]

    assert [share(value) for value in (3, 3.0, "3", "3.0", "4.0", "9.0")] == [
        *(0.5, 0.5, 0.5, 0.5, 0.25, 0)
    ]


def test_a_scale_without_values_takes_no_rating():
    with pytest.raises(ValueError, match=r"rating .*\b1\b.* but the scale has no values"):
        alpha([[1, 2]], scale=[])
    assert alpha([[None, None]], scale=[]).reason == "no_ratings"


def test_categories_of_labels_and_of_numbers_are_their_values():
    table = [["x", "y"], ["y", None], ["y", "y"], ["x", "x"]]
    frame = long_frame(table)
    labels = frame.assign(value=pd.Categorical(frame["value"], ["z", "y", "x"]))
    assert alpha(labels).value == alpha(frame).value == alpha(table).value
    assert Ratings(labels).scale == ("x", "y")
    numbers = frame.assign(value=pd.Categorical(frame["value"].map({"x": 1, "y": 4})))
    assert mean(numbers).value == 19 / 7


def test_columns_that_do_not_lie_together_are_read():
    whole = np.array([[1.0, 9, 1], [2, 9, 2], [2, 9, 1]])
    for part in (whole[:, ::2], np.asfortranarray(whole[:, ::2]), whole[:, ::2].astype(int)):
        assert alpha(part).value == alpha([[1, 1], [2, 2], [2, 1]]).value
    for odd in (np.zeros(3), np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match=f"ratings have {odd.ndim} dimension"):
            alpha(odd)


def test_the_parts_of_an_item_are_units_of_their_own(frame):
    given = {("i1", 1): (3, 3), ("i1", 2): (5, 4), ("i2", 1): (1, 2)}
    built = frame([(*at, r, "tone", x) for at, each in given.items() for r, x in zip("ab", each)])
    assert alpha(built, "interval").value == alpha(list(given.values()), "interval").value
    names = sorted(influence(built, of="units")["unit"])
    assert names == ["i1 part 1", "i1 part 2", "i2 part 1"]
    assert sorted(influence(built[built["part"] == 1], of="units")["unit"]) == ["i1", "i2"]


def test_clusters_of_a_column_that_is_not_there_are_refused():
    with pytest.raises(ValueError, match="no column 'chunk' to cluster by"):
        alpha(Ratings(long_frame(PAIRS), cluster="chunk"))


def test_yes_and_no_may_be_a_scale(frame):
    built = frame([(f"i{i}", 0, "ana", "ok", x) for i, x in enumerate([True, False, True])])
    built["number"] = np.nan
    question = {"ok": {"type": "choice", "scale": [True, False]}}
    measure = {"statistic": "proportion_ok", "question": "ok", "is": [True], "of": [True, False]}
    assert summary(built, [measure], question)[0]["estimate"] == 2 / 3
