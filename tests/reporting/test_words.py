"""Numbers as people read them, targets by estimate and by interval, and what would settle them."""

from types import SimpleNamespace

import pytest

from raterbook.numbers.targets import items_needed, verdict, verdicts
from raterbook.reporting.html import legible, short, table
from raterbook.reporting.sections.verdict import sentence
from raterbook.reporting.sections.weighting import sentence as weighting
from raterbook.reporting.words import count, interval, listing, number, signed


def row(value, low=None, high=None, statistic="percent_match", **further):
    return {
        "statistic": statistic,
        "question": "label",
        "group": None,
        "aggregate": None,
        "estimate": value,
        "low": low,
        "high": high,
        "n_items": 100,
        "reason": None,
        **further,
    }


def at_least(bound, statistic="percent_match"):
    return SimpleNamespace(
        name="Match",
        statistic=statistic,
        question="label",
        group=None,
        at_least=bound,
        at_most=None,
    )


@pytest.mark.parametrize(
    ("value", "statistic", "shown"),
    [
        (0.856, "percent_match", "86\u00a0%"),
        (0.004, "recall", "0.4\u00a0%"),
        (0.991, "percent_match", "99.1\u00a0%"),
        (1.0, "recall", "100\u00a0%"),
        (-0.126, "kappa_raters", "−0.13"),
        (-0.001, "alpha_nominal", "0.00"),
        (None, "mean", "–"),
    ],
)
def test_a_number_is_rounded_where_a_person_reads_it(value, statistic, shown):
    assert number(value, statistic) == shown


def test_intervals_signs_counts_and_lists_read_as_in_a_sentence():
    assert interval(0.78, 0.92, "percent_match") == "78–92\u00a0%"
    assert interval(-0.1, 0.5, "kappa_raters") == "−0.10 to 0.50"
    assert [signed(0.123), signed(-0.4), signed(0.001)] == ["+0.12", "−0.40", "0.00"]
    assert [count(1, "person", "people"), count(1200, "item")] == ["1 person", "1,200 items"]
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(list("abcdefgh")) == "a, b, c, d, e and 3 more"


@pytest.mark.parametrize(
    ("value", "low", "high", "met", "decided"),
    [
        (0.90, 0.86, 0.94, True, "met"),
        (0.86, 0.78, 0.92, True, "undecided"),
        (0.82, 0.74, 0.88, False, "undecided"),
        (0.70, 0.60, 0.80, False, "missed"),
        (0.85, 0.85, 0.85, True, "met"),
        (0.90, None, None, True, "undecided"),
        (None, None, None, False, "undecided"),
    ],
)
def test_a_target_is_met_by_the_estimate_and_decided_by_the_interval(
    value, low, high, met, decided
):
    found = verdict(at_least(0.85), row(value, low, high))
    assert (found["met"], found["verdict"]) == (met, decided)


def test_an_upper_bound_works_the_other_way_round():
    target = SimpleNamespace(**{**vars(at_least(0)), "at_least": None, "at_most": 0.1})
    assert verdict(target, row(0.05, 0.02, 0.08))["verdict"] == "met"
    assert verdict(target, row(0.2, 0.15, 0.25))["verdict"] == "missed"


def test_a_target_nobody_computed_is_neither_invented_nor_passed_over():
    (told,) = verdicts([at_least(0.85, "kappa_raters")], [row(0.9)])
    assert (told["value"], told["met"], told["reason"]) == (None, False, "no_such_number")


def test_the_verdict_says_value_interval_target_and_decision_in_one_sentence():
    found = verdict(at_least(0.85), row(0.86, 0.78, 0.92))
    assert sentence(found).replace("\u00a0", " ") == (
        "Match: 86 of 100 (78–92 %), target at least 85 %: not decided, though the estimate "
        "meets it."
    )
    nothing = verdict(at_least(0.85), row(None, reason="no_ratings"))
    assert "undefined, because nobody answered; target at least 85" in sentence(nothing)


def test_what_settles_a_target_grows_with_the_square_of_the_distance():
    target = verdict(at_least(0.80), row(0.85, 0.75, 0.95))
    assert items_needed(target, 100) == 400
    near = verdict(at_least(0.80), row(0.801, 0.70, 0.90))
    assert items_needed(near, 100) is None


def test_weighting_is_explained_as_the_document_has_it():
    found = {
        "plain": 3.9,
        "weighted": 3.96,
        "difference": 0.06,
        "low": 0.01,
        "high": 0.11,
        "items": 60,
        "raters": 4,
        "slope": 0.02,
        "slope_margin": 0.1,
        "within": 0.05,
    }
    assert weighting(found) == (
        "Weighting by stated confidence moves the mean from 3.90 to 3.96 (+0.06; +0.01 to +0.11), "
        "because raters were surer of high scores. That surer answers were closer to the other "
        "raters’ is not shown. Use the plain mean."
    )
    assert "cannot be checked here" in weighting({**found, "raters": 2})
    assert "a fair second reading" in weighting({**found, "slope": -0.3})
    between = weighting({**found, "within": 0.01})
    assert "because the raters who state more confidence score higher. " in between
    assert "cannot be checked here" in weighting({**found, "slope_margin": None})


def test_a_mean_that_weighting_does_not_move_is_not_said_to_move():
    found = {"plain": 4.081, "weighted": 4.083, "difference": 0.002, "low": -0.001, "high": 0.004}
    found |= {"items": 60, "raters": 2, "slope": None}
    assert weighting(found).startswith("Weighting by stated confidence leaves the mean at 4.08. ")
    unsure = weighting({**found, "low": -0.02, "high": 0.03})
    assert "leaves the mean at 4.08 (a move of −0.02 to +0.03). " in unsure
    chance = weighting({**found, "weighted": 4.10, "difference": 0.02, "low": -0.01, "high": 0.05})
    assert "to 4.10 (+0.02; −0.01 to +0.05), which may be chance. " in chance


def test_texts_are_printable_short_and_escaped():
    assert legible("a\x00b\u202ec") == "a�bc"
    assert short("word " * 400, 100).endswith("[1,999 characters in all]")
    made = table(("A", "B"), [("<b>", 1)], "Caption & all")
    assert "&lt;b&gt;" in made
    assert "Caption &amp; all" in made
