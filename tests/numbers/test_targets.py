"""What would settle an undecided target, and which numbers stand for what is needed."""

from dataclasses import replace

import pytest
from scipy.stats import norm

from raterbook.numbers.parameters import Parameters
from raterbook.numbers.targets import (
    Sight,
    decided,
    items_needed,
    plain,
    planned,
    round_up,
    verdict,
)
from raterbook.protocols.measures import Target
from raterbook.rounds.looks import Look, RoundLooks


def target(value, low, high, bound):
    return {"value": value, "low": low, "high": high, "target": bound}


@pytest.mark.parametrize(
    ("found", "needed"),
    [
        # Below the target the upper half decides, above it the lower one: 20 · (.2 / .1)² = 80.
        (target(0.5, 0.4, 0.7, 0.6), 80),
        (target(0.5, 0.3, 0.9, 0.4), 80),
        # 20 · (.19 / .1)² = 72.2, in two figures.
        (target(0.5, 0.4, 0.69, 0.6), 73),
        # Never fewer than there are, and one more at least: the target is in the interval.
        (target(0.5, 0.45, 0.6, 0.6), 21),
        # Twenty rounds like this one are the most: (.2 / x)² is 20 at .0447.
        (target(0.5, 0.4, 0.7, 0.545), 400),
        (target(0.5, 0.4, 0.7, 0.544), None),
        # The estimate is the target, or there is none, or no interval.
        (target(0.5, 0.4, 0.6, 0.5), None),
        (target(None, None, None, 0.5), None),
        (target(0.5, None, 0.7, 0.6), None),
        (target(0.5, 0.4, None, 0.6), None),
    ],
)
def test_half_widths_shrink_with_the_root_of_the_number_of_items(found, needed):
    assert items_needed(found, 20) == needed


@pytest.mark.parametrize(
    ("number", "said"),
    [(137, 140), (12.2, 13), (1501, 1600), (99.2, 100), (100, 100), (101, 110), (9.5, 10),
     (7, 7), (400.0000001, 400), (400.001, 410)],
)  # fmt: skip
def test_items_needed_are_said_in_two_figures_upwards(number, said):
    assert round_up(number) == said


@pytest.mark.parametrize(
    ("at_least", "found", "met", "decided"),
    [
        (True, (0.7, 0.7, 0.8), True, "met"),
        (True, (0.7, 0.69, 0.8), True, "undecided"),
        (True, (0.69, 0.6, 0.7), False, "undecided"),
        (True, (0.6, 0.5, 0.69), False, "missed"),
        (False, (0.7, 0.6, 0.7), True, "met"),
        (False, (0.7, 0.6, 0.71), True, "undecided"),
        (False, (0.71, 0.7, 0.8), False, "undecided"),
        (False, (0.8, 0.71, 0.9), False, "missed"),
        (True, (0.9, None, None), True, "undecided"),
        (True, (None, None, None), False, "undecided"),
    ],
)
def test_the_estimate_meets_a_target_and_the_interval_decides(at_least, found, met, decided):
    bound = {"at_least": 0.7} if at_least else {"at_most": 0.7}
    one = Target(name="t", statistic="alpha_nominal", question="tone", **bound)
    row = dict(zip(("estimate", "low", "high"), found, strict=True))
    row |= {"statistic": "alpha_nominal", "question": "tone", "group": None, "n_items": 9,
            "reason": None, "warnings": []}  # fmt: skip
    told = verdict(one, row)
    assert (told["met"], told["verdict"], told["target"]) == (met, decided, 0.7)


# What may be seen of a round with declared looks, and whether it goes on.

QUARTERS = (0.25, 0.5, 0.75, 1.0)


def sight(*taken, complete=24, state="open", declared=QUARTERS):
    """A round of 80 ratings; each look is its number, how many were complete, and more."""
    looks = tuple(
        Look(number, many, 80, 7 * many, "", **dict(more)) for number, many, *more in taken
    )
    return Sight("r1", RoundLooks(declared, looks, complete, 80, state, None), 0.05)


def test_a_look_has_the_level_that_published_bounds_give_it():
    """Lan and DeMets after O'Brien and Fleming: at half and at the end, 2.963 and 1.969."""
    half = sight((2, 40), declared=(0.5, 1.0))
    end = sight((1, 40), (2, 80), declared=(0.5, 1.0))
    assert half.level() == pytest.approx(2 * norm.sf(2.963), rel=2e-3)
    assert end.level() == pytest.approx(2 * norm.sf(1.969), rel=2e-3)
    assert (half.spent, end.spent) == (pytest.approx(0.00305, abs=5e-6), pytest.approx(0.05))
    assert sight().level() == 1e-9
    assert (sight().spent, sight().until, half.until) == (0.0, 0, 280)
    # Twice at the same answers is one look.
    again = sight((1, 40), (None, 40), declared=(0.5, 1.0))
    assert again.level() == half.level()


def test_before_the_first_look_it_is_said_what_shows_something():
    assert sight(complete=9).waiting() == (
        "Agreement and verdicts are hidden until look 1 of 4, at 25 % of the planned ratings: "
        "9 of 80 are complete. `raterbook close r1` ends the round; `raterbook report r1 --now` "
        "shows them at once, which spends error too and stands on the page."
    )
    assert sight(declared=(1.0,)).where == "the declared look, at 100 % of the planned ratings"
    assert sight((4, 80)).where == "the round is closed"


def test_a_look_says_what_it_spends_and_what_came_since():
    said = sight((1, 20)).standing("Go on.")
    assert said == (
        "Look 1 of 4, at 20 of 80 planned ratings: under .0001 of the error of .05 is spent, and "
        "intervals cover 99.999 %. Go on. By now 24 of 80 are complete; what came since the look "
        "is not shown."
    )
    assert (
        sight((2, 40), complete=40)
        .standing("")
        .startswith("Look 2 of 4, at 40 of 80 planned ratings: .0031 of the error of .05 is spent")
    )
    assert "By now" not in sight((2, 40), complete=40).standing("")
    assert "By now" not in sight((2, 40), complete=41, state="closed").standing("")


def test_looks_that_were_not_declared_are_counted():
    peek = (None, 10, ("reason", "curious"))
    once = sight(peek, complete=10).standing("")
    assert once.startswith("A look that was not declared (curious), at 10 of 80")
    assert "taken" not in once
    assert "Of 2 looks taken 1 had not been declared." in sight(peek, (1, 20)).standing("")
    assert "Of 2 looks taken 2 had not" in sight(peek, (None, 12)).standing("")
    assert sight((None, 60, ("at_end", True))).standing("").startswith("The end of the round, at")


def test_a_look_at_nothing_complete_spends_next_to_nothing_and_says_so():
    said = sight((None, 0), complete=0).standing("")
    assert "0 of 80 planned ratings: under .0001 of the error of .05 is spent" in said
    assert (plain(1e-4), plain(0.99e-4)) == (".0001", "under .0001")


def test_a_look_stands_in_numbers_json_with_what_it_spent():
    found = sight((2, 40), (None, 41), complete=44, declared=(0.5, 1.0))
    told = found.document(("go on", "Go on."))
    assert told == {
        "declared": [0.5, 1.0], "hidden": False, "number": None, "at_end": False, "undeclared": 1,
        "complete": 41, "planned": 80, "error": 0.05, "spent": found.spent,
        "level": found.level(), "decision": "go on", "sentence": found.standing("Go on."),
    }  # fmt: skip
    waiting = sight(complete=9)
    told = waiting.document((None, ""))
    assert (told["hidden"], told["number"], told["at_end"], told["level"]) == (
        True, None, False, None,
    )  # fmt: skip
    assert (told["complete"], told["planned"], told["sentence"]) == (9, 80, waiting.waiting())


@pytest.mark.parametrize(
    ("high", "go", "said"),
    [
        (-0.1, "stop", "Stop: every difference of two systems is decided."),
        (0.1, "go on", "Go on: 1 of 2 differences of two systems is not decided; next is look 2 of "
                       "4, at 50 % of the planned ratings."),
    ],
)  # fmt: skip
def test_without_targets_the_differences_of_systems_decide(high, go, said):
    row = {"statistic": "difference", "question": "tone", "low": -0.5, "p_corrected": None,
           "aggregate": None, "estimate": -0.3, "reason": None}  # fmt: skip
    rows = [
        row | {"group": {"systems": "a − b"}, "high": -0.2},
        row | {"group": {"systems": "a − c"}, "high": high},
        row | {"statistic": "mean", "group": None, "high": 0.5},
    ]
    assert decided(sight((1, 20)), [], rows) == (go, said)


def test_an_interval_that_is_drawn_needs_draws_beyond_its_ends():
    asked = Parameters("r1", interval="bootstrap", resamples=2000)
    early, late = sight((2, 40), declared=(0.5, 1.0)), sight((2, 80), declared=(0.5, 1.0))
    with pytest.raises(ValueError, match=r"2,000 draws carry no interval of 99\.69"):
        early.parameters(asked)
    with pytest.raises(ValueError, match=r"Use jackknife, or resamples=6600\.$"):
        early.parameters(asked)
    # A million draws are the most that may be asked for: the first is just within, the next is not.
    for complete, remedy in (
        (17, r"Use jackknife, or resamples=1000000\."),
        (16, "Use jackknife."),
    ):
        looks = (Look(1, complete, 66, 9, ""),)
        first = Sight("r1", RoundLooks((0.2, 1.0), looks, complete, 66, "open", None), 0.05)
        with pytest.raises(ValueError, match=f"{remedy}$"):
            first.parameters(asked)
    assert late.parameters(asked).coverage == pytest.approx(0.95)
    enough = replace(asked, resamples=6600)
    assert early.parameters(enough).coverage == pytest.approx(1 - early.level())
    assert sight().parameters(asked) is asked


@pytest.mark.parametrize(
    ("verdicts", "go", "said"),
    [
        ([], "go on", "Go on: there is no target and no comparison to decide yet."),
        (["met"], "stop", "Stop: the only target is decided."),
        (["met", "missed"], "stop", "Stop: every target is decided."),
        (["undecided"], "go on", "Go on: the only target is not decided; next is look 2 of 4, "
                                 "at 50 % of the planned ratings."),
        (["undecided", "met"], "go on", "Go on: 1 of 2 targets is not decided; next is look 2 of "
                                        "4, at 50 % of the planned ratings."),
        (["undecided"] * 2 + ["met"], "go on", "Go on: 2 of 3 targets are not decided; next is "
                                               "look 2 of 4, at 50 % of the planned ratings."),
    ],
)  # fmt: skip
def test_a_round_goes_on_until_every_target_is_decided(verdicts, go, said):
    targets = [{"name": f"t{at}", "verdict": each, "value": 0.5, "reason": None}
               for at, each in enumerate(verdicts)]  # fmt: skip
    assert decided(sight((1, 20)), targets, []) == (go, said)
    assert decided(sight(), targets, []) == (None, "")
    if go == "go on" and verdicts:
        end, last = decided(sight((None, 60, ("at_end", True))), targets, [])
        assert (end, last.startswith("At the end ")) == ("end", True)


def test_what_nobody_measured_is_no_target_that_a_look_decides():
    given = {"name": "a", "verdict": "met", "value": 0.5, "reason": None}
    unmeasured = {"name": "b", "verdict": "undecided", "value": None, "reason": "no_comparison"}
    for ending, said in (
        ("met", "Stop: the only measured target is decided."),
        ("undecided", "Go on: the only measured target is not decided; next is look 2 of 4, "
                      "at 50 % of the planned ratings."),
    ):  # fmt: skip
        assert decided(sight((1, 20)), [given | {"verdict": ending}, unmeasured], [])[1] == said


def test_declared_looks_are_told_with_what_each_may_spend():
    assert planned(RoundLooks((0.5, 1.0), (), 0, 80, "open", None)) == [
        "at    50 %  spent       .0031  intervals cover 99.695 %",
        "at   100 %  spent         .05  intervals cover 95.1 %",
    ]
