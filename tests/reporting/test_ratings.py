"""A round's ratings for analysis are those its numbers are made of."""

import pytest

from raterbook import Workspace
from raterbook.analysis import Ratings, alpha, mean
from raterbook.numbers.compute import cluster_of, frame_of, questions_of, summary
from raterbook.numbers.parameters import Parameters
from tests.reporting.conftest import SAMPLES


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


def test_a_sentence_is_a_unit_of_its_own(workspace: Workspace):
    units = workspace.round("stem-sample").ratings("accuracy")["unit"]
    assert units.str.contains(r" · \d+$").all()
