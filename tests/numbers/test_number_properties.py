"""Order, names, types and what is missing never matter to a round's numbers."""

import csv
import datetime
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raterbook.analysis import Interval
from raterbook.files import import_answers
from raterbook.numbers.compute import numbers, summary
from tests.reporting.rounds import opened, records

SCALE = [1, 2, 3, 4, 5]
LABELS = ["accurate", "inaccurate", "unsure"]
QUESTIONS = {
    "tone": {"type": "scale", "level": "ordinal", "scale": SCALE},
    "overall": {"type": "scale", "level": "interval", "scale": SCALE},
    "label": {"type": "choice", "level": "nominal", "scale": LABELS},
}
VALUES = {"tone": SCALE, "overall": [1, 2.5, 3, 4.75], "label": LABELS}
KINDS = {
    **dict.fromkeys(("ana", "ben", "eva"), "human"),
    **dict.fromkeys(("gpt", "new"), "model"),
    "auto": "automatic",
    "chief": "adjudicator",
}
SCORES = ["tone", "overall"]
MEASURES = [
    *({"statistic": name, "question": SCORES, "by": "model"} for name in ("mean", "weighted_mean")),
    *(
        {"statistic": name, "question": SCORES}
        for name in (
            *("median", "alpha_ordinal", "alpha_interval", "kappa_weighted_quadratic", "icc_2_1"),
            *(
                "percent_within_one",
                "overall_mean",
                "adjusted_share",
                "score_ranges",
                "mae",
                "bias",
            ),
            *("spearman", "macro_f1_halves", "within_one", "evaluator_variance", "difference"),
            *("difference_overall", "ac2"),
        )
    ),
    *(
        {"statistic": name, "question": ["label", "tone"]}
        for name in (
            *("alpha_nominal", "kappa_fleiss", "kappa_raters", "ac1", "percent_agreement"),
            *("full_agreement", "majority", "evaluator_agreement", "exact"),
        )
    ),
    *(
        {"statistic": name, "question": "label"}
        for name in (
            *("percent_match", "kappa_human_auto", "agreement_jaccard", "agreement_specific"),
            "difference_percent_match",
        )
    ),
    {
        "statistic": "proportion_accurate",
        "question": "label",
        "is": ["accurate"],
        "of": LABELS[:2],
        "by": "model",
    },
]


@st.composite
def rounds(draw):
    """A round's frame: some cases × two systems, whoever answered what, one row an answer."""
    rows = []
    for case in range(draw(st.integers(2, 6))):
        for system in ("m1", "m2"):
            for rater, kind in KINDS.items():
                for question in QUESTIONS:
                    value = draw(st.sampled_from([*VALUES[question], None]))
                    if value is not None:
                        score = not isinstance(value, str)
                        rows.append(
                            {
                                "item": f"q{case}/{system}",
                                "case": f"q{case}",
                                "part": 0,
                                "rater": rater,
                                "rater_kind": kind,
                                "question": question,
                                "replicate": 1,
                                "value": str(value),
                                "number": float(value) if score else np.nan,
                                "status": "answered",
                                "confidence": 10.0 * (case + len(rater)),
                                "role": "main",
                                "model": system,
                                "article": f"a{case // 2}",
                            }
                        )
    columns = [
        *("item", "case", "part", "rater", "rater_kind", "question", "replicate", "value"),
        *("number", "status", "confidence", "role", "model", "article"),
    ]
    return pd.DataFrame(rows, columns=columns)


def rows_of(frame, **options):
    return summary(frame, MEASURES, QUESTIONS, **options)


def key(row, names=None):
    group = tuple(
        sorted((k, str((names or {}).get(v, v))) for k, v in (row["group"] or {}).items())
    )
    return row["statistic"], row["question"], group, row["aggregate"]


def assert_same(first, second, names=None):
    """The same rows: counts, reasons and warnings exactly, numbers to the ninth digit."""
    found = {key(row): row for row in second}
    assert sorted(map(str, found)) == sorted(str(key(row, names)) for row in first)
    for row in first:
        other = found[key(row, names)]
        for name in ("n_items", "n_raters", "n_ratings", "reason", "warnings"):
            assert row[name] == other[name], (name, row, other)
        for name in ("estimate", "low", "high", "low_like", "high_like", "p"):
            a, b = row[name], other[name]
            assert (a is None) == (b is None), (name, row, other)
            assert a is None or math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-9), (name, row, other)


FEW = settings(max_examples=12, deadline=None)


@FEW
@given(rounds(), st.randoms(use_true_random=False), st.sampled_from(["jackknife", "bootstrap"]))
def test_the_order_of_rows_changes_no_digit(frame, random, interval):
    order = list(range(len(frame)))
    random.shuffle(order)
    given = {"interval": Interval(interval, draws=50, seed=3)}
    assert rows_of(frame, **given) == rows_of(frame.iloc[order], **given)


@FEW
@given(rounds(), st.permutations(["u", "v", "w", "x", "y", "z", "t"]))
def test_raters_may_be_called_anything(frame, others):
    names = dict(zip(KINDS, others, strict=True))
    renamed = frame.assign(rater=frame["rater"].map(names))
    assert_same(rows_of(frame), rows_of(renamed), names)


@FEW
@given(rounds(), st.permutations(range(12)), st.sampled_from(["text", "integers", "dates"]))
def test_items_and_cases_may_be_called_anything(frame, numbers, kind):
    start = datetime.date(2024, 1, 1)
    spelled = {
        "text": lambda n: "item " + "abcdefghijkl"[n],
        "integers": lambda n: n,
        "dates": lambda n: start + datetime.timedelta(days=40 * n),
    }[kind]
    items = {item: spelled(numbers[n]) for n, item in enumerate(sorted(set(frame["item"])))}
    cases = {case: spelled(numbers[n]) for n, case in enumerate(sorted(set(frame["case"])))}
    renamed = frame.assign(item=frame["item"].map(items), case=frame["case"].map(cases))
    for cluster in (None, "article"):
        assert_same(rows_of(frame, cluster=cluster), rows_of(renamed, cluster=cluster))


@FEW
@given(rounds(), st.sampled_from([None, np.nan, pd.NA, "", "  "]), st.booleans())
def test_a_missing_value_is_no_answer_however_it_is_spelled(frame, missing, categorical):
    whole = rows_of(frame)
    asked = [
        {"item": item, "case": item.split("/")[0], "part": 0, "rater": rater, "rater_kind": kind,
         "question": question, "replicate": 1, "value": missing, "number": np.nan,
         "status": "answered", "role": "main", "model": item.split("/")[1], "article": "a0",
         "confidence": 50.0}
        for item in sorted(set(frame["item"]))
        for rater, kind in KINDS.items()
        for question in QUESTIONS
    ]  # fmt: skip
    there = set(zip(frame["item"], frame["rater"], frame["question"], strict=True))
    lacking = [r for r in asked if (r["item"], r["rater"], r["question"]) not in there]
    if not lacking:
        return
    spelled = pd.DataFrame([*frame.to_dict("records"), *lacking], columns=frame.columns).astype(
        {"value": "category" if categorical else object}
    )
    assert_same(whole, rows_of(spelled))


def scored(folder, raters=("ana", "ben", "eva"), count=9, more=0):
    answers = [
        (rater, f"i{n:03d}", question, 1 + (n * 7 + 3 * place + (question == "fluency")) % 5)
        for place, rater in enumerate(raters)
        for n in range(count)
        for question in ("accuracy", "fluency", "relevance")
        if (n + place) % 4
    ]
    return opened(folder, "neureg-qa", records("neureg-qa", count + more), answers), answers


def without_completeness(found):
    return [row for row in found.rows if row["statistic"] != "completeness"]


def test_an_item_that_nobody_rated_changes_no_number(tmp_path):
    few, _ = scored(tmp_path)
    more, _ = scored(tmp_path, more=3)
    assert without_completeness(numbers(few)) == without_completeness(numbers(more))


@pytest.mark.parametrize("interval", ["jackknife", "bca"])
def test_two_halves_imported_one_after_the_other_are_the_whole(tmp_path, interval):
    whole, answers = scored(tmp_path)
    middle = len(answers) // 2
    given = {"interval": interval, "resamples": 100}
    expected = numbers(whole, **given).rows
    for halves in ((answers[:middle], answers[middle:]), (answers[middle:], answers[:middle])):
        stored, _ = scored(tmp_path, raters=())
        for number, half in enumerate(halves):
            file = tmp_path / f"half-{number}.csv"
            with file.open("w", newline="", encoding="utf-8") as handle:
                writer = csv.writer(handle)
                writer.writerow(("rater", "item", "question", "value"))
                writer.writerows(half)
            import_answers(stored, file)
        assert without_completeness(numbers(stored, **given)) == [
            row for row in expected if row["statistic"] != "completeness"
        ]
