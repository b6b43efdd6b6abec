"""Both intervals on Fisher's z by their definition: units and raters left out by hand."""

import numpy as np
import pytest
from scipy.stats import t as student

from raterbook.analysis import Ratings, alpha, icc, kappa


def given(row):
    return [v for v in row if v is not None]


def effective(shares):
    return np.sum(shares) ** 2 / np.sum(np.square(shares))


def scattered(values, weighs=None):
    """The jackknife's squares; what does not weigh, of units rated once, is a part of its own."""
    values, squares = np.array(values), np.zeros(len(values))
    weighs = np.ones(len(values), bool) if weighs is None else np.array(weighs)
    for part in (weighs, ~weighs):
        if part.any():
            n = part.sum()
            squares[part] = (n - 1) / n * (values[part] - values[part].mean()) ** 2
    return squares


def by_leaving_out(measure, table, clusters, crowd=True):
    """The ends for these raters and for raters like these, and the degrees of freedom.

    A value is rare that is not the commonest. The wider counts of a unit that was met and one
    that was not, on which as many as usual agree on a rare value; in a `crowd` it is as many as
    usual, else all raters.
    """

    def z(rows):
        return np.arctanh(measure(rows, interval=None).value)

    def without(cluster, rater=None):
        rows = [r for r, c in zip(table, clusters, strict=True) if c != cluster]
        return rows if rater is None else [[*r[:rater], *r[rater + 1 :]] for r in rows]

    names, raters = sorted({*clusters}), range(len(table[0]))
    met = [
        any(len(given(r)) > 1 for r, c in zip(table, clusters, strict=True) if c == name)
        for name in names
    ]
    n, here = sum(met), z(table)
    squares = scattered([z(without(name)) for name in names], met)
    paired = [row for row in table if len(given(row)) > 1]
    often = {v: sum(row.count(v) for row in paired) for row in paired for v in given(row)}
    rare = {v: k for v, k in often.items() if k < max(often.values())}
    carried = [
        sum(row.count(v) for row, c in zip(table, clusters, strict=True)
            if c == name and row in paired for v in rare)
        for name in names
    ]  # fmt: skip
    df = min(n - 1, effective(squares) ** 2 - 1, 2 * (effective(carried) - 1))
    usual = round(np.mean([len(given(row)) for row in paired])) if crowd else len(table[0])
    agreed = {v: [v] * usual + [None] * (len(table[0]) - usual) for v in rare}
    far = {v: (z([*table, agreed[v]]) - here) ** 2 for v in rare}
    unmet = sum(far[v] * k for v, k in rare.items()) / sum(rare.values()) - squares.max()
    variance = squares.sum() + max(unmet, 0)
    of_units = student.ppf(0.975, df)
    reach = of_units * np.sqrt(variance)
    ends = np.tanh([here - reach, here + reach])
    if len(raters) < 3:
        return ends, None, df, unmet
    r = len(raters)
    of_raters = student.ppf(0.975, r - 1)
    apart = scattered([z(without(None, rater)) for rater in raters]).sum()
    # What a rater makes of a unit is in both, so each gives up half of it.
    both = np.array([[z(without(name, rater)) for rater in raters] for name in names])
    both = both - both.mean(axis=0) - both.mean(axis=1, keepdims=True) + both.mean()
    many = len(names)
    twice = (many - 1) / many * (r - 1) / r * (both**2).sum()
    u, v = max(variance - twice / 2, 0), max(apart - twice / 2, 0)
    reach = max(reach, (of_units * u + of_raters * v) / np.sqrt(u + v))
    return ends, np.tanh([here - reach, here + reach]), df, unmet


def kind_of(kind):
    return lambda table, **asked: kappa(table, kind, **asked)


def level(name):
    return lambda table, **asked: alpha(table, name, **asked)


def form_of(form):
    def compute(table, **asked):
        return icc(table, form, **{"interval": "jackknife", **asked})

    return compute


HARDLY = [[1, 2, 1], [2, 1, 1], [1, 2, 3], [3, 1, 1], [1, 3, 1], [2, 2, 1]]
WIDE = [[1] * 9 + [2, 2, 3], [2] + [1] * 11, [1] * 10 + [2, 1], [3, 3] + [1] * 10, [1] * 11 + [3]]
GAPS = [[1, 2, None], [None, 2, 1], [3, 1, None], [None, 1, 2], [2, 1, 1], [1, None, 3]]
UNEVEN = [[1, 1, 1]] * 30 + [[1, 1, None]] * 9 + GAPS
MIXED = [
    *([1, 2, None, 1], [2, 2, 3, 2], [None, 3, 3, 4], [3, 1, 3, 3], [2, None, 2, 1]),
    *([1, 1, 2, None], [4, 4, None, 4], [1, None, 1, 1], [2, 3, 2, 2], [3, 3, 4, 3]),
    *([4, 3, 4, None], [None, 1, 1, 2], [2, 2, 2, 3], [4, 4, 3, 4]),
]
ALONE = [*MIXED, [None, 4, None, None], [2, None, None, None], [None, 1, None, None]]
CASES = {
    "alpha of three": (alpha, [[1, 1, 1]] * 30 + HARDLY, True),
    "alpha of two": (alpha, [[1, 1]] * 50 + [[1, 2], [2, 1], [1, 2], [3, 1], [1, 2]], True),
    "alpha of thirteen": (alpha, [[1] * 13] * 12 + [[*row, 1] for row in WIDE], True),
    "alpha of units alike": (level("interval"), [row for row in MIXED for _ in "ab"], True),
    "alpha with gaps": (alpha, UNEVEN, True),
    "ordinal alpha with gaps": (level("ordinal"), MIXED, True),
    "interval alpha with gaps": (level("interval"), MIXED, True),
    "cohen": (kind_of("cohen"), [[1, 1]] * 30 + [row[:2] for row in HARDLY], False),
    "light": (kind_of("light"), [[1, 1, 1]] * 30 + HARDLY, False),
    "light with gaps": (kind_of("light"), MIXED, False),
    "conger": (kind_of("conger"), [[1, 1, 1]] * 30 + HARDLY, False),
    "conger with gaps": (kind_of("conger"), MIXED, False),
    "conger of twelve": (kind_of("conger"), [[1] * 12] * 12 + WIDE, False),
    "fleiss": (kind_of("fleiss"), [[1, 1, 1]] * 30 + HARDLY, True),
    "fleiss with gaps": (kind_of("fleiss"), MIXED, True),
    "fleiss with units rated once": (kind_of("fleiss"), ALONE, True),
    "icc 1": (form_of("ICC1"), MIXED, False),
    "icc 2": (form_of("ICC2"), MIXED, False),
    "icc 2 with units rated once": (form_of("ICC2"), ALONE, False),
    "icc 3k": (form_of("ICC3k"), MIXED, False),
}


@pytest.mark.parametrize("together", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_an_interval_is_what_leaving_out_by_hand_says(name, together):
    measure, table, crowd = CASES[name]
    clusters = [i // together for i in range(len(table))]
    these, like, df, _ = by_leaving_out(measure, table, clusters, crowd)
    found = measure(table if together == 1 else Ratings(table, cluster=clusters))
    assert (found.low, found.high) == pytest.approx(tuple(these), abs=1e-8)
    assert found.df == pytest.approx(df)
    if like is None:
        assert (found.low_like, found.high_like) == (None, None)
    else:
        assert (found.low_like, found.high_like) == pytest.approx(tuple(like), abs=1e-8)


def test_units_rated_once_are_left_out_of_alpha_first():
    more = [[None, 3, None], [3, None, None]] * 20
    one, other = alpha(UNEVEN), alpha([*UNEVEN, *more])
    ends = (one.low, one.high, one.low_like, one.high_like, one.df)
    assert (other.low, other.high, other.low_like, other.high_like, other.df) == pytest.approx(ends)


def test_a_unit_not_met_may_weigh_more_than_any_that_was_and_may_not():
    wider = {
        name: by_leaving_out(measure, table, range(len(table)), crowd)[-1] > 0
        for name, (measure, table, crowd) in CASES.items()
        if name in ("cohen", "conger", "alpha with gaps", "alpha of thirteen")
    }
    assert wider == {**dict.fromkeys(wider, True), "cohen": False}


def test_among_more_than_twelve_raters_nobody_guesses_who_would_agree():
    table = [[1] * 13] * 30 + [[*row, 1] for row in WIDE]
    few = [row[:12] for row in table]
    wide, narrow = (kappa(rows, "conger") for rows in (few, table))
    assert wide.high - wide.low > 1.5
    assert narrow.high - narrow.low < 0.3


def test_two_units_that_hold_a_rare_value_are_not_many():
    found = alpha([[1, 1, 1]] * 30 + [[2, 2, 2], [2, 2, 1]])
    # Three and two of the rare value: effectively 25/13 units.
    assert found.df == pytest.approx(2 * (25 / 13 - 1))
    assert f"t with {found.df:.1f} degrees of freedom" in found.method


@pytest.mark.parametrize(("values", "labels"), [(100, True), (101, False)])
def test_among_more_than_a_hundred_values_none_is_rare(values, labels):
    table = [[1, 1, 1]] * 30 + [[2, 2, 2], [2, 2, 1]]
    found = alpha(table, scale=range(1, values + 1))
    assert (found.df == pytest.approx(2 * (25 / 13 - 1))) is labels


def test_a_published_interval_needs_two_units():
    for measure in (alpha, kind_of("fleiss")):
        one = measure([[1, 2]], interval="analytic")
        assert (one.low, one.reason) == (None, "too_few_units_for_interval")
        two = measure([[1, 2], [2, 2]], interval="analytic")
        assert two.low < two.value < two.high == 1
