"""What moved from one round to the next: by intervals, counted as data, and how much is chance."""

import numpy as np
import pytest

from raterbook import analysis
from raterbook.analysis import Ratings
from raterbook.reporting.comparison import apart, by_chance, changes, sentences, summary


def row(value, low=None, high=None, question="label", statistic="alpha_nominal"):
    return {
        "statistic": statistic,
        "question": question,
        "group": None,
        "aggregate": None,
        "estimate": value,
        "low": low,
        "high": high,
        "warnings": [],
    }


def near(value, **named):
    return row(value, value - 0.05, value + 0.05, **named)


def document(*rows, wording="w", coverage=0.95):
    return {
        "parameters": {"coverage": coverage},
        "data": {"protocol": wording, "questions": dict.fromkeys(["label", "tone"], wording)},
        "numbers": list(rows),
    }


def test_two_rounds_differ_when_their_intervals_leave_it_no_other_way():
    assert apart(row(0.5, 0.4, 0.6), row(0.8, 0.7, 0.9))
    assert apart(row(0.5, 0.4, 0.6), row(0.6, 0.5, 0.7)) is False
    assert apart(row(0.5), row(0.8, 0.7, 0.9)) is None


def test_a_question_worded_anew_is_not_compared():
    first, named = document(near(0.5)), {"label": "Support"}
    rose = changes(first, document(near(0.8)))
    assert sentences(rose, named) == ["α Support rose from 0.50 to 0.80."]
    anew = changes(first, document(near(0.8), wording="other"))
    assert sentences(anew, {}) == ["Worded anew, and so not comparable: Label."]
    assert summary(anew) == "Some questions were worded anew."


def test_what_moved_is_counted_whatever_a_question_is_called():
    """A label with the words of our own sentences in it counts for nothing."""
    mean = {"statistic": "mean", "question": "tone"}
    old = document(near(0.5), near(0.4, question="tone"), near(3.0, **mean))
    new = document(near(0.8), near(0.2, question="tone"), near(3.0, **mean))
    found = changes(old, new)
    assert [each.moved for each in found] == [True, True, False]
    assert summary(found) == "Agreement rose on 1 and fell on 1 of 2 questions."
    labels = {"tone": "How tone fell from α and rose"}
    assert "α How tone fell from α and rose fell from 0.40 to 0.20." in sentences(found, labels)
    other = changes(document(near(3.0, **mean)), document(near(4.0, **mean)))
    assert summary(other) == "1 result moved."
    assert summary(changes(old, old)) == "Nothing moved beyond the joint margin."


def test_agreement_is_counted_over_the_questions_that_both_rounds_have():
    old, new = document(near(0.5)), document(near(0.8), near(0.4, question="tone"))
    assert summary(changes(old, new)) == "Agreement rose on 1 of 1 question."


def test_what_chance_alone_would_move_is_said_and_counts_only_what_could_be_compared():
    old = document(near(0.5), near(0.4, question="tone"), row(3.0, statistic="mean"))
    new = document(near(0.8), near(0.4, question="tone"), row(4.0, statistic="mean"))
    found = changes(old, new)
    assert by_chance(found, (old, new)) == (
        "Of 2 numbers compared, 1 moved. Had nothing changed, about 0.1 would have by chance alone "
        "with the same kind of items and the same raters; with other raters, more."
    )
    assert by_chance(found, (old, new), same_items=True) == (
        "Of 2 numbers compared, 1 moved. Had nothing changed, fewer than 0.1 would have by chance "
        "alone with the same items and the same raters; with other raters, more."
    )
    wide = document(coverage=0.8)
    assert "about 0.4 would have" in by_chance(found, (old, wide))


@pytest.mark.parametrize("items", [50, 200])
def test_one_in_twenty_moves_by_chance_where_nothing_changed(items):
    """Over 2,000 pairs: .050 and .041 for means at 50 and 200 items, .042 and .049 for α."""
    rng = np.random.default_rng(items)

    def estimated():
        true = rng.normal(3.6, 0.9, items)[:, None]
        noise = rng.normal(0, 0.8, (items, 4))
        scores = np.clip(np.rint(true + noise + [-0.4, 0, 0.2, 0.3]), 1, 5)
        found = analysis.mean(Ratings(scores, scale=[1, 2, 3, 4, 5]))
        return row(found.value, found.low, found.high)

    moved = [apart(estimated(), estimated()) for _ in range(400)]
    assert 0.02 < np.mean(moved) < 0.08
