"""Each rater beside the others on the same units: a difference, and an interval that carries it.

A rater is named on the page only where the interval leaves out zero. It is corrected (Bonferroni)
for how many raters could have been named: of 160 raters alike, eight lie beyond a plain interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted, codes

FEWEST = 10  # independent units behind anything that is said of one rater
COLUMNS = ["rater", "own", "others", "gap", "low", "high", "n"]


def cluster_of(rows: pd.DataFrame, column: str | None) -> pd.Series:
    """What is drawn together: the declared cluster, else the case."""
    case = rows["case"].astype(object)
    if not column:
        return case.astype(str)
    cluster = rows[column].astype(object)
    return cluster.where(cluster.notna(), case).astype(str)


def beside(rows: pd.DataFrame, coverage: float, tests: int = 1) -> pd.DataFrame:
    """rater, own, others, gap, low, high, n of `value` on the units that others rated too.

    `rows` have unit, rater, cluster and value; `n` counts independent units. Ends are NaN where
    these are fewer than ten. `tests` are the questions asked of each rater.
    """
    rows = rows.dropna(subset=["value"])
    value = rows["value"].to_numpy(float)
    unit = pd.factorize(rows["unit"])[0]
    total = np.bincount(unit, value, minlength=0)[unit] if len(unit) else value
    many = np.bincount(unit)[unit] if len(unit) else value
    kept = many > 1
    others = (total[kept] - value[kept]) / (many[kept] - 1)
    return gaps(rows[kept], value[kept], others, coverage, tests)


def gaps(
    rows: pd.DataFrame, own: np.ndarray, others: np.ndarray, coverage: float, tests: int = 1
) -> pd.DataFrame:
    """Rater by rater the means of both and of their difference, with t over clusters."""
    from scipy.special import stdtrit

    if not len(rows):
        return pd.DataFrame(columns=COLUMNS)
    rater, names = pd.factorize(rows["rater"].astype(str), sort=True)
    cluster = pd.factorize(rows["cluster"])[0]
    many = np.bincount(rater)
    gap = np.bincount(rater, own - others) / many
    # Each cluster's deviation from its rater's mean is one draw.
    place, cell = np.unique(rater * (cluster.max() + 1) + cluster, return_inverse=True)
    apart = np.bincount(cell, own - others - gap[rater])
    whose = place // (cluster.max() + 1)
    draws = np.bincount(whose)
    level = (1 - coverage) / max(len(names) * tests, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(draws / (draws - 1) * np.bincount(whose, apart**2)) / many
        half = stdtrit(np.maximum(draws - 1, 1), 1 - level / 2) * spread
    half = np.where(draws >= FEWEST, half, np.nan)
    found = {
        "rater": names,
        "own": np.bincount(rater, own) / many,
        "others": np.bincount(rater, others) / many,
        "gap": gap,
        "low": gap - half,
        "high": gap + half,
        "n": draws,
    }
    return pd.DataFrame(found).sort_values(["gap", "rater"], ignore_index=True)


def concord(
    counted: Counted, questions: Iterable[Any], coverage: float, cluster: str | None = None
) -> pd.DataFrame:
    """How often each rater gives the others' answer, beside how often these give one another's.

    On the units that three or more rated; below 0, a rater agrees with the others less than they
    with one another.
    """
    parts, own, rest = [], [], []
    for question in questions:
        rows = counted.of(question.id)
        given = codes(rows, question)
        rows, given = rows[np.isfinite(given)], given[np.isfinite(given)]
        if not len(rows):
            continue
        unit = pd.factorize(rows["unit"])[0]
        value = np.unique(given, return_inverse=True)[1]
        width = value.max() + 1
        alike = np.bincount(unit * width + value, minlength=(unit.max() + 1) * width)
        same = alike[unit * width + value] - 1
        many = np.bincount(unit)[unit]
        pairs = (alike * (alike - 1) / 2).reshape(-1, width).sum(axis=1)[unit]
        kept = many > 2
        parts.append(
            pd.DataFrame({"rater": rows["rater"].to_numpy(), "cluster": cluster_of(rows, cluster)})[
                kept
            ]
        )
        own.append(same[kept] / (many[kept] - 1))
        rest.append((pairs - same)[kept] / ((many - 1) * (many - 2) / 2)[kept])
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return gaps(pd.concat(parts), np.concatenate(own), np.concatenate(rest), coverage)


def habit(
    counted: Counted, question: Any, coverage: float, cluster: str | None = None
) -> pd.DataFrame:
    """The columns of `beside` and `label`: how often each rater gives each label, and the others
    on the same units.
    """
    rows = counted.of(question.id)
    plain = pd.DataFrame(
        {
            "unit": rows["unit"],
            "rater": rows["rater"],
            "cluster": cluster_of(rows, cluster),
        }
    )
    said = rows["value"].astype(str)
    found = []
    for label in map(str, question.values or ()):
        one = beside(plain.assign(value=said.eq(label) * 1.0), coverage, len(question.values))
        found.append(one.assign(label=label))
    return pd.concat(found, ignore_index=True)


def furthest(found: pd.DataFrame, side: int) -> Any | None:
    """The rater whose gap lies furthest below (−1) or above (+1) zero beyond its interval."""
    beyond = found[found["high"] < 0] if side < 0 else found[found["low"] > 0]
    if not len(beyond):
        return None
    row: Any = next(beyond.loc[[(side * beyond["gap"]).idxmax()]].itertuples())
    return row
