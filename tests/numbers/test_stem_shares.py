"""STEM's worked example, and what recoding makes of it, through `summary`."""

import pytest

from raterbook.numbers.compute import summary

ROW = [
    *("question", "group", "statistic", "estimate", "low", "high", "low_like", "high_like"),
    *("raters", "n_items", "n_raters", "n_ratings", "method", "p", "reason"),
    *("aggregate", "warnings"),
]
STEM = {
    "accuracy": {
        "type": "choice",
        "level": "nominal",
        "scale": ["accurate", "disputed", "unsupported", "inaccurate", "cannot_assess"],
    },
    "severity": {"type": "choice", "level": "nominal", "scale": ["severe", "not_severe"]},
}
JUDGED = ["accurate", "disputed", "unsupported", "inaccurate"]
ISSUES = ["inaccurate", "unsupported", "disputed"]
STEM_MEASURES = [
    {"statistic": "proportion_accurate", "question": "accuracy", "is": ["accurate"], "of": JUDGED},
    {
        "statistic": "proportion_inaccurate",
        "question": "accuracy",
        "is": ["inaccurate"],
        "of": JUDGED,
    },
    {
        "statistic": "proportion_severely_inaccurate",
        "question": "accuracy",
        "is": {"accuracy": ["inaccurate"], "severity": ["severe"]},
        "of": JUDGED,
    },
    {
        "statistic": "proportion_residual",
        "question": "accuracy",
        "is": ["disputed", "unsupported"],
        "of": JUDGED,
    },
    {
        "statistic": "proportion_excluded",
        "question": "accuracy",
        "is": ["cannot_assess"],
        "of": [*JUDGED, "cannot_assess"],
    },
    {
        "statistic": "severe_any_issue",
        "question": "accuracy",
        "is": {"accuracy": ISSUES, "severity": ["severe"]},
        "of": JUDGED,
    },
    {"statistic": "missing_severity", "question": "severity", "of": {"accuracy": ISSUES}},
]
# Sentence, rater, answer, severity: ten ratings, of which eight judge.
SENTENCES = [
    (1, "A", "accurate", None),
    (1, "B", "accurate", None),
    (2, "A", "inaccurate", "severe"),
    (2, "B", "unsupported", "not_severe"),
    (3, "A", "inaccurate", "not_severe"),
    (3, "B", "disputed", "severe"),
    (4, "A", "cannot_assess", None),
    (4, "B", "accurate", None),
    (5, "A", "accurate", None),
    (5, "B", "cannot_assess", None),
]


def stem_answers(item="q1/m1"):
    for sentence, rater, accuracy, severity in SENTENCES:
        yield item, sentence, rater, "accuracy", accuracy
        if severity:
            yield item, sentence, rater, "severity", severity


@pytest.mark.parametrize(
    ("statistic", "question", "value", "n"),
    [
        ("proportion_accurate", "accuracy", 4 / 8, 8),
        ("proportion_inaccurate", "accuracy", 2 / 8, 8),
        ("proportion_severely_inaccurate", "accuracy", 1 / 8, 8),
        ("proportion_residual", "accuracy", 2 / 8, 8),
        ("proportion_excluded", "accuracy", 2 / 10, 10),
        ("severe_any_issue", "accuracy", 2 / 8, 8),
        ("missing_severity", "severity", 0.0, 4),
    ],
)
def test_stem_shares_of_its_eight_counted_ratings(frame, pick, statistic, question, value, n):
    rows = summary(frame(stem_answers()), STEM_MEASURES, STEM)
    row = pick(rows, statistic, question)
    assert row["estimate"] == pytest.approx(value)
    assert (row["n_ratings"], row["n_items"], row["raters"]) == (n, 1, "human")


def test_stem_without_a_severity_counts_as_not_severe_and_says_so(frame, pick):
    answers = [a for a in stem_answers() if not (a[1] == 2 and a[2] == "A" and a[3] == "severity")]
    rows = summary(frame(answers), STEM_MEASURES, STEM)
    severe = pick(rows, "proportion_severely_inaccurate", "accuracy")
    assert severe["estimate"] == 0.0
    assert "missing_severity" in severe["warnings"]
    assert pick(rows, "missing_severity", "severity")["estimate"] == 1 / 4
    upper = pick(
        rows,
        "proportion_severely_inaccurate",
        "accuracy",
        {"level": "missing taken as severe"},
    )
    assert upper["estimate"] == 1 / 8


def renamed(value, new):
    """The same with the question `severity` called otherwise."""
    if isinstance(value, dict):
        return {renamed(key, new): renamed(each, new) for key, each in value.items()}
    return new if value == "severity" else value


def test_a_severity_that_is_missing_is_said_whatever_its_question_is_called(frame):
    answers = [a for a in stem_answers() if not (a[1] == 2 and a[2] == "A" and a[3] == "severity")]
    rows = summary(frame(answers), STEM_MEASURES, STEM)
    other = [tuple(renamed(cell, "gravity") for cell in answer) for answer in answers]
    measures = [renamed(measure, "gravity") for measure in STEM_MEASURES]
    found = summary(frame(other), measures, renamed(STEM, "gravity"))
    assert found == [renamed(row, "gravity") for row in rows]


def test_stem_shares_by_sentence_and_by_response_stand_beside_the_pooled_ones(frame, pick):
    more = [
        ("q2/m1", 1, "A", "accuracy", "inaccurate"),
        ("q2/m1", 1, "B", "accuracy", "inaccurate"),
        ("q2/m1", 1, "A", "severity", "severe"),
        ("q2/m1", 1, "B", "severity", "severe"),
    ]
    rows = summary(frame([*stem_answers(), *more]), STEM_MEASURES, STEM)
    # Sentences with a majority for accurate: 1, 4 and 5 of six.
    sentence = pick(rows, "proportion_accurate", "accuracy", {"level": "sentence"})
    assert sentence["estimate"] == pytest.approx(3 / 6)
    # Shares of the two responses: 4/8 and 0.
    response = pick(rows, "proportion_accurate", "accuracy", {"level": "response"})
    assert response["estimate"] == pytest.approx(1 / 4)
    assert pick(rows, "proportion_accurate", "accuracy")["estimate"] == pytest.approx(4 / 10)


def test_stem_shares_of_nothing_are_undefined_not_zero(frame, pick):
    rows = summary(frame([("q1/m1", 1, "A", "accuracy", "cannot_assess")]), STEM_MEASURES, STEM)
    row = pick(rows, "proportion_accurate", "accuracy")
    assert (row["estimate"], row["reason"]) == (None, "zero_denominator")
    assert pick(rows, "proportion_excluded", "accuracy")["estimate"] == 1.0


def test_recoding_makes_a_question_of_its_own_without_what_was_not_assessed(frame, pick):
    measure = {
        "statistic": "alpha_nominal",
        "question": "accuracy",
        "recode": {"accuracy_issue": {"accurate": ["accurate"], "issue": ISSUES}},
    }
    both = [measure, {"statistic": "alpha_nominal", "question": "accuracy"}]
    rows = summary(frame(stem_answers()), both, STEM)
    # Sentences 1 to 3 are pairable and agree on both values: perfect agreement.
    assert pick(rows, "alpha_nominal", "accuracy_issue")["estimate"] == 1.0
    five = pick(rows, "alpha_nominal", "accuracy")
    assert five["n_ratings"] == 10
    # 4 of 5 pairs differ; values 4 1 1 2 2 of 10 give expected disagreement 1 − 16/90 = 74/90.
    assert five["estimate"] == pytest.approx(1 - 0.8 / (74 / 90))


def test_a_row_has_exactly_the_columns_that_were_agreed(frame):
    for row in summary(frame(stem_answers()), STEM_MEASURES, STEM):
        assert list(row) == ROW
