"""A confidence stays with the answer it was given for, however the two are handed over."""

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings, weighted_mean
from raterbook.analysis.averages.weighted import confidence


def frame(rows):
    return pd.DataFrame(rows, columns=["unit", "rater", "value", "confidence"])


SURE_OF_FIVE = [(2, "r", 5, 100), (1, "r", 1, 0)]


@pytest.mark.parametrize("ids", ["int64", "string", "category", "object", "float64"])
@pytest.mark.parametrize("rows", [SURE_OF_FIVE, SURE_OF_FIVE[::-1]])
def test_the_order_of_rows_and_the_kind_of_ids_do_not_move_a_confidence(ids, rows):
    assert weighted_mean(frame(rows).astype({"unit": ids})).value == 5


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, "", " "])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_value_takes_its_own_confidence_along(missing, place):
    rows = [("b", "r", 5, 100), ("a", "r", 1, 0)]
    rows.insert(place, ("c", "r", missing, 70))
    given = frame(rows).astype({"value": object})
    found = weighted_mean(given)
    assert (found.value, found.n_ratings) == (5, 2)
    assert confidence(given).plain.value == 3


@pytest.mark.parametrize("keep", ["first", "last"])
def test_of_two_answers_the_one_that_is_kept_brings_its_confidence(keep):
    rows = [("a", "r", 1, 10), ("b", "r", 5, 10), ("a", "r", 3, 30), ("a", "r", None, 99)]
    found = weighted_mean(Ratings(frame(rows), keep=keep))
    kept, sure = {"first": (1, 10), "last": (3, 30)}[keep]
    assert found.value == pytest.approx((kept * sure + 5 * 10) / (sure + 10))


def test_naming_a_rater_takes_that_raters_confidences():
    given = frame([("u", "a", 1, 10), ("u", "b", 5, 90), ("v", "a", 2, 20), ("v", "b", 3, 30)])
    expected = pytest.approx((5 * 90 + 3 * 30) / 120)
    assert weighted_mean(Ratings(given, raters=["b"])).value == expected
    values = given.pivot(index="unit", columns="rater", values="value")
    sure = given.pivot(index="unit", columns="rater", values="confidence")
    assert weighted_mean(Ratings(values, confidence=sure, raters=["b"])).value == expected
    assert (
        weighted_mean(Ratings(values.to_numpy(), confidence=sure.to_numpy(), raters=[1])).value
        == expected
    )
    assert confidence(Ratings(values, confidence=sure, raters=["b"])).weighted.value == expected


def test_where_one_side_has_no_labels_confidences_are_matched_by_their_places():
    values, sure = [[5, 4], [1, 2]], [[90, 60], [10, 40]]
    expected = weighted_mean(values, sure).value
    labels = {"index": ["v", "u"], "columns": ["b", "a"]}
    assert weighted_mean(values, pd.DataFrame(sure, **labels)).value == expected
    assert weighted_mean(pd.DataFrame(values, **labels), sure).value == expected


def test_a_frame_of_confidences_is_matched_by_its_labels():
    values = pd.DataFrame({"a": [5, 1], "b": [4, 2]}, index=["u", "v"])
    sure = pd.DataFrame({"a": [90, 10], "b": [60, 40]}, index=["u", "v"])
    expected = weighted_mean(values, sure).value
    assert expected == pytest.approx((5 * 90 + 10 + 4 * 60 + 2 * 40) / 200)
    assert weighted_mean(values, sure.loc[["v", "u"], ["b", "a"]]).value == expected
    more = sure.assign(c=[1, 2])
    assert weighted_mean(values, more).value == expected


def test_a_series_of_confidences_is_matched_by_its_labels():
    values = pd.Series([5, 1], index=["u", "v"])
    assert weighted_mean(values, pd.Series([0, 100], index=["v", "u"])).value == 5
    given = frame([("u", "a", 5, 0), ("v", "a", 1, 0)]).drop(columns="confidence")
    given.index = ["x", "y"]
    assert weighted_mean(given, pd.Series([0, 100], index=["y", "x"])).value == 5
    assert weighted_mean(given, [100, 0]).value == 5


def test_confidences_without_a_place_for_an_answer_are_refused_by_its_name():
    values = pd.DataFrame({"a": [5, 1], "b": [4, 2]}, index=["u", "v"])
    sure = pd.DataFrame({"a": [90, 10], "b": [60, 40]}, index=["u", "v"])
    with pytest.raises(ValueError, match="no rater b"):
        weighted_mean(values, sure[["a"]])
    with pytest.raises(ValueError, match="no unit v"):
        weighted_mean(values, sure.loc[["u"]])
    with pytest.raises(ValueError, match="no v"):
        weighted_mean(pd.Series([5, 1], index=["u", "v"]), pd.Series([1, 2], index=["u", "w"]))
    with pytest.raises(ValueError, match="label u twice"):
        weighted_mean(values, pd.concat([sure, sure.loc[["u"]]]))


def test_confidences_given_twice_are_refused():
    with pytest.raises(ValueError, match="a column confidence and confidence="):
        weighted_mean(frame(SURE_OF_FIVE), [1, 2])
    with pytest.raises(ValueError, match="a column confidence and confidence="):
        confidence(frame(SURE_OF_FIVE), [1, 2])


def test_no_confidence_at_all_is_said_with_what_to_give():
    with pytest.raises(ValueError, match="no confidences: give a column confidence"):
        weighted_mean(frame(SURE_OF_FIVE).drop(columns="confidence"))


def test_a_confidence_that_cannot_be_read_is_shown():
    with pytest.raises(ValueError, match="confidence 'sure' is not a number"):
        weighted_mean([1, 2], ["sure", 3])
    assert weighted_mean([1, 5], ["0", "80"]).value == 5
    assert weighted_mean([1, 5, 3], [0, 80, ""]).value == 5
    masked = np.ma.array([0.0, 80, 90], mask=[False, False, True])
    assert weighted_mean([1, 5, 3], masked).value == 5


LONG = pd.DataFrame({"unit": [1, 1, 2], "rater": ["a", "b", "a"], "value": [1, 2, 3]})


@pytest.mark.parametrize(
    ("values", "given", "said"),
    [
        (LONG, pd.DataFrame({"c": [1, 2, 3]}), "a frame of confidences beside a long frame"),
        (LONG, pd.Series([1, 2, 3], index=[6, 5, 5]), "have the label 5 twice"),
        (LONG, [1, 2], "3 values and 2 confidences: give one for each"),
        (LONG, None, "no confidences: give a column confidence, or one confidence for each value"),
        (
            [1, 2],
            None,
            "no confidences: give a column confidence, or one confidence for each value",
        ),
        ([1, 2, 3], [50, -2, -1], "confidence -2 is negative: give 0 to 100"),
        ([[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6]], "4 values and 6 confidences"),
    ],
)
def test_confidences_that_fit_no_values_are_refused(values, given, said):
    with pytest.raises(ValueError, match=said):
        weighted_mean(values, given)


@pytest.mark.parametrize("given", [[1, 2, 4], np.array([1, 2, 4]), pd.Series([1, 2, 4])])
def test_one_confidence_a_row_may_be_given_beside_a_long_frame(given):
    assert weighted_mean(LONG, given).value == 17 / 7


def test_two_units_of_one_name_have_no_confidences_of_their_own():
    twice, once = (
        pd.DataFrame([[1, 2], [3, 4]], index=names) for names in (["u", "u"], ["u", "v"])
    )
    with pytest.raises(ValueError, match="two units are called u"):
        weighted_mean(twice, once)
    with pytest.raises(ValueError, match="the confidences have the label u twice"):
        weighted_mean(once, twice)
    turned = (once.T.set_axis(names, axis=1) for names in (["u", "u"], ["u", "v"]))
    with pytest.raises(ValueError, match="rater 'u' has two columns"):
        weighted_mean(*turned)


def test_a_correlation_is_never_above_one_by_rounding():
    """Scores 2, 1, 1 with confidences of hundredths: the sums alone give a hair above 1."""
    found = confidence([2.0, 1.0, 1.0], [0.02, 0.01, 0.01], interval=None).correlation
    assert found.value == 1.0
