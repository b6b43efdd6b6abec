"""A round's long frame, as in the tests of analysis, and the one row of a number."""

import pytest

from tests.analysis.conftest import frame

__all__ = ["frame", "pick"]


@pytest.fixture
def pick():
    """The one row of a statistic, question, group and aggregate."""

    def find(rows, statistic, question=None, group=None, aggregate=None):
        found = [
            row
            for row in rows
            if row["statistic"] == statistic
            and row["question"] == question
            and row["group"] == group
            and row["aggregate"] == aggregate
        ]
        assert len(found) == 1, [
            (row["statistic"], row["question"], row["group"], row["aggregate"]) for row in rows
        ]
        return found[0]

    return find
