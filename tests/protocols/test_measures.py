"""Measures are named from one closed list, which is the list `analysis` computes."""

import importlib.util

import pytest

from ratebook.protocols import STATISTICS, load, names


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
