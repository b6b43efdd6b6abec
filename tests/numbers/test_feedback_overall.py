"""Feedback's worked examples, through `summary`: weighted means, overalls stated and computed."""

import pytest

from raterbook.numbers.compute import summary

SCALE = [1, 2, 3, 4, 5]
CRITERIA = ["correctness", "clarity", "tone", "actionability", "coherence", "emotion"]
FEEDBACK = {
    **{name: {"type": "scale", "level": "ordinal", "scale": SCALE} for name in CRITERIA},
    "overall": {"type": "scale", "level": "interval", "scale": SCALE},
}


def test_feedback_weights_by_confidence_and_computes_the_overall(frame, pick):
    answers = [
        ("f1", 0, "r1", "tone", 4, 100),
        ("f1", 0, "r2", "tone", 5, 80),
        ("f1", 0, "r3", "tone", 3, 50),
    ]
    measures = [
        {"statistic": name, "question": "tone"}
        for name in ("mean", "weighted_mean", "weighted_mean_within", "sd", "median")
    ]
    rows = summary(frame(answers), measures, FEEDBACK)
    assert pick(rows, "weighted_mean", "tone")["estimate"] == pytest.approx(4.130435, abs=5e-7)
    assert pick(rows, "mean", "tone")["estimate"] == 4.0
    assert pick(rows, "median", "tone")["estimate"] == 4.0
    assert pick(rows, "sd", "tone")["estimate"] == pytest.approx(1.0)


def test_feedback_overall_stated_against_computed(frame, pick):
    scores = [5, 5, 4, 3, 4, 4]
    answers = [("f1", 0, "r1", name, x) for name, x in zip(CRITERIA, scores, strict=True)]
    answers += [("f1", 0, "r1", "overall", 4)]
    # A second rater whose 4 stands half a point below the mean of 4.5.
    answers += [
        ("f1", 0, "r2", name, x) for name, x in zip(CRITERIA, [5, 5, 5, 4, 4, 4], strict=True)
    ]
    answers += [("f1", 0, "r2", "overall", 4)]
    measures = [
        {"statistic": "overall_computed_mean", "question": CRITERIA},
        {"statistic": "adjusted_share", "question": "overall"},
        {"statistic": "mean", "question": "overall"},
    ]
    rows = summary(frame(answers), measures, FEEDBACK, raters=["r1"])
    assert pick(rows, "overall_computed_mean")["estimate"] == pytest.approx(4.166667, abs=5e-7)
    assert pick(rows, "adjusted_share", "overall")["estimate"] == 0.0
    rows = summary(frame(answers), measures, FEEDBACK)
    assert pick(rows, "adjusted_share", "overall")["estimate"] == 0.5


def test_feedback_overall_may_have_decimals(frame, pick):
    answers = [("f1", 0, "r1", "overall", 4.25), ("f2", 0, "r1", "overall", 3.5)]
    rows = summary(frame(answers), [{"statistic": "mean", "question": "overall"}], FEEDBACK)
    assert pick(rows, "mean", "overall")["estimate"] == pytest.approx(3.875)
