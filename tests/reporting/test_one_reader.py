"""What two places say to one reader is the same."""

import re
from importlib.resources import files

import numpy as np
import pytest

import raterbook.protocols
from raterbook.analysis.intervals import METHODS, Interval
from raterbook.numbers.compare import compare
from raterbook.numbers.parameters import Parameters
from raterbook.reporting import Report
from raterbook.reporting.figures.rows import bound_of
from raterbook.reporting.sections.conduct import repeats
from raterbook.reporting.sections.trust import coefficients, puzzling
from raterbook.reporting.sections.verdict import LEVELS
from raterbook.rounds import Event
from tests.reporting.rounds import opened, records

FEEDBACK = (files(raterbook.protocols) / "library" / "feedback-quality.yaml").read_text("utf-8")


def with_measures(text, *measures):
    more = "".join(f"  - {{statistic: {name}, question: {asked}}}\n" for name, asked in measures)
    return re.sub(r"measures:\n(?:  .*\n)+", "measures:\n" + more, text)


def test_the_alpha_that_leads_is_the_one_of_the_questions_level(tmp_path):
    asked = [("alpha_nominal", "overall"), ("alpha_interval", "overall"), ("alpha_nominal", "tone")]
    asked += [("alpha_ordinal", "tone"), ("alpha_nominal", "clarity")]
    text = with_measures(FEEDBACK, *asked)
    rng = np.random.default_rng(2)
    answers = []
    for number in range(30):
        level = 1 + number % 4
        for rater in ("ana", "ben"):
            near = round(float(np.clip(level + rng.normal(0, 0.2), 1, 5)), 2)
            answers.append((rater, f"i{number:03d}", "overall", near))
            for question in ("tone", "clarity"):
                answers.append((rater, f"i{number:03d}", question, int(level + rng.integers(2))))
    items = records("feedback-quality", 30, criteria="tone")
    report = Report(opened(tmp_path, "feedback-quality", items, answers, text=text))
    leading = {row["question"]: row["statistic"] for row in coefficients(report)}
    assert leading == {
        "overall": "alpha_interval",
        "tone": "alpha_ordinal",
        "clarity": "alpha_nominal",
    }


def test_a_low_alpha_at_high_agreement_is_explained_where_the_number_warns_of_it(tmp_path):
    # Forty items: ana alone says CONTRADICTED of six, ben of eight more, both of three.
    of_ana, of_ben = {*range(6), 37, 38, 39}, {*range(6, 14), 37, 38, 39}
    answers = [
        (rater, f"i{n:03d}", "label", "CONTRADICTED" if n in theirs else "SUPPORTED")
        for n in range(40)
        for rater, theirs in (("ana", of_ana), ("ben", of_ben))
    ]
    report = Report(opened(tmp_path, "halo-support", records("halo-support", 40), answers))
    row = report.numbers.get("alpha_nominal", "label")
    agreement = report.numbers.get("percent_agreement", "label")["estimate"]
    assert (agreement, row["estimate"]) == (pytest.approx(0.65), pytest.approx(0.1, abs=0.1))
    explained = puzzling(report, [row], {"label": agreement}) is not None
    assert explained == ("high_agreement_low_coefficient" in row["warnings"])


@pytest.mark.parametrize("alpha", [0.52])
def test_one_alpha_has_one_word(alpha):
    word = next(said for bound, said in LEVELS if alpha >= bound)
    assert ("weak" in word) == (bound_of(alpha) == "is below the tentative bound")


def test_a_report_may_ask_for_the_intervals_that_analysis_makes():
    assert Parameters("r").wish == Interval()
    asked = [Parameters("r", interval=method).wish for method in METHODS]
    assert asked == [Interval(method) for method in METHODS]


def test_what_is_given_again_is_as_often_the_same_on_the_page_as_beside_people(tmp_path):
    items = [f"i{n:03d}" for n in range(12)]
    answers = [
        (who, item, "label", "SUPPORTED") for who in ("ana", "ben", "gauge") for item in items
    ]
    kinds = {"gauge": "model"}
    stored = opened(tmp_path, "halo-support", records("halo-support", 12), answers, kinds)
    again = [
        Event(item, item, "label", "CONTRADICTED" if at < 3 else "SUPPORTED", replicate=2)
        for at, item in enumerate(items)
    ]
    assert all(ack.ok for ack in stored.save("gauge", again))
    found = repeats(Report(stored))
    [(rater, share, n)] = found.groupby("rater")["value"].agg(["mean", "size"]).itertuples()
    habits = {each.statistic: each.model.value for each in compare(stored, "gauge").overall.habits}
    assert (rater, n, share, habits["stability"]) == ("gauge", 12, 0.75, 0.75)
