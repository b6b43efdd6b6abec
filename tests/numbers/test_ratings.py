"""A round's ratings for analysis: whose they are, and what a unit is."""

import pandas as pd
import pytest

from raterbook.numbers.compute import ratings_of
from tests.reporting.rounds import opened, records


def test_the_automatic_rater_is_none_of_the_raters(tmp_path):
    labels = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE"]
    answers = [
        (rater, f"i{n:03d}", "label", labels[(n + place * (n % 3 == 0)) % 3])
        for place, rater in enumerate(("ana", "ben", "chief", "gauge"))
        for n in range(6)
    ]
    kinds = {"chief": "adjudicator", "gauge": "model"}
    stored = opened(tmp_path, "halo-support", records("halo-support", 6), answers, kinds)
    frame = ratings_of(stored, "label")
    assert list(frame.columns) == ["unit", "rater", "value", "cluster"]
    assert set(frame["rater"]) == {"ana", "ben"}
    assert list(frame["unit"].unique()) == [f"i{n:03d}" for n in range(6)]
    assert set(ratings_of(stored, "label", raters=["gauge"])["rater"]) == {"gauge"}


def test_parts_are_units_and_confidences_stand_beside_their_answers(tmp_path):
    answers = [(rater, "i000", "tone", 3 + place) for place, rater in enumerate(("ben", "ana"))] + [
        ("ben", "i000", "confidence", 70)
    ]
    stored = opened(
        tmp_path, "feedback-quality", records("feedback-quality", 1, criteria="tone"), answers
    )
    frame = ratings_of(stored, "tone")
    expected = pd.DataFrame({"unit": "i000", "rater": ["ana", "ben"], "value": [4, 3],
                             "cluster": "i000", "confidence": [float("nan"), 70.0]})  # fmt: skip
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)
    with pytest.raises(ValueError, match="by-hand has no 'tune'"):
        ratings_of(stored, "tune")
