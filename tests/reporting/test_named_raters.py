"""A rater is named only where an interval carries it; copied columns are the first thing said."""

import random
import re
import uuid

import numpy as np
import pytest

from raterbook.reporting import Report
from raterbook.reporting.leanings import beside
from raterbook.reporting.sections.conduct import chance_of_run, middle_between
from raterbook.reporting.sections.raters import left_out
from raterbook.rounds import Event
from tests.reporting.rounds import crowd, page_of, records, words_of
from tests.reporting.test_shown import scored

LABELS = ("SUPPORTED", "CONTRADICTED", "NO EVIDENCE")
NAMED = r"\bw\d\d\d\b"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """160 raters who differ by chance alone, three an item, nobody the same three."""
    return Report(crowd(tmp_path_factory.mktemp("crowd")))


@pytest.fixture(scope="module")
def crowded_page(crowded):
    return words_of(page_of(crowded.stored))


def test_of_160_raters_who_differ_by_chance_alone_none_is_named(crowded_page):
    """Eight of them lie beyond a plain interval of 95 %."""
    page = crowded_page
    assert "240 items · 160 people" in page
    assert (
        "Fewer than 10 independent units (source context) show of no rater that they are severe or "
        "lenient; 160 raters, 4 to 5 items each, lie"
    ) in page
    assert "show of nobody that they agree more or less than the others" in page
    after = page[page.index("Before the next round") :]
    # Below it the answers on divided items have names, and one table with an interval for each.
    table = "the first 20 of 160 by name"
    first = [f"w{place:03d}" for place in range(20)]
    assert (table in after, re.findall(NAMED, after)) == (True, first)


def test_the_plain_intervals_of_a_crowd_would_name_some(crowded):
    found = crowded.leans
    assert ((found["low"] > 0) | (found["high"] < 0)).sum() >= 3
    assert not len(crowded.strict_leans)


def test_a_mean_over_pairs_says_how_many_pairs_there_are(crowded_page):
    assert re.search(
        r"κ by pairs is the mean of \d{3} pairs of raters, who have 1 item in common by the "
        r"median; the other 12,\d{3} of 12,720 possible pairs share no item",
        crowded_page,
    )
    assert "some pairs of raters" not in crowded_page


def test_items_all_rated_alike_often_are_not_said_to_leave_others_out(crowded_page):
    """Three of 160 raters each, on two of five questions."""
    assert "Majorities Items with 3 ratings each Question" in crowded_page
    assert "fewer ratings than most" not in crowded_page


def test_a_coefficient_without_a_value_is_none_that_could_not_be_computed_again(crowded_page):
    """Nobody answered three of the five questions; of AC2 and ICC no package is installed."""
    assert "6 of 12 coefficients were computed again by an independent package" in crowded_page
    assert "; 6 could not be, for the reasons given. 18 others have no value." in crowded_page
    assert "6 others could not be (Cohen’s κ, quadratic weights, Gwet’s AC2" in crowded_page
    nobody = crowded_page[crowded_page.index("Nobody answered –") :]
    assert "icc_2_1: relevance, completeness, kg_alignment" in nobody[: nobody.index("No inst")]


def labelled(by_hand, scores, count=60, kinds=None):
    answers = [
        (rater, f"i{at:03d}", "label", make(at))
        for rater, make in scores.items()
        for at in range(count)
    ]
    return by_hand("halo-support", records("halo-support", count), answers, kinds)


def noisy(seed, right=0.75):
    """Labels that are the true one as often as this, else any other."""
    rng = random.Random(seed)
    said = [
        LABELS[at * 7 % 3] if rng.random() < right else rng.choice(LABELS) for at in range(2000)
    ]
    return lambda at: said[at]


def test_two_raters_with_the_same_column_are_the_first_thing_said_and_nobody_is_blamed(by_hand):
    one = noisy(1)
    stored = labelled(by_hand, {"ana": one, "ben": one, "eva": noisy(2)})
    page = words_of(page_of(stored))
    first = page.index("Look at this first. ana and ben gave the same answer in all 60 answers")
    assert first < page.index("Match with the automatic label")
    assert re.search(r"they have in common, on 60 items; other pairs do in \d\d %, by", page)
    advice = page[page.index("Before the next round") :]
    assert advice.startswith(
        "Before the next round Find out whether ana and ben rated apart from each other."
    )
    assert "eva agrees with the others less" not in page
    assert "without eva: from" not in page
    assert "what leaving a rater out changes says little" in page


def test_answers_that_follow_anothers_but_for_a_few_are_found_among_scores(by_hand):
    def made(seed):
        rng = random.Random(seed)
        return [min(5, max(1, 1 + at * 7 % 5 + rng.choice((-1, 0, 0, 1)))) for at in range(240)]

    own = {name: made(seed) for seed, name in enumerate(("ana", "ben", "eva", "dan"))}
    own["ben"] = [5 if at % 80 == 3 else score for at, score in enumerate(own["ana"])]
    scores = {name: lambda at, said=said: said[at] for name, said in own.items()}
    found = Report(scored(by_hand, scores, count=100)).copies
    assert [(each.first, each.second) for each in found] == [("ana", "ben")]
    assert not found[0].identical


def test_three_with_one_column_are_three_pairs_and_a_fourth_is_not_blamed(by_hand):
    one = noisy(1)
    stored = labelled(by_hand, {"ana": one, "ben": one, "eva": one, "dan": noisy(3)})
    found = Report(stored).copies
    assert {(each.first, each.second) for each in found} == {
        ("ana", "ben"),
        ("ana", "eva"),
        ("ben", "eva"),
    }


@pytest.mark.parametrize(
    "scores",
    [
        dict.fromkeys(("ana", "ben", "eva"), lambda at: LABELS[at % 3]),
        dict.fromkeys(("ana", "ben", "eva"), lambda at: LABELS[0]),
        {"ana": lambda at: LABELS[0], "ben": lambda at: LABELS[0], "eva": noisy(4)},
        {name: noisy(seed) for seed, name in enumerate(("ana", "ben", "eva", "dan"))},
        {"ana": noisy(5, 0.97), "ben": noisy(6, 0.97), "eva": noisy(7, 0.7)},
    ],
    ids=["easy", "one label", "two who always say it", "independent", "two experts"],
)
def test_raters_who_are_alike_for_other_reasons_are_no_copies(by_hand, scores):
    assert Report(labelled(by_hand, scores)).copies == []


def test_of_two_raters_only_that_they_are_the_same_can_be_said(by_hand):
    one = noisy(1)
    page = words_of(page_of(labelled(by_hand, {"ana": one, "ben": one})))
    assert (
        "With two raters nobody can say whether one column is a copy of the other: make sure that "
        "they rated apart."
    ) in page
    assert "other pairs" not in page


@pytest.mark.parametrize(("alike", "named"), [(26, True), (27, False)])
def test_of_two_raters_nothing_is_said_that_chance_makes_once_in_a_thousand(by_hand, alike, named):
    """One label in 26 of 30: (.867² + .133²)³⁰ = .0004; in 27: (.9² + .1²)³⁰ = .0026."""
    column = lambda at: LABELS[at >= alike]  # noqa: E731
    found = Report(labelled(by_hand, {"ana": column, "ben": column}, count=30)).copies
    assert bool(found) is named


def test_two_independent_raters_are_no_copies(by_hand):
    assert Report(labelled(by_hand, {"ana": noisy(1), "ben": noisy(2)})).copies == []


def timed(by_hand, order, times):
    """ana's labels of sixty items: one label on the first forty, saved in this order."""
    stored = by_hand("halo-support", records("halo-support", 60))
    stored.add_rater("ana")
    events = [
        Event(
            uuid.UUID(int=at).hex,
            f"i{at:03d}",
            "label",
            LABELS[2] if at < 40 else LABELS[at % 2],
            client_time=times(at),
        )
        for at in order
    ]
    assert all(ack.ok for ack in stored.save("ana", events))
    # The history has the answers in the order they came.
    return re.sub(r"history [0-9a-f]{64}", "history", words_of(page_of(stored)))


def test_answers_without_times_of_their_own_come_in_no_order(by_hand):
    """The order of a file is no order of rating, and shuffling it changes nothing."""
    shuffled = random.Random(3).sample(range(60), 60)
    pages = [
        timed(by_hand, order, lambda at: "2026-03-02T10:00:00Z") for order in (range(60), shuffled)
    ]
    assert "in a row" not in pages[0].lower()
    assert pages[0] == pages[1]


def test_a_stretch_of_one_answer_is_one_of_time(by_hand):
    page = timed(by_hand, range(60), lambda at: f"2026-03-02T{10 + at // 60}:{at % 60:02d}:00Z")
    assert "ana answers “NO EVIDENCE” 40 times in a row, by the times of the 60 answers" in page


def test_the_chance_of_a_stretch_is_that_of_simulated_ones():
    rng = np.random.default_rng(1)
    for many, share, run in ((60, 0.6, 9), (200, 0.5, 9)):
        draws = rng.random((4000, many)) < share
        longest = np.array(
            [
                max(map(len, "".join("x" if x else " " for x in row).split()), default=0)
                for row in draws
            ]
        )
        assert chance_of_run(many, share, run) == pytest.approx((longest >= run).mean(), abs=0.02)


def test_the_interval_of_a_median_leaves_out_as_many_as_its_risk_allows():
    """Ten values: the second and the ninth hold 97.9 % (tables of order statistics)."""
    assert middle_between(np.arange(1.0, 11.0), 0.05) == (2.0, 9.0)
    assert np.isnan(middle_between(np.arange(5.0), 0.05)[0])


def test_a_rater_beside_the_others_is_compared_on_the_same_units_alone():
    import pandas as pd

    rows = pd.DataFrame(
        [
            (f"u{at}", rater, f"u{at}", value)
            for at in range(12)
            for rater, value in (("a", 1.0), ("b", float(at % 2)))
        ]
        + [("v", "a", "v", 0.0)],
        columns=["unit", "rater", "cluster", "value"],
    )
    found = beside(rows, 0.95).set_index("rater")
    assert found.loc["a", ["own", "others", "gap", "n"]].tolist() == [1.0, 0.5, 0.5, 12]
    # t with 11 degrees of freedom at 98.75 %, for two raters: 2.593; s = √(3/11).
    half = 2.5931 * np.sqrt(3 / 11 / 12)
    assert found.loc["a", "low"] == pytest.approx(0.5 - half, abs=1e-3)


def test_leaving_a_rater_out_is_told_question_by_question_as_the_table_has_it(by_hand):
    """On one question eva alone differs, on the others nobody does: no mean hides it."""
    rng = random.Random(5)
    base = [[1 + rng.randrange(5) for _ in range(4)] for _ in range(40)]

    def made(rater):
        def score(at, question):
            right = base[at][question]
            odd = rater == "eva" and question == 0 and at % 2
            return 1 + right % 5 if odd or rng.random() < 0.1 else right

        return score

    from tests.reporting.rounds import CRITERIA

    answers = [
        (rater, f"i{at:03d}", CRITERIA[question], made(rater)(at, question))
        for rater in ("ana", "ben", "eva")
        for at in range(40)
        for question in range(4)
    ]
    said = words_of(left_out(Report(by_hand("neureg-qa", records("neureg-qa", 40), answers))))
    found = re.search(
        r"raises α most on Relevance, without eva: from (0\.\d\d) to (0\.\d\d) \(\+(0\.\d\d)\); "
        r"averaged over 4 questions, most without eva \(\+0\.\d\d\)",
        said,
    )
    assert found, said
    before, after, rise = map(float, found.groups())
    assert after - before == pytest.approx(rise, abs=0.011)
    assert f"nobody {before:.2f}" in said
    assert f"eva {after:.2f}" in said
    assert "by no more than" not in said


def test_a_rater_far_from_the_others_on_three_answers_is_not_named(by_hand):
    answers = [
        (rater, f"i{at:03d}", "label", LABELS[at % 3])
        for rater in ("ana", "ben", "eva")
        for at in range(40)
    ]
    answers += [("dan", f"i{at:03d}", "label", LABELS[(at + (at < 2)) % 3]) for at in range(3)]
    page = words_of(page_of(by_hand("halo-support", records("halo-support", 40), answers)))
    assert "dan agrees with the others less" not in page
    assert "dan says" not in page
