"""How each rater leans against the others on the same units, at first and later on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .conduct import DATED
from .counted import Counted
from .others import FEWEST

THIRD = 3
COLUMNS = ["rater", "lean", "low", "high", "n", "early", "late", "drift_low", "drift_high", "noise"]
ENDS = {"lean": "estimate", "low": "low", "high": "high"}


def leans(report: Any, coverage: float | None = None) -> pd.DataFrame:
    """rater, lean, low, high, n, early, late, noise: scale points above (+) or below the others.

    `lean` is the mean of score − mean of the others on the same unit and question; its interval
    is made as those of the round's other numbers are, and NaN where there is none. `early` and
    `late` are the first and last third of a rater's answers in the order they were given; `noise`
    is the spread of the differences around the lean.
    """
    if not report.counted.numeric():
        return pd.DataFrame(columns=COLUMNS)
    import analysis

    every = scores(report)
    given = report.parameters
    coverage = coverage or given.coverage
    severity = analysis.rater_severity(
        every[["unit", "rater", "value", "cluster"]],
        cluster="cluster",
        interval=given.interval,
        resamples=given.resamples,
        coverage=coverage,
        seed=given.seed,
    ).set_index("rater")
    found = [
        {"rater": rater, **dict(zip(ENDS, severity.loc[rater, list(ENDS.values())], strict=True))}
        | later(rows, coverage)
        for rater, rows in every.dropna(subset=["apart"]).groupby("rater", sort=True)
    ]
    made = pd.DataFrame(found, columns=COLUMNS)
    made = made.astype({name: float for name in COLUMNS if name not in ("rater", "n")})
    return made.sort_values(["lean", "rater"], ignore_index=True)


def strict_leans(report: Any) -> pd.DataFrame:
    """The same with intervals corrected for how many raters could be named by them."""
    found = report.leans
    drifts = found["drift_low"] * found["drift_high"] > 0
    if not ((found["low"] > 0) | (found["high"] < 0) | drifts).any():
        return found.iloc[:0]
    strict = leans(report, 1 - (1 - report.parameters.coverage) / len(found))
    return strict[strict["n"] >= FEWEST]


def shown(report: Any) -> pd.DataFrame:
    """Those who lean beyond the corrected interval, the severest first."""
    found = report.strict_leans
    return found[(found["low"] > 0) | (found["high"] < 0)]


def scores(report: Any) -> pd.DataFrame:
    """One line a score: unit, rater, value, item, cluster, at, and how far apart the others are.

    `cluster` is what is drawn together: the declared one, else the case.
    """
    parts = []
    for question in report.counted.numeric():
        rows = report.counted.of(question.id)
        score = rows["number"].to_numpy(dtype=float, na_value=np.nan)
        unit = pd.factorize(rows["unit"])[0]
        size = unit.max(initial=-1) + 1
        total = np.bincount(unit, np.nan_to_num(score), size)
        many = np.bincount(unit, np.isfinite(score), size)
        others = many[unit] - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = np.where(others > 0, score - (total[unit] - score) / others, np.nan)
        case = rows["case"].astype(object)
        cluster = rows[report.cluster].astype(object) if report.cluster else case
        parts.append(
            pd.DataFrame(
                {
                    "unit": question.id + " " + rows["unit"].astype(str),
                    "rater": rows["rater"].astype(str),
                    "value": score,
                    "item": rows["subject"],
                    "cluster": cluster.where(cluster.notna(), case).astype(str),
                    "at": rows["answered_at"],
                    "apart": apart,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def later(rows: pd.DataFrame, coverage: float) -> dict[str, Any]:
    """How many items of a rater, how the lean moved from the first to the last, and its noise."""
    found: dict[str, Any] = {
        "n": rows["item"].nunique(),
        "noise": float(rows["apart"].std(ddof=1)) if len(rows) > 1 else np.nan,
    }
    if found["n"] < 4 * THIRD:
        return found
    # An item's time is that of its first answer; a file taken in at once has but one.
    own = rows.dropna(subset=["at"]).groupby("item", sort=True)
    dated = own.agg({"at": "min", "apart": "mean"})
    sitting = dated.sort_values("at", kind="stable")["apart"].to_numpy()
    if len(sitting) >= 4 * THIRD and dated["at"].nunique() >= DATED * len(dated):
        third = len(sitting) // THIRD
        early, late = sitting[:third], sitting[-third:]
        spread = float(np.hypot(margin(early, coverage), margin(late, coverage)))
        moved = float(late.mean() - early.mean())
        found |= {"early": float(early.mean()), "late": float(late.mean())}
        found |= {"drift_low": moved - spread, "drift_high": moved + spread}
    return found


def margin(values: np.ndarray, coverage: float = 0.95) -> float:
    """Half of the interval for the mean of independent values."""
    if len(values) < 2:
        return float("nan")
    from scipy.special import stdtrit

    times = float(stdtrit(len(values) - 1, 0.5 + coverage / 2))
    return float(times * values.std(ddof=1) / np.sqrt(len(values)))


def habits(counted: Counted, question: object) -> pd.DataFrame:
    """Rater × option: how often each rater uses each label."""
    rows = counted.of(question.id)  # type: ignore[attr-defined]
    table = pd.crosstab(rows["rater"].astype(str), rows["value"].astype(str))
    options = [str(value) for value in question.values]  # type: ignore[attr-defined]
    table = table.reindex(columns=options, fill_value=0)
    return table.div(table.sum(axis=1), axis=0)
