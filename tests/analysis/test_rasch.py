"""Severities by the many-facet Rasch model: known truth, a second implementation, and no answer."""

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import Ratings
from raterbook.analysis.comparison.facets import Facets, Likelihood, Observed, fitted
from raterbook.analysis.comparison.rasch import rasch
from tests.analysis.rater_designs import STEPS, STRICT, Made, joint, scale_of

SEEDS = range(20)


def severities(ratings, **given):
    return rasch(ratings, **given).raters["severity"].to_numpy()


def missing(levels, share, seed):
    """The same with some ratings gone."""
    table = levels.astype(float)
    table[np.random.default_rng(seed).random(table.shape) < share] = np.nan
    return table


def test_severities_of_three_raters_come_out_in_their_own_scale():
    """On average over 20 rounds of 300 items within 5 %."""
    found = [scale_of(severities(Made().drawn(300, seed)[0][:, :, 0], interval=None), STRICT)
             for seed in SEEDS]  # fmt: skip
    assert np.mean(found) == pytest.approx(1, abs=0.05)


def test_joint_maximum_likelihood_stretches_the_same_severities_half_as_wide_again():
    found = [scale_of(joint(Made().drawn(300, seed)[0][:, :, 0]), STRICT) for seed in range(5)]
    assert 1.4 < np.mean(found) < 1.8


def test_items_that_nearly_all_lie_at_the_top_do_not_move_the_scale():
    tables = [Made(mean=2.5).drawn(300, seed)[0][:, :, 0] for seed in SEEDS]
    assert np.mean([(table == 5).all(axis=1).mean() for table in tables]) > 0.3
    found = [scale_of(severities(table, interval=None), STRICT) for table in tables]
    assert np.mean(found) == pytest.approx(1, abs=0.05)


def test_thresholds_and_the_spread_of_the_items_come_out():
    found = rasch(Made().drawn(4000, 3)[0][:, :, 0], interval=None)
    assert found.thresholds["threshold"].to_numpy() == pytest.approx(np.array(STEPS), abs=0.1)
    assert found.sd == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("partial", [False, True])
def test_the_package_mirt_finds_the_same(share, partial):
    """Severities, their standard errors, difficulties, thresholds and the spread."""
    mirt = pytest.importorskip("mirt", reason="pip install raterbook[raters] brings mirt")
    from mirt.models import Facet, PolytomousMFRM

    made = Made((-1.0, -0.3, 0.4, 0.9), criteria=(-0.4, 0.0, 0.4))
    levels = missing(made.drawn(400, 5)[0], share, 6)
    names = {str(c): levels[:, :, c] for c in range(3)}
    found = rasch(names, partial=partial, interval="analytic")
    how = {"category_structure": "partial_credit"} if partial else {}
    model = PolytomousMFRM(3, 5, [Facet("rater", 4)], **how)
    flat = np.where(np.isnan(levels), -1, levels - 1).astype(int).reshape(400, 12)
    raters = np.broadcast_to(np.repeat(np.arange(4), 3), flat.shape)
    peer = mirt.fit_mfrm(
        model, flat, {"rater": raters}, item_indices=np.tile(np.arange(3), 4), n_quadpts=121
    )
    assert found.raters["severity"].to_numpy() == pytest.approx(
        peer.facet_parameters["rater"], abs=1e-4
    )
    assert found.raters["se"].to_numpy() == pytest.approx(peer.facet_se["rater"], rel=1e-3)
    assert found.raters["infit"].to_numpy() == pytest.approx(peer.infit["rater"], abs=1e-3)
    assert found.raters["outfit"].to_numpy() == pytest.approx(peer.outfit["rater"], abs=1e-2)
    assert np.diff(found.criteria["difficulty"]) == pytest.approx(
        np.diff(peer.item_difficulty), abs=1e-4
    )
    assert found.sd == pytest.approx(peer.sigma, abs=1e-4)


def test_the_gradient_is_that_of_the_likelihood():
    levels, _ = Made(criteria=(-0.3, 0.3)).drawn(60, 1)
    unit, rater, criterion = np.indices(levels.shape).reshape(3, -1)
    facets = Facets(Observed(unit, criterion, rater, levels.ravel() - 1), np.arange(60) % 2, 3, [5])
    sums = facets.sums(np.zeros(60, dtype=int), 1).toarray()[0]
    likelihood = Likelihood(facets)
    free = np.random.default_rng(2).normal(size=facets.free.shape[1]) * 0.3
    step = 1e-5 * np.eye(len(free))
    slopes = [
        (likelihood.at(free + each, sums).value - likelihood.at(free - each, sums).value) / 2e-5
        for each in step
    ]
    assert likelihood.at(free, sums).gradient == pytest.approx(np.array(slopes), abs=1e-4)


def observed(levels):
    unit, rater, criterion = np.indices(levels.shape).reshape(3, -1)
    return Observed(unit, criterion, rater, levels.ravel() - 1)


def test_a_level_that_a_criterion_does_not_have_has_no_chance():
    levels, _ = Made(severity=(-0.8, -0.4, 0.0, 0.4, 0.8), criteria=(-0.3, 0.3)).drawn(60, 1)
    levels[:, :, 1] = np.minimum(levels[:, :, 1], 3)
    facets = Facets(observed(levels), np.zeros(60, int), 5, [5, 3])
    sums = facets.sums(np.zeros(60, dtype=int), 1).toarray()[0]
    chances = Likelihood(facets).at(np.full(facets.free.shape[1], 0.1), sums).chances
    assert chances[:, :5].sum(axis=1) == pytest.approx(1)
    assert chances[facets.of_criterion == 1, 3:] == pytest.approx(0)
    assert (chances[facets.of_criterion == 0, :5] > 0).any(axis=2).all()


def test_where_many_criteria_tell_units_finely_apart_the_grid_is_fine_enough():
    made = Made(criteria=tuple(np.linspace(-3, 3, 12)), spread=3)
    facets = Facets(observed(made.drawn(60, 2)[0]), np.zeros(60, int), 3, [5])
    sums = facets.sums(np.zeros(60, dtype=int), 1).toarray()[0]
    likelihood, free = fitted(facets, sums)
    finest = Likelihood(facets, 481)
    best = finest.climb(np.zeros(len(free)), sums)
    assert Likelihood(facets).is_coarse(Likelihood(facets).at(free, sums).posterior)
    assert not likelihood.is_coarse(likelihood.at(free, sums).posterior)
    assert (len(likelihood.nodes) - 1) / 60 in (2, 4, 8)  # twice as fine each time
    assert free == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("criteria", [(0.0,), (0.0, 0.4)])
def test_what_units_add_to_the_gradient_is_the_gradient(criteria):
    """Of two criteria each has thresholds of its own."""
    levels, _ = Made(criteria=criteria).drawn(40, 4)
    unit, rater, criterion = np.indices(levels.shape).reshape(3, -1)
    given = Observed(unit, criterion, rater, levels.ravel() - 1)
    facets = Facets(given, np.zeros(40, int), 3, [5] * len(criteria))
    rows = facets.sums(np.arange(40), 40)
    likelihood = Likelihood(facets)
    free = np.full(facets.free.shape[1], 0.2)
    scores = rows @ likelihood.scores(free)
    each = [likelihood.at(free, row).gradient for row in rows.toarray()]
    assert scores == pytest.approx(np.array(each), abs=1e-9)


def test_the_order_of_units_and_the_names_of_raters_change_nothing():
    levels, cluster = Made(size=3, alike=0.5).drawn(90, 8)
    table = pd.DataFrame(missing(levels[:, :, 0], 0.2, 1), columns=["ana", "ben", "cai"])
    plain = rasch(Ratings(table, cluster=cluster)).raters
    turned = table.sample(frac=1, random_state=3)
    other = Ratings(turned.rename(columns={"ana": 7, "ben": 8, "cai": 9}),
                    cluster=cluster[turned.index])  # fmt: skip
    assert rasch(other).raters[["severity", "low", "high"]].to_numpy() == pytest.approx(
        plain[["severity", "low", "high"]].to_numpy(), abs=1e-6
    )


def test_whoever_is_first_the_severities_are_the_same_to_the_last_digits():
    """Another order climbs another way, and so does another processor: the top is one."""
    rng = np.random.default_rng(9)
    table = np.clip(np.rint(3 + rng.normal(0, 1, (40, 1)) + rng.normal(0, 0.8, (40, 12))), 1, 5)
    table[:, ::3] = np.clip(table[:, ::3] + 1, 1, 5)
    one, other = (
        rasch(each, interval=None).raters["severity"].to_numpy(float)
        for each in (table, table[:, ::-1])
    )
    assert one == pytest.approx(other[::-1], abs=1e-12)


def test_a_unit_that_nobody_rated_changes_nothing():
    table = Made().drawn(60, 2)[0][:, :, 0].astype(float)
    more = np.vstack([table, np.full((2, 3), np.nan)])
    assert rasch(more).raters["low"].to_numpy() == pytest.approx(rasch(table).raters["low"])


def test_fit_is_one_under_the_model_and_higher_for_a_rater_who_guesses():
    levels = Made(severity=(-0.5, 0.0, 0.2, 0.3)).drawn(600, 9)[0][:, :, 0]
    found = rasch(levels, interval=None).raters
    assert found[["infit", "outfit"]].to_numpy() == pytest.approx(1, abs=0.12)
    levels[:, 3] = np.random.default_rng(1).integers(1, 6, 600)
    assert rasch(levels, interval=None).raters["infit"][3] > 1.5


def test_an_interval_over_clusters_is_wider_where_a_rater_s_mood_goes_with_them():
    made = Made(size=10, alike=0.3, moody=0.5)
    levels, cluster = made.drawn(300, 4)
    apart = rasch(Ratings(levels[:, :, 0], cluster=cluster)).raters["se"].mean()
    assert apart > 1.3 * rasch(levels[:, :, 0]).raters["se"].mean()


def test_points_of_raters_who_rated_everything_are_plain_differences_of_means():
    levels = Made().drawn(100, 5)[0][:, :, 0]
    found = rasch(levels, interval=None).raters["points"].to_numpy()
    assert found == pytest.approx(levels.mean(axis=0) - levels.mean(), abs=1e-6)


@pytest.mark.parametrize("partial", [False, True])
def test_points_over_criteria_are_those_of_the_scores_of_both(partial):
    levels = Made(criteria=(-0.7, 0.7)).drawn(100, 5)[0]
    if partial:
        levels[:, :, 1] = np.minimum(levels[:, :, 1], 4)
    several = {name: Ratings(levels[:, :, at], scale=range(1, 6 - (partial and at)))
               for at, name in enumerate("ab")}  # fmt: skip
    found = rasch(several, partial=partial).raters
    expected = levels.mean(axis=(0, 2)) - levels.mean()
    assert found["points"].to_numpy() == pytest.approx(expected, abs=1e-6)
    assert (found["points_low"] < found["points"]).all()


def test_of_two_raters_one_lies_twice_as_far_from_the_other_as_from_their_middle():
    levels = Made(severity=(-0.5, 0.5)).drawn(80, 8)[0][:, :, 0]
    both, one = (rasch(levels, centre=centre).raters.loc[1] for centre in ([0, 1], [0]))
    names = ["severity", "low", "high", "se"]
    assert one[names].tolist() == pytest.approx([2 * value for value in both[names]], rel=1e-6)


@pytest.mark.parametrize("end", [1, 4])
@pytest.mark.parametrize("partial", [False, True])
def test_a_rater_with_one_score_off_an_end_rests_on_it(end, partial):
    """The other criterion has fewer levels, so that its highest is not the first's."""
    levels = np.array(BLOCK * 3).clip(1, 4)
    other = np.where(np.arange(18) == 4, 5 - end, end)
    first = Ratings(np.column_stack([levels, other]), scale=range(1, 5))
    assert set(rasch(first).raters["reason"]) == {"rests_on_one_unit"}
    if partial:
        top = np.column_stack([levels.clip(1, 2), np.where(end == 1, 1, 2) + 0 * other])
        several = {"first": first, "second": Ratings(top, scale=[1, 2])}
        found = rasch(several, partial=True)
        assert set(found.raters["reason"]) == {"rests_on_one_unit"}


def test_a_rater_who_gave_the_lowest_alone_is_left_out():
    table = Made().drawn(60, 7)[0][:, :, 0]
    found = rasch(np.column_stack([table, np.full(60, 1)]), interval=None)
    assert found.raters["reason"].tolist() == [None, None, None, "always_one_end"]


def test_a_fair_mean_takes_out_which_raters_a_system_had():
    """The lenient rater had only the first system, the strict only the second."""
    whole = Made().drawn(1200, 3)[0][:, :, 0].astype(float)
    system = np.where(np.arange(1200) % 2 == 0, "atlas", "birch")
    table = whole.copy()
    table[system == "atlas", 2] = np.nan
    table[system == "birch", 0] = np.nan
    fair = rasch(table, groups=system).fair.set_index("group")
    for name in ("atlas", "birch"):
        true = whole[system == name].mean()
        assert fair.loc[name, "adjusted"] == pytest.approx(true, abs=0.05)
        assert abs(fair.loc[name, "plain"] - true) > 0.2
    assert fair.loc["atlas", "high"] < 0 < fair.loc["birch", "low"]


def test_where_everybody_rated_everything_a_fair_mean_is_the_plain_one():
    levels = Made().drawn(80, 6)[0][:, :, 0]
    fair = rasch(levels, groups=["a", "b"] * 40, interval=None).fair
    assert fair["adjusted"].to_numpy() == pytest.approx(fair["plain"].to_numpy(), abs=1e-6)


def test_a_fair_mean_says_how_many_units_and_ratings_of_its_group_it_is_of():
    levels = Made().drawn(80, 6)[0][:, :, 0].astype(float)
    levels[:5, 0] = np.nan
    fair = rasch(levels, groups=["a"] * 30 + ["b"] * 50, interval=None).fair.set_index("group")
    assert fair["n_units"].to_dict() == {"a": 30, "b": 50}
    assert fair["n_ratings"].to_dict() == {"a": 30 * 3 - 5, "b": 50 * 3}


def test_scores_from_beside_the_centre_are_in_no_mean_of_a_group():
    """A stand-in that gives the lowest level oftenest moves no mean of those who count."""
    levels = Made().drawn(80, 6)[0][:, :, 0].astype(float)
    levels[:, 2] = np.where(np.arange(80) % 4 == 0, levels[:, 2], levels[:, :2].min())
    system = np.where(np.arange(80) % 2 == 0, "atlas", "birch")
    fair = rasch(levels, groups=system, centre=range(2), interval=None).fair
    people = [levels[system == name, :2].mean() for name in fair["group"]]
    assert fair["plain"].to_numpy() == pytest.approx(people)


def test_severities_of_the_centre_average_nothing():
    levels = Made().drawn(100, 6)[0][:, :, 0]
    found = rasch(levels, centre=[0, 1]).raters
    assert found["severity"][:2].mean() == pytest.approx(0, abs=1e-12)
    assert found["points"][:2].mean() == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match=r"centre=\['model'\]: name some of the raters, 0, 1, 2"):
        rasch(levels, centre=["model"])


BLOCK = [[1, 2], [2, 3], [3, 3], [4, 5], [5, 4], [2, 1]]


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[None, None]], "no_ratings"),
        ([[1, None], [2, None]], "single_rater"),
        ([[3, 3], [3, 3]], "no_variation"),
        ([[*row, None, None] for row in BLOCK] + [[None, None, *row] for row in BLOCK],
         "not_connected"),
        ([[at, 100 - at] for at in range(20)], "too_many_values"),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted_has_a_reason_and_no_number(table, reason):
    found = rasch(table)
    assert found.reason == reason
    assert found.raters["severity"].isna().all()
    assert (found.n_units, found.n_clusters) == (0, 0)
    assert found.notes()


@pytest.mark.parametrize(
    ("people", "reason"), [(60, "not_connected"), (61, "too_many_raters_for_interval")]
)
def test_a_crowd_of_more_than_sixty_has_no_severities(people, reason):
    halves = np.arange(people) < people // 2
    table = np.where(np.arange(12)[:, None] % 2 == halves, np.arange(12)[:, None] % 4, np.nan)
    assert rasch(table).reason == reason


def test_what_two_dozen_raters_know_of_a_unit_is_as_on_a_grid_far_finer(monkeypatch):
    table = Made(tuple(np.linspace(-1, 1, 24))).drawn(40, 3)[0][:, :, 0]
    found = rasch(table, interval=None).sd
    monkeypatch.setattr("raterbook.analysis.comparison.facets.NODES", 481)
    assert found == pytest.approx(rasch(table, interval=None).sd, rel=1e-6)


def test_two_levels_are_enough():
    table = Made(steps=(0.0,)).drawn(200, 3)[0][:, :, 0]
    assert rasch(table, interval=None).raters["severity"].is_monotonic_increasing


def test_a_rater_of_the_middle_with_one_score_at_each_end_rests_on_neither():
    levels = np.array(BLOCK * 3).clip(1, 3)
    middle = np.full(18, 2)
    middle[[0, 5]] = 1, 3
    found = rasch(np.column_stack([levels, middle])).raters
    assert found["reason"].isna().all()
    assert found["low"].notna().all()


def test_a_rated_unit_without_a_group_is_named():
    table = pd.DataFrame([[1, 2], [2, 2], [3, 1], [2, 3]], index=list("abcd"))
    with pytest.raises(ValueError, match="no group for unit b: give each rated unit one"):
        rasch(table, groups={"a": "x", "c": "y"})


def test_two_blocks_of_raters_hang_together_by_one_item():
    table = [[*row, None, None] for row in BLOCK] + [[None, None, *row] for row in BLOCK]
    found = rasch([*table, [3, 4, 3, 2]])
    assert found.reason is None
    assert set(found.raters["reason"]) == {"rests_on_one_unit"}
    assert found.raters["low"].isna().all()


def test_units_that_do_not_differ_at_all_leave_severities_and_intervals():
    """What raters say has nothing to do with the unit, so the spread of units is at its bound."""
    rng = np.random.default_rng(2)
    for size in (30, 200):
        found = rasch(np.column_stack([rng.integers(1, 5, size), rng.integers(2, 6, size)]))
        assert found.sd < 0.5
        assert found.raters["low"][0] > 0 > found.raters["high"][1]


def test_a_rater_who_gave_one_end_alone_is_left_out_and_named():
    table = Made().drawn(60, 7)[0][:, :, 0]
    found = rasch(np.column_stack([table, np.full(60, 5)]))
    assert found.raters["reason"].tolist() == [None, None, None, "always_one_end"]
    assert found.raters["severity"][:3].to_numpy() == pytest.approx(severities(table))
    assert found.warnings == ("left_out_at_one_end",)


def test_two_raters_off_the_ends_are_enough():
    table = Made().drawn(60, 7)[0][:, :2, 0]
    found = rasch(np.column_stack([table, np.full(60, 5)]), interval=None)
    assert found.raters["reason"].tolist() == [None, None, "always_one_end"]


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[4, 5, 4]], "too_few_off_the_ends"),  # of one unit each gave one level alone
        ([[4, 5, 4], [4, 5, 5]] * 10, "too_few_off_the_ends"),
        ([[4, 4, 4]] * 5, "no_variation"),
        ([[4, np.nan, np.nan]] * 5, "single_rater"),
    ],
)
def test_raters_who_all_gave_one_end_alone_are_not_said_to_have_answered_nothing(table, reason):
    assert rasch(np.array(table, dtype=float)).reason == reason


def test_a_rater_of_other_units_alone_is_no_rater_of_these():
    levels = Made().drawn(60, 7)[0][:, :, 0].astype(float)
    levels[10:, 2] = np.nan
    found = rasch(Ratings(levels).rows(np.arange(10, 60)), interval=None)
    assert found.raters["rater"].tolist() == [0, 1]
    assert found.raters["reason"].isna().all()
    assert found.warnings == ()


def test_a_rater_with_one_answer_at_an_end_has_given_one_end_alone():
    table = Made().drawn(60, 7)[0][:, :, 0]
    once = np.where(np.arange(60) == 3, 5, np.nan)
    found = rasch(np.column_stack([table, once]), interval=None)
    assert found.raters["reason"].tolist() == [None, None, None, "always_one_end"]


def test_a_level_that_nobody_gave_is_no_step():
    levels = Made().drawn(200, 7)[0][:, :, 0]
    wide = Ratings(np.where(levels == 5, 9, levels), scale=range(1, 10))
    assert severities(wide, interval=None) == pytest.approx(severities(levels, interval=None))


def test_criteria_on_different_scales_need_thresholds_of_their_own():
    levels = Made(criteria=(0.0, 0.0)).drawn(150, 3)[0]
    several = {"a": Ratings(levels[:, :, 0], scale=range(1, 6)),
               "b": Ratings(np.minimum(levels[:, :, 1], 3), scale=[1, 2, 3])}  # fmt: skip
    with pytest.raises(ValueError, match="pass partial=True"):
        rasch(several)
    found = rasch(several, partial=True, interval=None)
    assert found.thresholds.groupby("criterion").size().tolist() == [4, 2]


def test_labels_without_an_order_are_refused():
    with pytest.raises(ValueError, match="needs an order"):
        rasch([["a", "b"], ["b", "c"]])


def test_what_a_page_shows_ends_with_what_is_to_be_known():
    table = [[1, 2], [2, 2], [3, 4], [4, 4], [2, 3], [1, 1], [3, 3], [4, 5], [5, 5], [2, 1]]
    shown = rasch(table, interval=None)
    assert shown._repr_html_().startswith("<table")
    assert shown.thresholds["criterion"].isna().all()
    assert (shown.separation, shown.reliability) == (None, None)
    counts = shown.raters[["n_units", "n_ratings"]]
    numbers = shown.raters.drop(columns=["rater", "reason", *counts])
    assert (set(counts.dtypes), set(numbers.dtypes)) == ({np.dtype(int)}, {np.dtype(float)})
    none = rasch([[1, 1], [1, 1]])
    assert none._repr_html_().endswith(f"</table><p>{none.notes()[0]}</p>")
