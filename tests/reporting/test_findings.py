"""The pages find what was planted in the samples (data/samples/README.md)."""

import html
import re

import pytest

from tests.reporting.conftest import SAMPLES


@pytest.fixture(scope="session")
def words(built):
    """Each page as a reader has it: text without markup."""
    found = {}
    for name in SAMPLES:
        page = (built / name / "index.html").read_text("utf-8")
        body = re.sub(r"<style.*?</style>", "", page, flags=re.S)
        alts = " ".join(re.findall(r'alt="([^"]*)"', body))
        text = html.unescape(re.sub(r"<[^>]+>", " ", body) + " " + alts)
        found[name] = " ".join(text.replace("\u00a0", " ").split())
    return found


def test_halo_says_that_the_target_is_open_and_which_error_is_commonest(words):
    page = words["halo-sample"]
    assert re.search(
        r"Match with the automatic label: 8\d of 98 \(7\d–89 %\), target at least 85 %: "
        "not decided",
        page,
    )
    assert "Commonest error: checker SUPPORTED, people NO EVIDENCE" in page
    assert "Tell “SUPPORTED” and “NO EVIDENCE” apart" in page
    assert "1 item without any label: sample_094" in page
    assert "about 690 items instead of 98" in page


def test_the_severe_the_lenient_the_drifting_and_the_hurried_rater_are_named(words):
    page = words["neureg-sample"]
    assert "r1 is severe, furthest of 2 who are (−0.30 points; −0.37 to −0.22)" in page
    assert "r2 is lenient, furthest of 2 who are" in page
    assert re.search(r"r3 grew stricter on the way \(−0\.[23]\d", page)
    assert "r4 needs 29 % of the others’ time (24–32 %)" in page
    assert "r5 agrees with the others more than they with one another: 66 %" in page


def test_neureg_ranks_the_systems_and_explains_a_low_alpha(words):
    page = words["neureg-sample"]
    assert "atlas-2 is ahead of birch-1: mean score 4.43 against 4.06" in page
    highest = r"Overall mean is highest for Few-Shot, \w+, [\d.]+ \(.* lowest for Zero-Shot"
    assert re.search(highest, page)
    assert "Relevance: two raters gave the same answer in 66 % of cases, yet α is only" in page


def test_feedback_sees_equal_systems_adjusted_overalls_and_empty_confidence(words):
    page = words["feedback-sample"]
    assert "No difference shown between birch-1 and atlas-2: mean score 3.95 against 3.94" in page
    # +0.55 by itself, and one of eight comparisons; the second round shows it.
    assert "is ahead on Actionability" not in page
    assert "atlas-2 is ahead on Actionability" in words["feedback-sample-2"]
    assert "r4 always states the same confidence" in page
    assert "Surer answers were closer to the other raters’" in page
    assert re.search(r"14 of 288 stated overalls \(5 %; [\d.]+–[\d.]+ %\) were adjusted", page)
    assert "The 5 adjusted furthest, with the reasons given" in page


def test_stem_has_the_three_proportions_and_the_rest(words):
    page = words["stem-sample"]
    assert "atlas-2 is ahead of birch-1: accurate answers in 85 % against 72 %" in page
    assert re.search(r"atlas-2 85\.2 ± [\d.]+\W+ 5\.2 ± [\d.]+\W+ 4\.8 ± ", page)
    # Eight articles are too few independent units to name the rater who says it least.
    assert "“Accurate” is 68 to 79 % of a rater’s answers, of which each gave 144 to 156" in page
    assert "r1 says “Accurate”" not in page
    assert "not_severe" not in page
    assert "cannot_assess" not in page
    assert "the rest is disputed or unsupported" in page


def test_questeval_says_who_covers_more_and_lists_answers_from_elsewhere(words):
    page = words["questeval-sample"]
    assert "atlas-2 covers more of the reference: recall 84 %" in page
    assert "No difference shown between birch-1 and atlas-2: precision 90 % against 85 %" in page
    assert re.search(
        r"c03/atlas-2 5 Who was the project scientist of the mission\? Edward Stone", page
    )
    assert "c23/birch-1" in page


def test_the_second_feedback_round_agrees_better_and_the_index_says_so(built):
    page = (built / "index.html").read_text("utf-8")
    rises = re.findall(r"α (\w+) rose from", page)
    assert set(rises) >= {"Clarity", "Tone", "Actionability", "Emotion"}
    assert "fell" not in page
