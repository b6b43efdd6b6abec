"""How the answers to each question spread over its scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted, codes


def shares(counted: Counted, questions: list[Any]) -> pd.DataFrame:
    """Question × value, each row adding up to 1; questions share the scale of the first."""
    scale = list(questions[0].values)
    rows = {}
    for question in questions:
        given = codes(counted.of(question.id), question)
        given = given[np.isfinite(given)]
        places = [float(value) for value in scale] if question.is_numeric else range(len(scale))
        if len(given):
            rows[question.id] = [float((given == place).mean()) for place in places]
    return pd.DataFrame.from_dict(rows, orient="index", columns=scale)


def scales(counted: Counted) -> list[list[Any]]:
    """The questions asked, those with the same scale together."""
    found: dict[tuple, list[Any]] = {}
    for question in counted.asked():
        if question.values and question.type in ("scale", "choice"):
            found.setdefault(tuple(map(str, question.values)), []).append(question)
    return list(found.values())
