"""How raters lean, and α without each of them: the numbers of analysis, made as the round's are."""

import re

import numpy as np
import pytest

from raterbook import analysis
from raterbook.reporting import Report
from raterbook.reporting.leanings import leans
from raterbook.reporting.sections.raters import lean, left_out, strict
from tests.reporting.rounds import records, words_of
from tests.reporting.test_odd_rounds import text_of


def rated(by_hand, scores, count=12, twice=False):
    """A neureg round: rater → the score of an item; `twice`, by two systems on each case."""
    items = records("neureg-qa", count)
    for at, each in enumerate(items):
        each["source_context"] = f"piece {at}"
    if twice:
        items = [{**each, "model": model} for each in items for model in "ab"]
    names = [
        (at, f"i{at:03d}" + end) for at in range(count) for end in (("/a", "/b"), ("",))[not twice]
    ]
    answers = [
        (rater, name, "accuracy", make(at)) for rater, make in scores.items() for at, name in names
    ]
    return by_hand("neureg-qa", items, answers)


THREE = {
    "ana": lambda at: 2 + at % 3 % 2,
    "ben": lambda at: 3 + at % 4 % 3,
    "eva": lambda at: 3 + at % 5 % 2,
}


def width(report):
    found = leans(report).set_index("rater")
    return found["high"] - found["low"]


def test_leans_are_the_severities_of_analysis(by_hand):
    report = Report(rated(by_hand, THREE))
    [question] = report.counted.numeric()
    own = analysis.severity(report.counted.table(question)).set_index("rater")
    found = leans(report).set_index("rater")
    assert np.allclose(found["lean"], own["estimate"].loc[found.index], atol=1e-9)
    assert np.allclose(found["low"], own["low"].loc[found.index].astype(float), atol=1e-9)
    # ana 2.33 on average, ben 3.75 and eva 3.4: below both.
    assert found["lean"].idxmin() == "ana"
    assert found.loc["ana", "high"] < 0


def test_who_is_severe_in_points_is_strict_in_logits_and_the_page_says_how_both_run(by_hand):
    report = Report(rated(by_hand, THREE, count=40))
    points, logits = words_of(lean(report)), words_of(strict(report))
    assert "ana is severe" in points
    assert re.search(r"ana is strict.* \(\+\d", logits)
    assert "Above 0 is strict here; in points against the others" in logits


def test_the_interval_of_a_lean_is_as_wide_as_was_asked(by_hand):
    stored = rated(by_hand, THREE)
    assert (width(Report(stored, coverage=0.5)) < 0.5 * width(Report(stored))).all()


def test_two_answers_to_one_case_are_one_draw(by_hand):
    """The same scores once more for a second system tell nothing new of a rater."""
    once, twice = (Report(rated(by_hand, THREE, twice=many)) for many in (False, True))
    assert np.allclose(width(once), width(twice), atol=1e-9)


def test_a_rater_who_always_lies_as_far_off_has_no_interval_and_is_still_shown(by_hand):
    scores = {"ana": lambda at: 2 + at % 3, "ben": lambda at: 3 + at % 3}
    page = text_of(lean(Report(rated(by_hand, scores))))
    assert "ana −1.00 – " in page
    assert "nan" not in page


@pytest.mark.parametrize("name", ["halo-sample", "feedback-sample"])
def test_alpha_without_each_rater_is_that_of_the_others_alone(workspace, name):
    report = Report(workspace.store.round(name))
    page = text_of(left_out(report))
    asked = report.counted.asked()[0]
    table = report.counted.table(asked)
    kind = "ordinal" if asked.is_numeric else "nominal"
    for rater in report.counted.raters():
        rest = analysis.alpha(table.drop(columns=rater), kind, interval=None).value
        assert f"{rater} {rest:.2f}" in page
