"""Measures are named from one closed list, which is the list `analysis` computes."""

import importlib.util

import pandas as pd
import pytest

from analysis import summary
from ratebook.protocols import STATISTICS, load, names
from ratebook.protocols.measures import Measure


def test_no_statistic_is_listed_twice():
    assert len(set(STATISTICS)) == len(STATISTICS)


def test_the_statistics_a_protocol_may_name_are_those_analysis_computes():
    if importlib.util.find_spec("analysis.summary") is None:
        pytest.skip("analysis.summary is not there")
    from analysis import STATISTICS as computed

    def named(listed):
        return {name for name in listed if not name.startswith("proportion_")}

    assert named(STATISTICS) == named(computed)


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
