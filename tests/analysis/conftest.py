"""A round's long frame, from the few columns a test cares about."""

import numpy as np
import pandas as pd
import pytest


def build(answers, kinds=None, **columns):
    """A frame from (item, part, rater, question, value[, confidence]) tuples.

    The case of an item is what stands before its "/"; items starting with "case:" are answers to
    a case. `columns` map an item to the value of a further column.
    """
    kinds = kinds or {}
    rows = []
    for item, part, rater, question, value, *confidence in answers:
        number = float(value) if isinstance(value, (int, float)) else np.nan
        of_case = item.startswith("case:")
        rows.append(
            {
                "round": "r",
                "item": None if of_case else item,
                "case": item.removeprefix("case:").split("/")[0],
                "part": part,
                "rater": rater,
                "rater_kind": kinds.get(rater, "human"),
                "question": question,
                "replicate": 1,
                "value": str(value),
                "number": number,
                "status": "answered",
                "confidence": confidence[0] if confidence else np.nan,
                "seconds": 1.0,
                "revision": 1,
                "role": "main",
                **{name: column.get(item) for name, column in columns.items()},
            }
        )
    frame = pd.DataFrame(rows)
    frame["value"] = frame["value"].astype("category")
    return frame


@pytest.fixture
def frame():
    return build
