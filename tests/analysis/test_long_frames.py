"""A long frame gives the table it was made from, whatever its ids are and however it is sorted."""

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings, alpha
from raterbook.analysis.ratings import long as longform
from raterbook.analysis.ratings import values
from raterbook.analysis.ratings.values import whole_numbers

SCALE = [1, 2, 3, 4, 5]


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch):
    """Pieces of a few rows, so that small frames cross their edges."""
    monkeypatch.setattr(longform, "PIECE", 7)
    monkeypatch.setattr(values, "PIECE", 7)


def table(units=30, raters=4, seed=3):
    rng = np.random.default_rng(seed)
    found = rng.integers(1, 6, (units, raters)).astype(float)
    found[rng.random(found.shape) < 0.3] = np.nan
    return found


def frame_of(given, shuffled=None):
    units, raters = given.shape
    frame = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(units), raters),
            "rater": np.tile(np.arange(raters), units),
            "value": given.ravel(),
        }
    ).dropna()
    return frame if shuffled is None else frame.sample(frac=1, random_state=shuffled)


IDS = {
    "from zero": lambda ids: ids,
    "from one": lambda ids: ids + 1,
    "below zero": lambda ids: ids - 5,
    "large": lambda ids: ids + 10**12,
    "far apart": lambda ids: ids * 10**15,
    "small unsigned": lambda ids: ids.astype("uint8"),
    "unsigned": lambda ids: ids.astype("uint64"),
    "nullable": lambda ids: ids.astype("Int64"),
    "strings": lambda ids: "no. " + ids.astype(str),
    "padded strings": lambda ids: ids.map("no. {:04d}".format),
    "categories": lambda ids: ids.astype("category"),
    "floats": lambda ids: ids / 2,
}


@pytest.mark.parametrize("shuffled", [None, 1, 2])
@pytest.mark.parametrize("ids", IDS)
def test_the_frame_counts_as_its_table_does(ids, shuffled):
    given = table()
    frame = frame_of(given, shuffled)
    frame = frame.assign(unit=IDS[ids](frame["unit"]), rater=IDS[ids](frame["rater"]))
    long, wide = alpha(frame, "ordinal", scale=SCALE), alpha(given, "ordinal", scale=SCALE)
    assert long.value == pytest.approx(wide.value)
    assert (long.low, long.high_like) == pytest.approx((wide.low, wide.high_like))
    assert (long.n_ratings, long.n_units) == (wide.n_ratings, wide.n_units)


def test_ids_whose_ends_stand_in_the_middle_of_the_column_are_found():
    frame = frame_of(table())
    middle = frame["unit"].between(10, 12)
    moved = frame.assign(unit=frame["unit"].where(~middle, frame["unit"] - 40))
    assert alpha(moved, scale=SCALE).value == pytest.approx(alpha(frame, scale=SCALE).value)
    assert min(Ratings(moved, scale=SCALE).units) == -30


@pytest.mark.parametrize("shuffled", [None, 4])
def test_two_answers_by_one_rater_are_refused_wherever_the_second_stands(shuffled):
    frame = frame_of(table(), shuffled)
    first = frame.iloc[[0]]
    twice = pd.concat([frame, first.assign(value=3.0)])
    named = f"answered twice: {first['rater'].iloc[0]} on {first['unit'].iloc[0]}"
    with pytest.raises(ValueError, match=named):
        alpha(twice, scale=SCALE)
    kept = Ratings(twice, scale=SCALE, keep="last")
    row = list(kept.units).index(first["unit"].iloc[0])
    assert kept.codes[row, kept.raters.index(first["rater"].iloc[0])] == 3
    same = Ratings(twice, scale=SCALE, keep="first")
    assert (same.codes == Ratings(frame, scale=SCALE).codes).all()


@pytest.mark.parametrize("dtype", ["category", "Int64", "string", "object"])
def test_an_id_that_is_missing_is_named_with_its_row(dtype):
    frame = frame_of(table()).astype({"unit": dtype}).reset_index(drop=True)
    frame.loc[20, "unit"] = pd.NA
    with pytest.raises(ValueError, match="row 20 has no unit"):
        alpha(frame, scale=SCALE)


@pytest.mark.parametrize("odd", [0.0, 0.5, 2.5, -1.0, 127.0, 200.0, 257.0, 1e300, np.inf])
def test_one_rating_that_is_no_small_whole_number_is_not_taken_for_one(odd):
    given = table().ravel()
    given[11] = odd
    coded = whole_numbers(given)
    assert coded is None or (coded[11] == odd and odd == 127)


def test_bytes_are_the_ratings_and_zero_where_one_is_missing():
    given = table()
    assert (whole_numbers(given) == np.nan_to_num(given)).all()


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        (["ben", "ana", "r9", "r10"], ("ana", "ben", "r10", "r9")),
        ([100, 5, 30, 7], (5, 7, 30, 100)),
        ([3, 1, 2, 4], (1, 2, 3, 4)),
        (["b", 10, 9.5, "a"], (9.5, 10, "a", "b")),
    ],
)
def test_raters_stand_in_the_order_of_their_names(given, ordered):
    frame = pd.DataFrame(
        {"unit": [1] * 4 + [2] * 4, "rater": given * 2, "value": [1, 2, 2, 1, 3, 3, 3, 1]}
    )
    assert alpha(frame).raters == ordered
    told = dict(zip(given, [1, 2, 2, 1], strict=True))
    coded = Ratings(frame)
    assert [coded.scale[code - 1] for code in coded.codes[0]] == [told[name] for name in ordered]


@pytest.mark.parametrize(("twice", "more"), [(3, ""), (4, " and 1 more"), (6, " and 3 more")])
def test_of_many_answered_twice_the_first_three_are_named(twice, more):
    frame = pd.DataFrame({"unit": range(6), "rater": "ana", "value": 1})
    both = pd.concat([frame, frame.iloc[:twice].assign(value=2)])
    said = f"answered twice: ana on 0, ana on 1, ana on 2{more}. Remove one"
    with pytest.raises(ValueError, match=said):
        alpha(both)


def test_a_rater_number_that_nobody_has_is_no_rater():
    frame = pd.DataFrame({"unit": [1, 1, 2, 2], "rater": [2, 5, 2, 5], "value": [1, 2, 2, 2]})
    assert alpha(frame).raters == (2, 5)
    with pytest.raises(ValueError, match="no rater 3 here: the raters are 2, 5"):
        alpha(Ratings(frame, raters=[3]))


def test_who_said_nothing_twice_is_not_among_those_who_answered_twice():
    frame = pd.DataFrame({
        "unit": [1, 1, 2, 2, 2],
        "rater": ["ana", "ana", "ana", "ben", "ben"],
        "value": [None, None, 3, 1, 2],
    })  # fmt: skip
    with pytest.raises(ValueError, match=r"answered twice: ben on 2\. Remove one"):
        alpha(frame)
    assert alpha(frame[:4]).n_ratings == 2
