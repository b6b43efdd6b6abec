"""The closed list of statistics that a protocol may ask for."""

import pytest

from analysis import STATISTICS, summary

SCALE = [1, 2, 3, 4, 5]
METRICS = ["relevance", "accuracy", "completeness", "fluency", "kg_alignment"]
NEUREG = {name: {"type": "scale", "level": "ordinal", "scale": SCALE} for name in METRICS}


def test_every_statistic_of_the_vocabulary_has_a_sentence_and_is_computed(frame):
    answers = [("x/m", 0, "A", "accuracy", 3)]
    for name, sentence in STATISTICS.items():
        assert sentence.endswith(".")
        rows = summary(frame(answers), [{"statistic": name, "question": "accuracy"}], NEUREG)
        assert rows, name


def test_an_unknown_statistic_is_refused_with_the_known_ones(frame):
    with pytest.raises(ValueError, match=r"unknown statistic 'alpa'.*alpha_nominal.*proportion_…"):
        summary(frame([("x", 0, "A", "tone", 3)]), [{"statistic": "alpa"}], NEUREG)
