"""Fourteen systems: each has a line of its own, and 364 comparisons do not bury the page."""

import re

import pytest

from raterbook.reporting import Report
from tests.reporting.rounds import opened, page_of, records, words_of

SYSTEMS = [f"system-{letter}" for letter in "abcdefghijklmn"]
CASES = 10


@pytest.fixture(scope="module")
def fourteen(tmp_path_factory):
    """Ten cases, answered by each of fourteen systems; the last is better than the others."""
    items, answers = [], []
    for case, item in enumerate(records("neureg-qa", CASES)):
        for place, system in enumerate(SYSTEMS):
            items.append({**item, "model": system, "source_context": f"text {case}"})
            for turn, rater in enumerate(("ana", "ben")):
                for question in ("accuracy", "fluency"):
                    score = 1 + (case * 3 + place * turn) % 2 + 2 * (place == 13)
                    answers.append((rater, f"i{case:03d}/{system}", question, score))
    return Report(opened(tmp_path_factory.mktemp("many"), "neureg-qa", items, answers))


@pytest.fixture(scope="module")
def page(fourteen):
    return page_of(fourteen.stored)


def test_no_two_systems_share_a_sign_and_each_is_written_beside_its_own(fourteen, page):
    drawn = fourteen.systems() and fourteen.pictures["systems"]
    for system in SYSTEMS:
        assert f">{system}</text>" in drawn
    assert '<g id="legend' not in drawn
    found = words_of(page)
    assert "Every number, system by system" in found
    assert "All together is highest for system-n, 3.50" in found
    assert "system-n, All together: 3.50; " in found


def test_many_comparisons_are_counted_and_folded(page):
    found = words_of(page)
    many = 3 * 14 * 13 // 2
    assert re.search(rf"Of {many} comparisons \d+ are beyond chance\. Every comparison", found)
    place = page.index("Differences on the same cases")
    assert page.rfind("<details>", 0, place) > page.rfind("</details>", 0, place)


def test_a_comparison_counts_the_cases_and_not_the_answers_of_both(page):
    found = words_of(page)
    assert re.search(r"system-a − system-b .{0,90}? 10 ", found)
    assert f" {2 * CASES} Fluency" not in found


def test_the_highest_and_the_lowest_are_told_apart_only_where_it_is_shown(fourteen):
    from raterbook.reporting.sections.systems import lines_of, ranked

    rows = [row for row in lines_of(fourteen) if row["line"] == "All together"]
    assert ranked(fourteen, rows).endswith(")")
    alike = [row for row in rows if row["system"] in ("system-a", "system-c")]
    alike[0] |= {"estimate": alike[0]["estimate"] + 0.01, "shown": "1.51"}
    assert ranked(fourteen, alike).endswith("; no difference between the two is shown")


def test_the_first_sentence_names_the_first_and_the_last_and_of_whom_the_first_is_told_apart(page):
    said = words_of(page)
    assert "Mean score of 14 systems: highest system-n 3.50, lowest system-" in said
    assert "; system-n is shown to be ahead of 7 of the 13 others, corrected for 147 comp" in said


@pytest.mark.parametrize(
    ("rated", "said"),
    [
        (["a"], "Supported is 100 % (21–100 %)\u2060† for a; no other system has a value"),
        (
            ["a", "b"],
            "Supported is the same for every system with a value, 100 % (21–100 %)\u2060†",
        ),
        (["a", "b", "c"], "Supported is the same for every system, 100 % (21–100 %)\u2060†"),
    ],
)
def test_the_same_is_said_only_of_systems_that_have_a_value(tmp_path, rated, said):
    items = [{**item, "model": name} for item, name in zip(records("halo-support", 3), "abc")]
    keys = dict(zip("abc", (f"i{at:03d}/{name}" for at, name in enumerate("abc"))))
    answers = [("ana", keys[name], "label", "SUPPORTED") for name in rated]
    stored = opened(tmp_path, "halo-support", items, answers)
    assert said in words_of(page_of(stored))
