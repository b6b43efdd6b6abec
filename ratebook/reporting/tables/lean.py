"""How each rater leans against the others on the same units, at first and later on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .counted import Counted

THIRD = 3


def leans(counted: Counted) -> pd.DataFrame:
    """rater, lean, low, high, n, early, late, noise: scale points above (+) or below the others.

    `lean` is the mean of score − mean of the others on the same unit and question; the interval
    takes items as the unit. `early` and `late` are the first and last third of a rater's answers
    in the order they were given; `noise` is the spread of the differences around the lean.
    """
    parts = []
    for question in counted.numeric():
        rows = counted.of(question.id)
        score = rows["number"].to_numpy(dtype=float, na_value=np.nan)
        unit = pd.factorize(rows["unit"])[0]
        size = unit.max(initial=-1) + 1
        total = np.bincount(unit, np.nan_to_num(score), size)
        many = np.bincount(unit, np.isfinite(score), size)
        others = many[unit] - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = np.where(others > 0, score - (total[unit] - score) / others, np.nan)
        parts.append(
            pd.DataFrame(
                {
                    "rater": rows["rater"].to_numpy(),
                    "item": rows["subject"].to_numpy(),
                    "at": rows["answered_at"].to_numpy(),
                    "apart": apart,
                }
            )
        )
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    every = pd.concat(parts).dropna(subset=["apart"])
    found = [one(str(rater), rows) for rater, rows in every.groupby("rater", sort=True)]
    return pd.DataFrame(found, columns=COLUMNS).sort_values(["lean", "rater"], ignore_index=True)


COLUMNS = ["rater", "lean", "low", "high", "n", "early", "late", "drift_low", "drift_high", "noise"]


def one(rater: str, rows: pd.DataFrame) -> dict:
    per_item = rows.groupby("item", sort=True)["apart"].mean().to_numpy()
    middle, half = float(rows["apart"].mean()), margin(per_item)
    found = {
        "rater": rater,
        "lean": middle,
        "low": middle - half,
        "high": middle + half,
        "n": len(per_item),
        "noise": float(rows["apart"].std(ddof=1)) if len(rows) > 1 else np.nan,
    }
    dated = rows.dropna(subset=["at"]).sort_values("at", kind="stable")
    sitting = dated.groupby("item", sort=False)["apart"].mean().to_numpy()
    if len(sitting) >= 4 * THIRD and dated["at"].nunique() > THIRD:
        third = len(sitting) // THIRD
        early, late = sitting[:third], sitting[-third:]
        spread = float(np.hypot(margin(early), margin(late)))
        moved = float(late.mean() - early.mean())
        found |= {"early": float(early.mean()), "late": float(late.mean())}
        found |= {"drift_low": moved - spread, "drift_high": moved + spread}
    return found


def margin(values: np.ndarray) -> float:
    """Half of a 95 % interval for the mean of independent values."""
    if len(values) < 2:
        return float("nan")
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values)))


def habits(counted: Counted, question: object) -> pd.DataFrame:
    """Rater × option: how often each rater uses each label."""
    rows = counted.of(question.id)  # type: ignore[attr-defined]
    table = pd.crosstab(rows["rater"].astype(str), rows["value"].astype(str))
    options = [str(value) for value in question.values]  # type: ignore[attr-defined]
    table = table.reindex(columns=options, fill_value=0)
    return table.div(table.sum(axis=1), axis=0)
