"""Measures are named from one closed list."""

from pathlib import Path

import pandas as pd
import pytest

from raterbook.numbers.compute import summary
from raterbook.protocols import STATISTICS, load, names, parse
from raterbook.protocols.measures import Measure


@pytest.mark.parametrize("name", names())
def test_every_protocol_measures_something_and_by_system(name):
    protocol = load(name)
    assert protocol.measures
    assert any(("model",) in measure.by for measure in protocol.measures)


def test_columns_are_crossed_only_where_a_list_stands_in_the_list():
    overall = next(
        measure for measure in load("neureg-qa").measures if measure.statistic == "overall_mean"
    )
    assert overall.to_dict()["by"] == [
        ["shot_type"],
        ["question_type"],
        ["shot_type", "question_type"],
        ["model"],
    ]


def test_a_measure_says_only_what_was_written():
    second = load("halo-support").measures[1].to_dict()
    assert second == {"statistic": "difference_percent_match", "question": ["label"]}


@pytest.mark.parametrize("correction", ["holm", "benjamini-hochberg", "none"])
def test_a_difference_says_how_its_pairs_are_corrected(correction):
    written = {"statistic": "difference", "question": "tone", "correction": correction}
    assert Measure(**written).to_dict() == {**written, "question": ["tone"]}


def test_only_a_difference_takes_a_correction_and_only_a_known_one():
    with pytest.raises(ValueError, match="only a difference takes one"):
        Measure(statistic="mean", question="tone", correction="holm")
    with pytest.raises(ValueError, match="'holm', 'benjamini-hochberg' or 'none'"):
        Measure(statistic="difference", question="tone", correction="bonferroni")


def test_the_correction_reaches_what_is_computed():
    rows = [
        {"item": f"{case}-{system}", "case": str(case), "part": 0, "model": system, "rater": "ana",
         "rater_kind": "human", "question": "tone", "value": str(value), "number": value}
        for case in range(12)
        for place, system in enumerate(("a", "b", "c"))
        for value in [1 + (case + place * (case % 3)) % 5]
    ]  # fmt: skip
    measure = Measure(statistic="difference", question="tone", correction="benjamini-hochberg")
    questions = {"tone": {"type": "scale", "level": "ordinal", "scale": [1, 2, 3, 4, 5]}}
    found = summary(pd.DataFrame(rows), [measure.to_dict()], questions)
    assert len(found) == 3
    assert all("after Benjamini–Hochberg over 3 pairs" in row["method"] for row in found)


PAIRWISE = (Path(__file__).parent / "pairwise.yaml").read_text(encoding="utf-8")
DECLARED = "  - {statistic: alpha_nominal, question: preference}\n"
ORDERED = ("type: choice\n", "type: choice\n    level: ordinal\n")
TAKES = {name: statistic.takes for name, statistic in STATISTICS.items()}


def measured(statistic, question="preference", more="", text=PAIRWISE):
    """The protocol with one measure added."""
    if STATISTICS[statistic].needs:
        more = ", is: {preference: [A]}, of: {preference: [A, B]}"
    asked = f", question: {question}" if question else ""
    added = f"  - {{statistic: {statistic}{asked}{more}}}\n"
    return parse(text.replace(DECLARED, DECLARED + added), source="pairwise.yaml")


@pytest.mark.parametrize("name", STATISTICS)
def test_no_statistic_is_asked_of_values_it_cannot_take(name):
    wrong = {
        "numbers": "'preference' has no numbers",
        "order": "'preference' has no order",
        "answers": "two questions of type answer",
    }
    several = "[preference, preference]" if name == "adjusted_share" else "preference"
    if TAKES[name] in wrong:
        with pytest.raises(ValueError, match=wrong[TAKES[name]]):
            measured(name, several)
    else:
        assert name in {measure.statistic for measure in measured(name).measures}
    ordinal = PAIRWISE.replace(*ORDERED)
    if TAKES[name] == "order":
        assert measured(name, text=ordinal)
    if TAKES[name] == "numbers":
        with pytest.raises(ValueError, match="'preference' has no numbers"):
            measured(name, several, text=ordinal)
        assert measured(name, several.replace("preference", "strength"))


@pytest.mark.parametrize("name", [name for name in STATISTICS if TAKES[name] != "answers"])
def test_every_statistic_says_of_which_question_it_is(name):
    with pytest.raises(ValueError, match=f"{name} needs a question"):
        measured(name, question=None)


@pytest.mark.parametrize(
    ("statistic", "question", "more", "said"),
    [
        ("mean", "strength", ", recode: {more: {no: [1], yes: [2]}}", "is recoded into labels"),
        ("adjusted_share", "strength", "", "needs the criteria after the overall"),
        ("recall", "generated_answer", "", "two questions of type answer"),
    ],
)
def test_a_measure_that_could_only_mislead_is_refused(statistic, question, more, said):
    with pytest.raises(ValueError, match=said):
        measured(statistic, question, more)


def test_a_difference_of_shares_is_taken_of_labels():
    found = measured("difference", more=", is: [A], of: [A, B]").measures[1]
    assert found.takes == "values"


def test_severe_and_missing_need_what_they_are_out_of():
    def plain(statistic):
        added = f"  - {{statistic: {statistic}, question: preference}}\n"
        parse(PAIRWISE.replace(DECLARED, DECLARED + added), source="pairwise.yaml")

    with pytest.raises(ValueError, match="a proportion needs 'is' and 'of'"):
        plain("severe_any_issue")
    with pytest.raises(ValueError, match="'of' says which answers call for a severity"):
        plain("missing_severity")
