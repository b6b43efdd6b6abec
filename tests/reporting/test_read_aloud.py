"""Sentences of whole pages that were read against the answers behind them."""

import re

import pytest

from raterbook.reporting import Report
from raterbook.reporting.sections.verdict import sentence
from raterbook.reporting.words import between, estimated
from tests.reporting.rounds import beside_a_model, crowd, page_of, records, words_of


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """160 raters, three an item, nobody the same three, on two of five questions."""
    return words_of(page_of(crowd(tmp_path_factory.mktemp("crowd"))))


@pytest.fixture(scope="module")
def page(workspace):
    """The words of a sample's page, made once."""
    made = {}

    def page(name):
        if name not in made:
            made[name] = words_of(page_of(workspace.store.round(name)))
        return made[name]

    return page


def test_few_units_are_the_reason_why_nobody_of_a_crowd_is_named(crowded):
    assert re.search(
        r"160 raters give the others’ answer in \d+ to \d+ % of common answers, over 4 to 5 "
        "independent units each; fewer than 10 show of nobody that they agree more or less",
        crowded,
    )
    assert re.search(
        r"4 to 5 items each, lie −0\.\d\d to \+0\.\d\d points from the others", crowded
    )


def test_a_mean_of_kappas_on_single_items_is_not_left_to_be_believed(crowded):
    """It is 0.01 where α is 0.86."""
    assert "On fewer than 10 items a κ says next to nothing, nor does their mean." in crowded


def test_of_few_articles_the_page_says_why_no_rater_is_said_to_lean(page):
    """r1 says “Accurate” in 68 % of answers, the others in 77 and 79 %, over six articles."""
    said = page("stem-sample")
    assert "“Accurate” is 68 to 79 % of a rater’s answers" in said
    assert (
        "Fewer than 10 independent units (article id) are behind it, which show of no rater that "
        "they use a label more or less than the others."
    ) in said
    assert "over 6 independent units each; fewer than 10 show of nobody" in said
    assert "independent units (article id) are behind it" not in page("halo-sample")


def test_two_intervals_of_one_lean_are_told_apart(page):
    """r1 −0.30: −0.37 to −0.22 in the sentence that names, −0.35 to −0.25 in the table."""
    said = page("neureg-sample")
    assert "(−0.30 points; −0.37 to −0.22)" in said
    assert "−0.30 −0.35 to −0.25" in said
    assert (
        "The intervals drawn are each rater’s own; nobody is called severe or lenient but by a "
        "wider one, corrected for 5 raters."
    ) in said


def test_weak_agreement_on_one_question_is_not_said_of_all(page):
    assert "Agreement among raters is weak at its lowest (α 0.36 to 0.71" in page("neureg-sample")
    alone = "By the estimate alone, agreement among raters is weak (α 0.62 to 0.63"
    assert alone in page("stem-sample")


def test_an_alpha_of_another_scale_does_not_belie_which_is_highest(page):
    """Overall, whose α is 0.81 on an interval scale, stands above Correctness in the figure."""
    said = page("feedback-sample")
    assert "Of 6 questions on like scales, agreement is highest on Correctness (α 0.69)" in said
    assert "Overall α 0.81" in said


def test_two_raters_have_no_thin_line(page):
    assert "raters like these" not in page("questeval-sample").replace(
        "With two raters nothing can be said about raters like these.", ""
    )
    assert "the thin one of raters like these" in page("halo-sample")


def test_grades_of_one_pair_are_not_as_many_pairs(page, workspace):
    said = page("questeval-sample")
    assert "282 pairs of answers were graded by people, 457 times in all." in said
    assert "20 of the 302 pairs scored have no grade" in said
    grades = Report(workspace.store.round("questeval-sample")).grades
    assert len(grades) == 457
    assert (
        len(set(zip(grades["item"], grades["part"], grades["reference"], grades["generated"])))
        == 282
        == 302 - 20
    )


def test_a_constant_confidence_is_not_said_to_weigh_nothing(page):
    """It weighs as much as any other in the mean over all raters."""
    said = page("feedback-sample")
    assert "r4 always states the same confidence, which sets no answer above another" in said


def test_means_that_weighting_moves_at_the_second_decimal_are_not_said_to_stay(page):
    """3.803 is 3.806 when weighted, and stands as 3.80 and 3.81 below."""
    said = page("feedback-sample-2")
    assert "weighting by confidence moves no mean by 0.005 or more" in said
    assert "3.81 (3.63 to 3.99)" in said


def test_paces_are_whole_per_cents(page):
    assert "116 % 95–137 %" in page("halo-sample")


def test_shares_say_what_stands_behind_their_sign(page):
    assert "Per cent of the ratings ± half of the interval" in page("halo-sample")


def test_all_items_of_one_rater_are_that_raters(tmp_path):
    said = words_of(page_of(beside_a_model(tmp_path)))
    assert "All scores are equal on 100 % of ana’s items." in said
    assert "of each rater" not in said


def test_what_has_no_value_over_all_questions_is_said_in_words(tmp_path):
    said = words_of(page_of(beside_a_model(tmp_path)))
    assert "full_agreement: relevance, accuracy, completeness, all questions; majority" in said


def test_which_questions_nobody_answered_stands_beside_what_is_missing(crowded, tmp_path):
    assert (
        "2,160 of 3,600 required answers are missing (no person answered Relevance, Completeness "
        "and KG alignment): ask the raters to fill them."
    ) in crowded
    assert (
        "60 of 150 required answers are missing (no person answered Fluency and KG alignment)"
    ) in words_of(page_of(beside_a_model(tmp_path)))


def test_raters_who_are_not_named_for_uniform_answers_have_the_intervals_that_say_why(page):
    said = page("neureg-sample")
    assert (
        "All scores are equal on 6 to 31 % of a rater’s items; no rater is shown to do so more "
        "often than the others on the same items."
    ) in said
    assert "r2 31 % +15 (−3 to +34) 72 r5 28 % +12 (0 to +23) 72" in said
    assert "intervals corrected for 5 raters" in said


def test_agreement_of_models_alone_is_theirs(by_hand):
    said = [(r, f"i{n:03d}", "accuracy", 1 + n % 5) for r in ("m1", "m2") for n in range(12)]
    kinds = dict.fromkeys(("m1", "m2"), "model")
    stored = by_hand("neureg-qa", records("neureg-qa", 12), said, kinds)
    assert "By the estimate alone, agreement among models is firm (α 1.00)" in words_of(
        page_of(stored)
    )


def test_a_number_is_not_rounded_over_the_bound_it_is_judged_by(page):
    """Coherence 0.797 is not firm, which “0.80” would be."""
    said = page("feedback-sample-2")
    assert "tentative conclusions at its lowest (α 0.797 to 0.91 over 6 questions)" in said
    assert "lowest on Coherence (α 0.797)" in said
    target = {"name": "κ", "target": 0.7, "direction": "at_least", "verdict": "missed"}
    target |= {"statistic": "kappa_raters", "low": 0.61, "high": 0.69, "warnings": []}
    assert sentence({**target, "value": 0.6961}) == (
        "κ: 0.696 (0.61 to 0.69), target at least 0.70: missed."
    )
    share = target | {"statistic": "percent_agreement", "target": 0.85}
    assert estimated({**share, "value": 0.847}) == "84.7\u00a0%"
    assert between({**share, "low": 0.8, "high": 0.847}) == "80–84.7\u00a0%"
    kappa = {**share, "statistic": "kappa_fleiss", "target": 0.7}
    assert between({**kappa, "low": 0.35, "high": 0.698}) == "0.35 to 0.698"
    assert between({**kappa, "low": 0.702, "high": 0.8}) == "0.70 to 0.80"
    assert between({**kappa, "low": None, "high": None}) == ""
    assert estimated({**share, "value": 0.853}) == "85\u00a0%"
    assert estimated({**share, "value": 0.85, "direction": "at_most"}) == "85\u00a0%"
    assert estimated({**share, "value": 0.853, "direction": "at_most"}) == "85.3\u00a0%"


def test_the_contents_name_every_section_in_its_order(workspace):
    whole = page_of(workspace.store.round("halo-sample"))
    listed = re.findall(r'<li><a href="#([^"]+)">(.+?)</a></li>', whole)
    titles = re.findall(r"<h2[^>]*>(.+?)</h2>", whole)
    assert len(titles) > 5
    assert [title for _, title in listed] == titles
    assert all(f'id="{anchor}"' in whole for anchor, _ in listed)
