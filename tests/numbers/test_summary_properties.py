"""Whatever the answers, a summary has its rows, and every absent number has a reason."""

import json
import math

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from raterbook.analysis.estimate import REASONS, WARNINGS
from raterbook.numbers.compute import summary
from raterbook.protocols import STATISTICS
from tests.numbers.test_stem_shares import STEM

QUESTIONS = {
    **STEM,
    "tone": {"type": "scale", "level": "ordinal", "scale": [1, 2, 3, 4, 5]},
    "overall": {"type": "scale", "level": "interval", "scale": [1, 2, 3, 4, 5]},
    "reference_answer": {"type": "answer", "level": None, "scale": None},
    "generated_answer": {"type": "answer", "level": None, "scale": None},
    "keep": {"type": "choice", "level": "nominal", "scale": ["keep", "drop"]},
}
VALUES = {
    **{name: question["scale"] for name, question in QUESTIONS.items() if question["scale"]},
    "overall": [1, 2.5, 4, 4.75],
    "reference_answer": ["Paris", "<Unanswerable>", "42 people"],
    "generated_answer": ["Paris", "<Unanswerable>", "42"],
}
KINDS = {
    "ana": "human",
    "ben": "human",
    "eva": "human",
    "gpt": "model",
    "auto": "automatic",
    "chief": "adjudicator",
}
CASE_LEVEL = ("reference_answer", "keep")


@st.composite
def answers(draw):
    rows = {}
    for _ in range(draw(st.integers(0, 40))):
        question = draw(st.sampled_from(sorted(QUESTIONS)))
        case, system = draw(st.integers(1, 4)), draw(st.sampled_from(["m1", "m2"]))
        rater, part = draw(st.sampled_from(sorted(KINDS))), draw(st.integers(0, 2))
        value = draw(st.sampled_from(VALUES[question]))
        item = None if question in CASE_LEVEL else f"q{case}/{system}"
        rows[(question, item, case, rater, part)] = {
            "item": item,
            "case": f"q{case}",
            "part": part,
            "rater": rater,
            "rater_kind": KINDS[rater],
            "question": question,
            "replicate": 1,
            "value": str(value),
            "number": float(value) if isinstance(value, (int, float)) else np.nan,
            "status": draw(st.sampled_from(["answered"] * 9 + ["skipped"])),
            "confidence": draw(st.sampled_from([np.nan, 0.0, 50.0, 100.0])),
            "role": "main",
            "model": None if item is None else system,
            "chunk": f"c{case // 2}",
        }
    columns = [
        *("item", "case", "part", "rater", "rater_kind", "question", "replicate", "value"),
        *("number", "status", "confidence", "role", "model", "chunk"),
    ]
    return pd.DataFrame(list(rows.values()), columns=columns)


def measures():
    for name in STATISTICS:
        for question in ("tone", "accuracy", ["tone", "overall"]):
            measure = {"statistic": name, "question": question, "by": ["model"]}
            if name.startswith("proportion_") or name in ("severe_any_issue", "missing_severity"):
                scale = VALUES["accuracy" if question == "accuracy" else "tone"]
                measure |= {"is": scale[:2], "of": scale}
            yield measure
    yield {"statistic": "difference", "question": "accuracy", "is": ["accurate"]}
    yield {
        "statistic": "kappa_raters",
        "question": "accuracy",
        "recode": {"issue": {"no": ["accurate"], "yes": ["inaccurate", "disputed"]}},
    }


@settings(max_examples=25, deadline=None)
@given(answers(), st.sampled_from([None, "chunk"]), st.sampled_from(["jackknife", None]))
def test_no_answers_break_a_summary_or_give_a_number_that_is_not_one(frame, cluster, interval):
    rows = summary(frame, measures(), QUESTIONS, cluster=cluster, interval=interval)
    assert rows
    json.dumps(rows, allow_nan=False)
    for row in rows:
        assert set(row["warnings"]) <= set(WARNINGS)
        assert row["reason"] is None or row["reason"] in REASONS
        if row["estimate"] is None:
            assert row["reason"] is not None, row
            assert row["low"] is None
            continue
        assert math.isfinite(row["estimate"])
        assert row["n_ratings"] > 0, row
        for low, high in (("low", "high"), ("low_like", "high_like")):
            assert (row[low] is None) == (row[high] is None)
            assert row[low] is None or row[low] <= row[high]
        if interval == "jackknife" and row["low"] is not None:
            assert row["low"] - 1e-9 <= row["estimate"] <= row["high"] + 1e-9, row
            if row["low_like"] is not None:  # other raters are no surer than these
                assert row["low_like"] <= row["low"] + 1e-9, row
                assert row["high_like"] >= row["high"] - 1e-9, row
        if interval is None:
            assert row["low"] is None
        elif row["low"] is None:
            assert row["reason"] is not None, row


@settings(max_examples=20, deadline=None)
@given(answers(), st.randoms(use_true_random=False))
def test_the_order_of_the_answers_does_not_matter(frame, random):
    order = list(range(len(frame)))
    random.shuffle(order)
    asked = [m for m in measures() if m["question"] == "tone"]
    first = summary(frame, asked, QUESTIONS)
    second = summary(frame.iloc[order], asked, QUESTIONS)
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        for name in one:
            a, b = one[name], other[name]
            if isinstance(a, float):
                assert b is not None
                assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9), (one, other)
            elif name != "method":
                assert a == b, (one, other)


@settings(max_examples=30, deadline=None)
@given(answers())
def test_stem_shares_add_up_and_unassessed_ratings_change_nothing(frame):
    judged = ["accurate", "disputed", "unsupported", "inaccurate"]

    def share(built, name, values):
        asked = {"statistic": name, "question": "accuracy", "is": values, "of": judged}
        return summary(built, [asked], QUESTIONS, interval=None)[0]["estimate"]

    parts = [share(frame, f"proportion_{name}", [name]) for name in judged]
    if parts[0] is not None:
        assert math.isclose(sum(parts), 1)
    without = frame[frame["value"] != "cannot_assess"]
    people = set(frame.loc[frame["question"] == "accuracy", "rater_kind"])
    if people == set(without.loc[without["question"] == "accuracy", "rater_kind"]):
        assert share(without, "proportion_accurate", ["accurate"]) == parts[0]
