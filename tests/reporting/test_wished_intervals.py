"""The interval and the coverage that a report is asked for are those of every number and margin."""

import numpy as np
import pytest

from raterbook.analysis import Interval
from raterbook.numbers.compute import summary
from raterbook.reporting import Report
from raterbook.reporting.leanings import apart
from raterbook.reporting.sections.weighting import calibration, confident, weighted_beside
from tests.reporting.rounds import opened, records

SCALE = [1, 2, 3, 4, 5]
KINDS = {"ana": "human", "ben": "human", "eva": "human", "gpt": "model"}
TONE = {"tone": {"type": "scale", "level": "ordinal", "scale": SCALE}}


@pytest.fixture(scope="module")
def report_of(tmp_path_factory):
    rng = np.random.default_rng(4)
    answers = []
    for item in range(40):
        level = int(rng.integers(2, 5))
        for rater in ("ana", "ben", "eva"):
            score = int(np.clip(level + rng.integers(-1, 2) + (rater == "ben"), 1, 5))
            answers.append((rater, f"i{item:03d}", "tone", score))
            answers.append((rater, f"i{item:03d}", "confidence", int(rng.integers(2, 10)) * 10))
    items = records("feedback-quality", 40, criteria="tone")
    stored = opened(tmp_path_factory.mktemp("wished"), "feedback-quality", items, answers)
    return lambda **parameters: Report(stored, **parameters)


def test_margins_follow_the_coverage_that_was_asked_for(report_of):
    wide, narrow = report_of(), report_of(coverage=0.5)
    far = [
        apart(each.counted, "ana", ["ben"], each.parameters.coverage).margin
        for each in (wide, narrow)
    ]
    # t of 39 degrees of freedom: 2.0227 and 0.6808
    assert far[0] / far[1] == pytest.approx(2.0227 / 0.6808, rel=1e-3)
    page = [each.raters()._repr_html_() for each in (wide, narrow)]
    assert page[0] != page[1]
    rows = confident(wide.counted)
    assert len(rows) == 120
    moves = [weighted_beside(rows, each) for each in (0.95, 0.5)]
    assert moves[0]["high"] - moves[0]["low"] > 2.5 * (moves[1]["high"] - moves[1]["low"])
    of_slope = [each["slope_margin"] for each in moves]
    assert of_slope[0] / of_slope[1] == pytest.approx(2.0227 / 0.6808, rel=0.01)
    bins = [calibration(rows, each)["margin"].dropna() for each in (0.95, 0.5)]
    assert (bins[0] > 2 * bins[1]).all()


def judged():
    import pandas as pd

    rng = np.random.default_rng(1)
    rows = []
    for i in range(30):
        level = int(rng.integers(1, 6))
        for rater, kind in KINDS.items():
            value = int(np.clip(level + rng.integers(-1, 2), 1, 5))
            rows.append((f"q{i:02}", f"q{i:02}", 0, rater, kind, "tone", str(value), float(value)))
    names = ["item", "case", "part", "rater", "rater_kind", "question", "value", "number"]
    return pd.DataFrame(rows, columns=names)


@pytest.mark.parametrize("interval", ["bootstrap", "bca"])
@pytest.mark.parametrize(
    "statistic",
    [
        *("spearman", "macro_f1_halves", "exact_halves", "exact", "mae", "bias"),
        *("full_agreement", "evaluator_agreement", "percent_agreement", "mean", "alpha_ordinal"),
    ],
)
def test_the_interval_that_is_asked_for_is_the_one_that_is_made(statistic, interval):
    frame, measure = judged(), {"statistic": statistic, "question": "tone"}

    def row(**options):
        return summary(frame, [measure], TONE, interval=Interval(**options))[0]

    drawn = row(method=interval)
    assert "bootstrap" in drawn["method"], drawn["method"]
    usual = row()
    assert drawn["estimate"] == usual["estimate"]
    assert drawn["low"] == pytest.approx(usual["low"], abs=0.15)
    half = row(method=interval, coverage=0.5)
    assert half["high"] - half["low"] < 0.6 * (drawn["high"] - drawn["low"])


def test_rank_correlation_and_f1_are_those_of_scipy_and_scikit_learn(monkeypatch):
    from scipy.stats import spearmanr
    from sklearn.metrics import f1_score

    frame = judged()
    wide = frame.pivot(index="item", columns="rater", values="number")
    people = wide[["ana", "ben", "eva"]].mean(axis=1)
    asked = [{"statistic": name, "question": "tone"} for name in ("spearman", "macro_f1_halves")]
    found = [row["estimate"] for row in summary(frame, asked, TONE)]
    assert found[0] == pytest.approx(spearmanr(people, wide["gpt"]).statistic)
    halves = [(np.round(x * 2)).astype(int) for x in (people, wide["gpt"])]
    assert found[1] == pytest.approx(f1_score(*halves, average="macro"))
    # Too many different values for the memory: the number without its interval, and why.
    monkeypatch.setattr("raterbook.analysis.averages.against.MOST_CELLS", 10)
    for row, before in zip(summary(frame, asked, TONE), found, strict=True):
        assert row["estimate"] == pytest.approx(before)
        assert (row["low"], row["reason"]) == (None, "too_many_values")
