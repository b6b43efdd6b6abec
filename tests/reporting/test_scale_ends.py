"""Intervals stay within what is possible, and the page says where they were cut."""

import json
import re
from dataclasses import replace
from importlib.resources import files

import pytest

import raterbook.protocols
from raterbook.numbers.checks import PUBLISHED, checks
from raterbook.numbers.compute import numbers, possible, questions_of, ranges_of
from raterbook.numbers.number import Number
from raterbook.protocols import STATISTICS, load
from raterbook.reporting import Report
from raterbook.reporting.html import figure, paragraph, with_legend
from raterbook.reporting.sections.machines import per_label
from raterbook.reporting.sections.made import CALLED, called, intervals, methods
from raterbook.reporting.sections.shares import half_width
from raterbook.reporting.words import CAUTIONS, JOINER, cell, legend, marks
from tests.reporting.conftest import SAMPLES
from tests.reporting.rounds import page_of, records

RANGES = ranges_of(load("neureg-qa"))


def row(statistic, low, high, question="accuracy"):
    return Number(statistic, question, low=low, high=high, warnings=("few_clusters",))


@pytest.mark.parametrize(
    ("given", "ends"),
    [
        (row("mean", 3.7, 5.2), (3.7, 5)),
        (row("mean", 0.4, 5.2), (1, 5)),
        (row("overall_mean", 4.4, 5.4, None), (4.4, 5)),
        (row("difference", -4.4, 1.0), (-4, 1.0)),
        (row("sd", 0.4, 6.0), (0.4, 6.0)),
        (row("evaluator_variance", -0.1, 1.6), (0, 1.6)),
        (row("evaluator_sd", -0.3, 1.6), (0, 1.6)),
        (row("alpha_ordinal", -1.2, 0.4), (-1.2, 0.4)),
    ],
)
def test_an_interval_ends_where_the_scale_does(given, ends):
    measure = {"statistic": given.statistic, "question": ["accuracy", "fluency"]}
    found = given.within(possible(given, RANGES, measure))
    assert (found.low, found.high) == ends
    cut = (given.low, given.high) != ends
    assert ("cut_at_scale" in found.warnings) == cut


def test_each_of_two_overall_means_ends_where_its_own_scale_does(by_hand):
    text = (files(raterbook.protocols) / "library" / "feedback-quality.yaml").read_text("utf-8")
    more = "".join(
        f"  - {{statistic: overall_mean, question: [{names}]}}\n"
        for names in ("tone, clarity", "confidence, tone")
    )
    said = [
        (rater, f"i{n:03d}", question, 5 if n or question == "confidence" else 4)
        for rater in ("ana", "ben")
        for n in range(4)
        for question in ("tone", "clarity", "confidence")
    ]
    items = records("feedback-quality", 4, criteria="tone")
    stored = by_hand(
        "feedback-quality", items, said, text=text.replace("measures:\n", "measures:\n" + more, 1)
    )
    first, second = (r for r in numbers(stored).rows if r["statistic"] == "overall_mean")
    assert (first["high"], first["warnings"][-1]) == (5.0, "cut_at_scale")
    assert second["high"] > 5.0


def test_a_difference_of_shares_of_a_scale_lies_within_one():
    shares = {"statistic": "difference", "question": ["accuracy"], "is": [4, 5], "of": [1, 5]}
    assert possible(row("difference", -1.2, 0.3), RANGES, shares) == (-1.0, 1.0)


def test_every_statistic_has_a_name_of_its_own_for_readers():
    assert all(
        statistic.label and statistic.label != name for name, statistic in STATISTICS.items()
    )


def test_only_the_interval_that_is_printed_is_marked_as_cut():
    given = replace(row("mean", 3.7, 4.9), low_like=3.1, high_like=5.6)
    found = given.within((1, 5))
    assert found.high_like == 5
    assert found.warnings == given.warnings


@pytest.mark.parametrize("name", SAMPLES)
def test_no_number_of_a_sample_reaches_beyond_what_is_possible(numbers_of, name):
    document = numbers_of[name]
    for found in document["numbers"]:
        ends = [found[e] for e in ("low", "high", "low_like", "high_like") if found[e] is not None]
        if found["statistic"].startswith(("mean", "overall_mean", "overall_computed")):
            assert all(0 <= end <= 100 for end in ends)
            assert all(end <= 5 for end in ends) or found["question"] == "confidence"
        if found["statistic"].startswith(("proportion_", "percent_", "recall", "precision")):
            assert all(0 <= end <= 1 for end in ends)


def test_a_share_near_the_end_is_printed_by_its_ends_and_others_with_plus_and_minus():
    near = {"statistic": "proportion_inaccurate", "estimate": 0.02, "low": 0.005, "high": 0.08}
    assert half_width(near).replace("\u00a0", " ") == "2.0 (0.5–8 %)"
    assert half_width({**near, "estimate": 0.5, "low": 0.4, "high": 0.6}) == "50.0 ± 10.0"


def test_marks_are_explained_once_and_only_ours_are():
    careful = {"low": 1, "warnings": ["few_clusters", "cut_at_scale"]}
    assert marks(careful) == f"{JOINER}†{JOINER}*"
    assert marks({**careful, "low": None}) == ""
    assert legend("4.2" + marks(careful)).startswith("† Fewer than ten independent units")
    assert legend("a footnote† in a rater's text*") == ""


def test_a_mark_that_stands_in_a_picture_s_words_alone_is_explained_there():
    rough = "4.2" + CAUTIONS["few_clusters"].mark
    cut = "5.0" + CAUTIONS["cut_at_scale"].mark
    drawn = figure("<svg></svg>", f"Best: {cut}.")
    page = with_legend(paragraph(rough) + drawn)
    words, alt = re.sub(r'alt="[^"]*"', "", page), re.search(r'alt="([^"]*)"', page).group(1)
    assert alt == f"Best: {cut}. * {CAUTIONS['cut_at_scale'].note}"
    assert words.count(CAUTIONS["few_clusters"].note) == 1
    assert CAUTIONS["cut_at_scale"].note not in words
    assert with_legend(drawn) == drawn


def test_the_numbers_of_a_label_carry_their_marks(by_hand):
    """Nine items and fewer independent ones: label by label the intervals are rough too."""
    labels = load("halo-support").question("label").values
    said = [
        (rater, f"i{n:03d}", "label", labels[(n % 5 + turn * (n == 3)) % 2])
        for turn, rater in enumerate(("ana", "ben"))
        for n in range(9)
    ]
    report = Report(by_hand("halo-support", records("halo-support", 9), said))
    rows = report.by("agreement_jaccard", "label")
    marked = [cell(row) for row in rows if marks(row)]
    assert marked
    assert all(shown.replace(" %", "\u00a0%") in per_label(report) for shown in marked)


def test_few_independent_units_are_said_beside_the_numbers(workspace):
    page = page_of(workspace.store.round("stem-sample"))
    assert "† Fewer than ten independent units behind it" in page
    assert "fewer than ten independent units (article id) stand behind" in page


@pytest.mark.parametrize("name", ["halo-sample", "feedback-sample", "stem-sample"])
def test_the_methods_paragraph_names_just_the_methods_the_rows_name(workspace, name):
    report = Report(workspace.store.round(name))
    said = methods(report)
    used = {called(r["method"]) for r in report.numbers.rows if r["low"] is not None}
    for method in CALLED.values():
        assert (f"{method} (" in said) == (method in used), method


def test_wilson_is_named_for_shares_and_the_jackknife_for_coefficients(workspace):
    rows = numbers(workspace.store.round("halo-sample")).rows
    found = intervals(rows)
    assert "the jackknife on Fisher’s z with t (coefficients)" in found
    assert "Wilson’s score (shares)" in found


def test_every_coefficient_stands_among_the_checks_with_the_reason_where_it_has_none(by_hand):
    labels = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
    said = [
        (rater, f"i{n:03d}", "label", labels[(n + place * (n % 2)) % 3])
        for place, rater in enumerate(("ana", "ben"))
        for n in range(12)
    ]
    found = numbers(by_hand("halo-support", records("halo-support", 12), said))
    named = {check["number"].split(":")[0]: check for check in found.checks}
    coefficients = {
        r["statistic"]
        for r in found.rows
        if r["statistic"].startswith(("alpha_", "kappa_", "ac1", "ac2", "icc"))
    }
    assert coefficients == set(named)
    assert named["ac1"] | {"number": ""} == {
        "number": "",
        "package": None,
        "value": None,
        "agrees": None,
        "reason": PUBLISHED,
    }
    json.dumps(found.checks, allow_nan=False)


def test_a_coefficient_that_came_out_wrong_is_found(workspace):
    """The other packages say so for α and κ, a little or a lot; the rest still agree."""
    stored = workspace.store.round("halo-sample")
    found = numbers(stored)
    questions = questions_of(stored.protocol)
    measures = [measure.to_dict() for measure in stored.protocol.measures]
    for wrong in ("alpha_nominal", "kappa_raters", "kappa_human_auto"):
        rows = [
            {**each, "estimate": each["estimate"] + 1e-6} if each["statistic"] == wrong else each
            for each in found.rows
        ]
        again = checks(stored.frame(), rows, measures, questions)
        differ = {each["number"].split(":")[0] for each in again if each["agrees"] is False}
        assert differ == {wrong}


def test_an_interval_without_width_is_none_and_decides_nothing(by_hand):
    """All were right: of further items that says nothing, so no target is decided by it."""
    said = [(rater, f"i{n:03d}", "relevance", 5) for rater in ("ana", "ben") for n in range(12)]
    found = numbers(by_hand("neureg-qa", records("neureg-qa", 12), said))
    [row] = [
        each
        for each in found.rows
        if each["statistic"] == "mean" and each["question"] == "relevance" and each["group"] is None
    ]
    assert (row["estimate"], row["low"], row["high"]) == (5, None, None)
