"""A round's ratings for analysis are those its numbers are made of."""

import pandas as pd
import pytest

from analysis import Ratings, alpha, mean
from raterbook import Workspace
from raterbook.numbers.compute import cluster_of, frame_of, questions_of, ratings_of, summary
from raterbook.numbers.parameters import Parameters
from tests.reporting.conftest import SAMPLES
from tests.reporting.rounds import opened, records

COUNTS = ("n_raters", "n_ratings")


def rows_of(stored, statistic, question, raters=None):
    frame = frame_of(stored, Parameters(stored.name))
    measure = {"statistic": statistic, "question": question}
    asked = questions_of(stored.protocol)
    return summary(frame, [measure], asked, cluster=cluster_of(frame), raters=raters)[0]


@pytest.mark.parametrize("name", SAMPLES)
def test_alpha_from_a_rounds_ratings_is_the_rounds_alpha(workspace, name):
    stored = workspace.store.round(name)
    for question in stored.protocol.questions:
        if question.type in ("text", "answer"):
            continue
        ordered = question.level not in (None, "nominal")
        level = "ordinal" if ordered else "nominal"
        row = rows_of(stored, f"alpha_{level}", question.id)
        frame = workspace.round(name).ratings(question.id)
        if not len(frame):
            assert row["reason"] == "no_ratings"
            continue
        scale = list(question.values) if ordered and not question.is_numeric else None
        found = alpha(Ratings(frame, scale=scale, cluster="cluster"), level)
        assert found.value == pytest.approx(row["estimate"], rel=1e-12)
        for end in ("low", "high", "low_like", "high_like"):
            ours = getattr(found, end)
            assert (ours is None) == (row[end] is None), (question.id, end)
            assert ours is None or ours == pytest.approx(row[end], rel=1e-9, abs=1e-12)
        assert found.n_ratings == row["n_ratings"]
        if question.is_numeric:
            own = mean(Ratings(frame, cluster="cluster"))
            assert own.value == pytest.approx(rows_of(stored, "mean", question.id)["estimate"])


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


def test_a_sentence_is_a_unit_of_its_own(workspace: Workspace):
    units = workspace.round("stem-sample").ratings("accuracy")["unit"]
    assert units.str.contains(r" · \d+$").all()
