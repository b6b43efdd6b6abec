"""When a question is asked and when it is required."""

import pytest

from raterbook.protocols import holds

ANSWERS = {"accuracy": "inaccurate", "tone": 2, "reference": "<Unanswerable>", "note": ""}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (None, True),
        (True, True),
        (False, False),
        ({"accuracy": ["inaccurate", "disputed"]}, True),
        ({"accuracy": ["accurate"]}, False),
        ({"tone": [1, 2]}, True),
        ({"tone": ["2"]}, True),
        ({"tone": [2.0]}, True),
        ({"tone": [3]}, False),
        ({"unknown": [3]}, False),
        ({"accuracy": "answered"}, True),
        ({"note": "answered"}, False),
        ({"unknown": "answered"}, False),
        ({"reference": "answered"}, True),
        ({"reference": "answerable"}, False),
        ({"accuracy": "answerable"}, True),
        ({"accuracy": ["inaccurate"], "tone": [5]}, False),
        ({"and": [{"accuracy": "answered"}, {"tone": [2]}]}, True),
        ({"and": [{"accuracy": "answered"}, {"tone": [3]}]}, False),
        ({"or": [{"unknown": "answered"}, {"tone": [2]}]}, True),
        ({"or": [{"unknown": "answered"}, {"and": [{"tone": [3]}, {"tone": [2]}]}]}, False),
    ],
)
def test_a_condition_holds_or_not(condition, expected):
    assert holds(condition, ANSWERS) is expected


def test_a_missing_number_is_no_answer():
    assert not holds({"tone": "answered"}, {"tone": None})
    assert not holds({"tone": "answered"}, {"tone": float("nan")})


def test_zero_is_an_answer():
    assert holds({"confidence": "answered"}, {"confidence": 0})
    assert holds({"confidence": [0]}, {"confidence": 0})
