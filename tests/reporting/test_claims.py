"""What the page claims of systems and targets, and what it leaves open, case by case."""

import json
from types import SimpleNamespace

import pytest

from raterbook.analysis import alpha
from raterbook.numbers.compute import numbers
from raterbook.numbers.number import is_shown
from raterbook.numbers.targets import verdict
from raterbook.protocols import load
from raterbook.reporting import Report
from raterbook.reporting.sections.disputes import alpha_of
from raterbook.reporting.sections.machines import commonest_error
from raterbook.reporting.sections.systems import opening, outcome
from raterbook.reporting.sections.verdict import headline, sentence, settle, several, trusted
from raterbook.reporting.words import reason
from tests.reporting.rounds import page_of, records
from tests.reporting.test_words import at_least, row


def gap(value, low=None, high=None, p=None, **further):
    return {
        "statistic": "difference_overall",
        "question": None,
        "group": {"systems": "a − b"},
        "aggregate": None,
        "estimate": value,
        "low": low,
        "high": high,
        "p_corrected": p,
        "correction": "holm",
        "reason": None,
        "warnings": [],
        **further,
    }


def said(row, comparisons=1):
    rows = [row] * comparisons if row else []
    report = SimpleNamespace(
        parameters=SimpleNamespace(coverage=0.95),
        protocol=SimpleNamespace(questions=()),
        numbers=SimpleNamespace(rows=rows),
    )
    return f"{opening(report, row, 'a is ahead of b', ['a', 'b'])}: {outcome(report, row)}."


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (gap(0.4, 0.1, 0.7, 0.01), "a is ahead of b: a difference of 0.40 (0.10 to 0.70)."),
        (
            gap(0.2, -0.1, 0.5, 0.2),
            "No difference shown between a and b: a difference of 0.20 (−0.10 to 0.50).",
        ),
        (
            gap(0.4, 0.1, 0.7, 0.12),
            "No difference shown between a and b: a difference of 0.40 (0.10 to 0.70), which is "
            "no longer beyond chance among 6 comparisons.",
        ),
        (
            gap(0.4, reason="too_few_units_for_interval"),
            "a and b could not be compared: a difference of 0.40 without an interval (there are "
            "too few independent units for an interval), which shows nothing.",
        ),
        (
            gap(None, reason="no_common_cases"),
            "a and b could not be compared: no case was rated for both systems.",
        ),
    ],
)
def test_a_system_is_ahead_only_where_the_paired_difference_shows_it(row, expected):
    assert said(row, comparisons=6) == expected


def test_a_difference_counts_only_after_correction_for_all_comparisons():
    assert is_shown(gap(0.4, 0.1, 0.7, 0.04), 0.95)
    assert not is_shown(gap(0.4, 0.1, 0.7, 0.06), 0.95)
    assert not is_shown(gap(0.4, -0.1, 0.9, 0.04), 0.95)


def paired(by_hand, better=0, cases=12, shared=True):
    """Two systems on the same cases (or on none in common), by three raters on two questions."""
    items, answers = [], []
    for number, item in enumerate(records("neureg-qa", 2 * cases)):
        case, system = (number // 2, number % 2) if shared else (number, number % 2)
        item = {**item, "qa_id": f"q{case:02d}", "model": "ab"[system]}
        item |= {"source_context": f"text {case}", "source_kg": "1. a → b → c"}
        items.append(item)
        for place, rater in enumerate(("ana", "ben", "eva")):
            score = 2 + (case + place) % 3 + (better if system == 0 else 0)
            for question in ("accuracy", "fluency"):
                answers.append((rater, f"q{case:02d}/{'ab'[system]}", question, min(5, score)))
    return by_hand("neureg-qa", items, answers)


@pytest.mark.parametrize("comparisons", [0, 1])
def test_no_correction_is_claimed_where_there_is_nothing_to_correct_for(comparisons, monkeypatch):
    """Neither for 0 comparisons, where no p could be had, nor for a single one."""
    p = 0.2 if comparisons else None
    shown, none = gap(0.4, 0.1, 0.7), gap(0.4, -0.1, 0.7)
    report = SimpleNamespace(
        parameters=SimpleNamespace(coverage=0.95),
        protocol=SimpleNamespace(questions=(), measures=()),
        numbers=SimpleNamespace(rows=[{**none, "p_corrected": p}]),
    )
    rows = [{"estimate": value} for value in (4.0, 3.0, 2.0)]
    for found, end in ((none, "; no difference is shown."), (shown, "; shown: a before b, a befo")):
        monkeypatch.setattr(
            "raterbook.reporting.sections.verdict.comparison", lambda *_, f=found: f
        )
        order = several(report, "overall_mean", None, rows, ["a", "b", "c"], "mean score")
        assert end in order
        assert "comparison" not in order
    assert said(gap(0.4, 0.1, 0.7, 0.2)).endswith("which is no longer beyond chance.")


def test_a_difference_that_is_the_same_on_all_cases_says_why_it_has_no_interval(by_hand):
    stored = paired(by_hand, better=1)
    first = headline(Report(stored))[0]
    assert "without an interval (all cases differ by the same amount), which shows nothing" in first
    page = page_of(stored)
    assert "<td class=figure>all cases differ by the same amount</td>" in page
    assert "no reason given" not in page


def test_equal_systems_are_not_told_apart_and_the_interval_stands_beside(by_hand):
    report = Report(paired(by_hand))
    first = headline(report)[0]
    assert first.startswith(("a and b could not be compared", "No difference shown"))


def test_an_alpha_without_an_interval_says_why_and_is_not_warned_of_its_width(by_hand):
    items = records("halo-support", 12)
    answers = [
        (rater, item["id"], "label", "SUPPORTED" if at % 2 else "CONTRADICTED")
        for rater in ("ana", "ben")
        for at, item in enumerate(items)
    ]
    answers[0] = (*answers[0][:3], "SUPPORTED")
    report = Report(by_hand("halo-support", items, answers))
    (row,) = report.rows("alpha_nominal")
    assert row["low"] is None
    assert "too_few_disagreements" in row["warnings"]
    page = page_of(report.stored)
    assert f"Label: α without an interval, as {reason(row['reason'])}." in page
    assert "too narrow or too wide" not in page


def test_the_alpha_of_a_vote_gives_one_reason_for_having_no_interval():
    few = alpha([["a", "a"], ["a", "b"]], "nominal")
    assert few.warnings == ("too_few_disagreements",)
    assert alpha_of(few) == f"0.00 (no interval: {reason(few.reason)})"


def test_systems_that_a_protocol_does_not_compare_are_only_set_side_by_side(by_hand):
    items = [
        {"id": f"t{at}", "text": "T", "label": "human", "prediction": "human", "model": model}
        for at in range(12)
        for model in ("a", "b")
    ]
    answers = [
        (rater, f"t{at}/{model}", "verdict", "incorrect" if at < wrong else "correct")
        for rater in ("ana", "ben")
        for model, wrong in (("a", 3), ("b", 6))
        for at in range(12)
    ]
    first = headline(Report(by_hand("ai-detection", items, answers)))[0]
    assert first.replace("\u00a0", " ") == (
        "a and b were not compared case by case: “correct” answers to Verdict in 75 % against 50 %."
    )


def test_systems_without_common_cases_are_said_to_be_incomparable(by_hand):
    stored = paired(by_hand, better=2, shared=False)
    first = headline(Report(stored))[0]
    assert "<td class=figure>cannot be said</td>" in page_of(stored)
    assert "could not be compared" in first
    assert "no case was rated for both systems" in first
    assert "ahead" not in first


@pytest.mark.parametrize(
    ("lowest", "half", "word"),
    [
        (0.3, 0.1, "weak"),
        (0.6, 0.05, "weak"),
        (0.6, 0.1, "weak, by the estimate alone"),
        (0.6, None, "weak, by the estimate alone"),
        (0.7, 0.02, "enough for tentative conclusions"),
        (0.7, 0.2, "enough for tentative conclusions, by the estimate alone"),
        (0.85, 0.04, "firm"),
        (0.85, 0.1, "firm, by the estimate alone"),
    ],
)
def test_agreement_is_put_into_words_by_the_lowest_alpha_of_one_level(lowest, half, word):
    """What the word says holds of the whole interval, or it is said to be the estimate's."""
    rows = {
        "alpha_ordinal": [
            coefficient("tone", lowest, half),
            coefficient("clarity", 0.9, 0.01),
        ],
    }
    report = of_alphas(rows)
    word, _, alone = word.partition(", ")
    begun = "By the estimate alone, a" if alone else "A"
    where = "" if word == "firm" else " at its lowest"  # at its highest it is firm
    assert trusted(report) == (
        f"{begun}greement among raters is {word}{where} (α {lowest:.2f} to 0.90 over 2 questions)."
    )


def test_agreement_on_another_kind_of_scale_is_said_beside_and_not_left_out():
    rows = {
        "alpha_ordinal": [coefficient("tone", 0.85, 0.1), coefficient("clarity", 0.9, 0.05)],
        "alpha_interval": [coefficient("overall", 0.1, 0.2, "alpha_interval")],
    }
    assert trusted(of_alphas(rows)) == (
        "Agreement among raters is firm on tone and clarity (α 0.85 to 0.90), by the estimate "
        "alone; weak on overall (α 0.10)."
    )
    rows["alpha_ordinal"] += [coefficient(name, 0.9, 0.02) for name in ("correctness", "emotion")]
    assert trusted(of_alphas(rows)).startswith(
        "Agreement among raters is firm (α 0.85 to 0.90 over 4 questions), by the estimate alone; "
    )


def of_alphas(rows):
    return SimpleNamespace(
        rows=lambda statistic: rows.get(statistic, []),
        question=load("feedback-quality").question,
        label=str,
        people="rater",
    )


def coefficient(question, value, half=None, statistic="alpha_ordinal"):
    low, high = (None, None) if half is None else (value - half, value + half)
    said = {"question": question, "statistic": statistic, "estimate": value}
    return said | {"low": low, "high": high, "warnings": []}


def test_every_number_of_the_headline_stands_in_numbers_json(workspace):
    report = Report(workspace.store.round("neureg-sample"))
    first = headline(report)[0].replace("−", "-")
    document = json.loads(report.numbers.to_json())
    row = next(r for r in document["numbers"] if r["statistic"] == "difference_overall")
    means = [
        r["estimate"]
        for r in document["numbers"]
        if r["statistic"] == "overall_mean" and set(r["group"] or ()) == {"model"}
    ]
    for value in (*means, row["estimate"], row["low"], row["high"]):
        assert f"{value:.2f}" in first
    assert "All together" in page_of(report.stored)


def test_holm_counts_every_comparison_of_the_round(workspace):
    rows = numbers(workspace.store.round("feedback-sample")).rows
    compared = [r for r in rows if r["p_corrected"] is not None]
    smallest = min(compared, key=lambda r: r["p"])
    assert len(compared) == 8
    assert smallest["p_holm"] == smallest["p_corrected"] == pytest.approx(8 * smallest["p"])
    assert "8 comparisons: each p is corrected by Holm" in page_of(
        workspace.store.round("feedback-sample")
    )


def test_an_interval_no_method_gets_right_decides_no_target():
    found = verdict(at_least(0.85), row(0.95, 0.90, 0.99, warnings=["too_few_disagreements"]))
    assert (found["met"], found["verdict"]) == (True, "undecided")
    assert "not decided, though the estimate meets it; raters differ on too few items" in (
        sentence(found)
    )
    report = SimpleNamespace(numbers=SimpleNamespace(targets=[found]))
    assert settle(report) == [
        "Match: items on which raters can differ. On too few of these 100 they do, so nobody can "
        "say how many more it takes."
    ]


def test_a_rough_interval_decides_with_its_caveat_in_the_sentence():
    found = verdict(at_least(0.85), row(0.95, 0.90, 0.99, warnings=["few_clusters"]))
    assert found["verdict"] == "met"
    assert sentence(found).endswith(
        "met; roughly, as fewer than ten independent units are behind the interval."
    )


def test_a_tie_for_the_commonest_error_is_called_a_tie(by_hand):
    items = records("halo-support", 6, auto_label="SUPPORTED")
    people = ["SUPPORTED", "SUPPORTED", "CONTRADICTED", "CONTRADICTED", "NO EVIDENCE"]
    answers = [("ana", f"i{n:03d}", "label", label) for n, label in enumerate(people)]
    answers.append(("ana", "i005", "label", "NO EVIDENCE"))
    said = commonest_error(Report(by_hand("halo-support", items, answers)))
    assert said.startswith("Commonest errors, equally often: checker ")
    assert said.endswith("(2 of 4 mismatches each).")
