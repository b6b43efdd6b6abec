"""The width of an interval told beforehand, from a pilot or from what is assumed."""

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings, mean, proportion
from raterbook.analysis.assumption import assumed
from raterbook.analysis.coefficients.tables import coefficient
from raterbook.analysis.forecast import Design, forecast, width_of
from raterbook.analysis.intervals import Interval

SCALE = [1, 2, 3, 4, 5]
COEFFICIENTS = ("alpha_ordinal", "kappa_weighted_quadratic", "ac1")
SEVERITY = np.array([-0.3, 0.2, 0.1, 0.3, -0.2])


def drawn(rng, clusters, size, raters, per_unit=None):
    """Ratings on 1–5: what a cluster shares, what a unit is, a rater's severity, and noise."""
    n = clusters * size
    truth = 0.6 * np.repeat(rng.normal(size=clusters), size) + 0.8 * rng.normal(size=n)
    seen = truth[:, None] + SEVERITY[:raters] + 0.8 * rng.normal(size=(n, raters))
    values = np.clip(np.round(3 + seen), 1, 5)
    if per_unit is not None:
        for row in values:
            row[rng.permutation(raters)[per_unit:]] = np.nan
    unit, rater = np.nonzero(np.isfinite(values))
    cells = {"unit": unit, "rater": rater, "value": values[unit, rater].astype(int)}
    frame = pd.DataFrame({**cells, "cluster": unit // size})
    return Ratings(frame, scale=SCALE, cluster="cluster")


def estimate(name, ratings):
    return mean(ratings) if name == "mean" else coefficient(name, ratings, Interval())


def ratios(name, pilot, later, design, pilots, like=False):
    """Planned over realised widths, each of a pilot of its own and of a later round of its own."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(pilots):
        planned = forecast(drawn(rng, *pilot), name).at(design)
        found.append(width_of(planned, like) / width_of(estimate(name, drawn(rng, *later)), like))
    return np.array(found)


DESIGNS = {
    "as large": ((60, 1, 3), (60, 1, 3), Design(60, 3, 3)),
    "four times as large": ((60, 1, 3), (240, 1, 3), Design(240, 3, 3)),
    "raters take turns": ((60, 1, 5, 2), (200, 1, 5, 2), Design(200, 5, 2)),
    "fewer ratings a unit": ((60, 1, 4), (150, 1, 4, 2), Design(150, 4, 2)),
    "larger clusters": ((60, 2, 3), (50, 6, 3), Design(300, 3, 3, 6)),
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["alpha_ordinal", "mean"])
def test_half_of_all_pilots_plan_too_wide_and_half_too_narrow(name, design):
    middle = np.median(ratios(name, *DESIGNS[design], pilots=40))
    assert 0.93 < middle < 1.07


def test_counting_clusters_as_units_plans_far_too_narrow():
    """The control: the same round, planned as if each unit stood alone."""
    pilot, later, design = DESIGNS["larger clusters"]
    alone = Design(design.units, design.raters, design.per_unit, 1)
    assert np.median(ratios("mean", pilot, later, alone, pilots=40)) < 0.8


EVERY = ("mean", *COEFFICIENTS)
TURNS = ("mean", "alpha_ordinal", "ac1")  # a kappa of pairs is not planned there


@pytest.mark.long
@pytest.mark.parametrize(
    ("design", "name"),
    [
        *(("as large", name) for name in EVERY),
        *(("four times as large", name) for name in EVERY),
        *(("raters take turns", name) for name in TURNS),
    ],
)
def test_two_hundred_pilots_of_sixty_units_plan_what_is_realised(name, design):
    found = ratios(name, *DESIGNS[design], pilots=200)
    middle, near = np.median(found), np.mean(np.abs(found - 1) <= 0.25)
    assert 0.95 <= middle <= 1.05, (middle, near)
    assert near >= 0.8, (middle, near)


@pytest.mark.parametrize("name", ["mean", *COEFFICIENTS])
@pytest.mark.parametrize("like", [False, True], ids=["these raters", "raters like these"])
def test_at_the_pilots_own_size_the_width_is_the_pilots_own(name, like):
    ratings = drawn(np.random.default_rng(3), 80, 1, 4)
    planned = forecast(ratings, name).at(Design(80, 4, 4))
    own = width_of(estimate(name, ratings), like)
    assert width_of(planned, like) == pytest.approx(own, rel=0.06)


def test_a_share_is_planned_on_the_logit():
    hits = np.random.default_rng(5).random((120, 2)) < 0.15
    planned = forecast(hits.astype(int), "proportion").at(Design(120, 2, 2))
    assert (planned.low, planned.high) == pytest.approx(own_ends(hits), abs=0.004)


def own_ends(hits):
    found = proportion(hits.astype(int), [1])
    return found.low, found.high


def test_no_number_of_units_takes_away_what_sets_raters_apart():
    pilot = forecast(drawn(np.random.default_rng(8), 60, 1, 5), "mean")
    assert pilot.needed(0.2, Design(60, 5, 5), like=True) is None
    assert pilot.needed(0.2, Design(60, 5, 5)) > 60


def test_the_units_that_are_needed_are_the_fewest():
    pilot = forecast(drawn(np.random.default_rng(8), 60, 1, 3), "alpha_ordinal")
    units = pilot.needed(0.15, Design(60, 3, 3))
    before, there = (width_of(pilot.at(Design(n, 3, 3))) for n in (units - 1, units))
    assert there <= 0.15 < before
    assert pilot.needed(there, Design(60, 3, 3)) == units  # just as wide is no wider


def test_two_raters_cannot_tell_what_a_third_rating_would_do_so_it_is_taken_to_do_nothing():
    pilot = forecast(drawn(np.random.default_rng(8), 60, 1, 2), "alpha_ordinal")
    two, three = (width_of(pilot.at(Design(100, 3, m))) for m in (2, 3))
    assert three == pytest.approx(two)


def test_where_raters_take_turns_a_kappa_of_pairs_is_not_planned():
    pilot = forecast(drawn(np.random.default_rng(8), 60, 1, 4), "kappa_cohen")
    assert pilot.at(Design(100, 4, 2)).reason == "raters_take_turns"


@pytest.mark.parametrize(
    ("table", "name", "reason"),
    [
        ([[3, 3], [3, 3], [3, 3]], "alpha_nominal", "no_variation"),
        ([[1, 1], [2, 2], [3, 3]], "alpha_nominal", "no_disagreement_for_interval"),
        ([[4, 4], [4, 4], [4, 4]], "mean", "no_spread_for_interval"),
        ([[1, 2], [2, 3], [3, 1]], "percent_agreement", "no_spread_for_interval"),
        ([[1, 2], [1, 2], [1, 2]], "alpha_nominal", "no_spread_for_interval"),
        ([[1, None], [None, 2]], "alpha_nominal", "no_pairable_units"),
    ],
)
def test_a_pilot_that_tells_nothing_says_why(table, name, reason):
    assert forecast(table, name).at(Design(50, 2, 2)).reason == reason


def test_the_order_of_units_and_the_names_of_raters_do_not_matter():
    ratings = drawn(np.random.default_rng(4), 30, 2, 3)
    turned = Ratings(
        pd.DataFrame(ratings.codes[::-1, ::-1]).astype(float),
        scale=SCALE,
        cluster=list(np.repeat(np.arange(30), 2)[::-1]),
    )
    design = Design(200, 3, 2, 4)
    one, other = (forecast(each, "alpha_ordinal").at(design) for each in (ratings, turned))
    assert (one.low, one.high_like) == pytest.approx((other.low, other.high_like), rel=1e-9)


@pytest.mark.parametrize("name", ["alpha_nominal", "alpha_ordinal", "kappa_fleiss", "ac1"])
def test_what_is_assumed_comes_out_of_rounds_drawn_that_way(name):
    """Raters see a unit's own value by chance, else any: agreement is the square of that chance."""
    shares, rng = np.array([0.2, 0.3, 0.5]), np.random.default_rng(2)
    made = assumed(name, 0.55, shares)
    sees = 0.55**0.5 if name in ("alpha_nominal", "kappa_fleiss") else _sees(name, shares)
    widths = []
    for _ in range(40):
        truth = rng.choice(3, size=(150, 1), p=shares)
        other = rng.choice(3, size=(150, 3), p=shares)
        table = 1 + np.where(rng.random((150, 3)) < sees, truth, other)
        widths.append(width_of(coefficient(name, Ratings(table, scale=[1, 2, 3]), Interval())))
    assert width_of(made.at(Design(150, 3, 3))) == pytest.approx(np.median(widths), rel=0.05)


def test_what_is_assumed_of_a_rare_value_is_what_its_patterns_give():
    """Two raters see a unit's own value, one in ten, by chance, else any: every pattern counted."""
    shares, sees = np.array([0.1, 0.9]), 0.5**0.5
    each = sees * np.eye(2) + (1 - sees) * shares  # what is true × what is said
    counts = np.rint(4000 * np.einsum("t,ta,tb->ab", shares, each, each)).astype(int)
    table = [[a + 1, b + 1] for a in (0, 1) for b in (0, 1) for _ in range(counts[a, b])]
    found = coefficient("alpha_nominal", Ratings(table, scale=[1, 2]), Interval())
    assert found.value == pytest.approx(0.5, abs=0.01)
    planned = assumed("alpha_nominal", 0.5, shares).at(Design(len(table), 2, 2))
    assert width_of(planned) == pytest.approx(width_of(found), rel=0.02)


def _sees(name, shares):
    """That chance found by drawing, for coefficients that are not its square."""
    rng = np.random.default_rng(6)
    truth, other = (rng.choice(3, size=(60_000, n), p=shares) for n in (1, 3))
    luck, low, high = rng.random((60_000, 3)), 0.0, 1.0
    for _ in range(20):
        sees = (low + high) / 2
        table = Ratings(1 + np.where(luck < sees, truth, other), scale=[1, 2, 3])
        found = coefficient(name, table, Interval(None)).value
        low, high = (sees, high) if found < 0.55 else (low, sees)
    return sees


def test_units_of_a_cluster_that_are_alike_cost_their_design_effect():
    made = assumed("alpha_nominal", 0.6, [0.5, 0.5], alike=0.5)
    single, in_fives = (width_of(made.at(Design(4000, 2, 2, size))) for size in (1, 5))
    assert in_fives / single == pytest.approx(3**0.5, rel=0.02)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Design(10, 2, 3), "2 raters cannot give a unit as many ratings"),
        (lambda: Design(0, 2, 2), "units=0: at least 1"),
        (lambda: forecast([[1, 2], [2, 2]], "icc_2_1"), "no forecast of 'icc_2_1'"),
        (lambda: assumed("ac1", 1.5, [0.5, 0.5]), "value=1.5"),
        (lambda: assumed("ac1", 0.5, [1.0]), "2 to 10 of them"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_remedy(call, said):
    with pytest.raises(ValueError, match=said):
        call()
