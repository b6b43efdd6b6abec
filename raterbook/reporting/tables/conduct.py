"""How raters worked: time, uniform answers, answers given twice, gold items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted, codes
from .others import COLUMNS, beside, cluster_of

ENOUGH = 10  # items before a share says anything about a rater
DATED = 0.9  # of the answers with a time of their own, before their order is known


def times(counted: Counted, coverage: float = 0.95) -> pd.DataFrame:
    """rater, seconds, ratio, low, high, n; empty where times were not taken.

    `seconds` is the median by answer. `ratio` compares with what all raters usually need for the
    same question, and is the median by item; its interval is from order statistics, corrected for
    the number of raters, and NaN where there are too few items.
    """
    columns = ["rater", "seconds", "ratio", "low", "high", "n"]
    rows = counted.people.dropna(subset=["seconds"])
    if not len(rows):
        return pd.DataFrame(columns=columns)
    # Questions take different times: each is compared with its own median over all raters.
    seconds = rows["seconds"].astype(float)
    usual = seconds.groupby(rows["question"]).transform("median")
    every = pd.DataFrame(
        {
            "rater": rows["rater"],
            "subject": rows["subject"],
            "seconds": seconds,
            "ratio": seconds / usual.where(usual > 0),
        }
    )
    grouped = every.groupby("rater")
    found = grouped.agg(seconds=("seconds", "median"), n=("seconds", "size"))
    by_item = every.groupby(["rater", "subject"])["ratio"].median().dropna()
    found["ratio"] = by_item.groupby(level="rater").median()
    risk = (1 - coverage) / len(found)
    ends = [
        middle_between(by_item[rater].to_numpy() if rater in by_item else np.zeros(0), risk)
        for rater in found.index
    ]
    found["low"], found["high"] = zip(*ends, strict=True)
    return found.sort_values("seconds", kind="stable").reset_index()[columns]


def middle_between(values: np.ndarray, risk: float) -> tuple[float, float]:
    """The ends of a median's interval: the order statistics that leave it out at this risk."""
    from scipy.special import bdtr

    n = len(values)
    out = int(np.sum(bdtr(np.arange(n), n, 0.5) <= risk / 2))  # how many at each end can go
    if not out:
        return np.nan, np.nan
    ordered = np.sort(values)
    return float(ordered[out - 1]), float(ordered[n - out])


def in_order(rows: pd.DataFrame) -> pd.DataFrame | None:
    """One rater's answers to a question as they came; None where nobody knows their order.

    Answers taken in from a file at once have one time, and the order of a file is no time.
    """
    rows = rows.dropna(subset=["answered_at"])
    if not len(rows) or rows["answered_at"].nunique() < DATED * len(rows):
        return None
    return rows.sort_values(["answered_at", "unit"], kind="stable")


def uniform(counted: Counted, coverage: float = 0.95, cluster: str | None = None) -> pd.DataFrame:
    """The columns of `beside`, with `share` and `items` of all items: one score on three or more.

    `own` and `others` are of the items that others rated too.
    """
    columns = [*COLUMNS, "share", "items"]
    asked = counted.numeric()
    kept = [question for question in asked if question.values]
    if len(kept) < 3:
        return pd.DataFrame(columns=columns)
    rows = counted.people[counted.people["question"].isin([q.id for q in kept])]
    rows = rows.assign(cluster=cluster_of(rows, cluster))
    grouped = rows.groupby(["rater", "unit"], sort=True).agg(
        size=("number", "size"),
        low=("number", "min"),
        high=("number", "max"),
        cluster=("cluster", "first"),
    )
    grouped = grouped[grouped["size"] >= 3]
    grouped["value"] = grouped["low"].eq(grouped["high"]) * 1.0
    shares = grouped["value"].groupby(level="rater").agg(["mean", "size"])
    found = shares.set_axis(["share", "items"], axis=1).reset_index()
    besides = beside(grouped.reset_index(), coverage)
    return found.merge(besides, "left", "rater")[columns]


def longest_runs(counted: Counted, question: Any) -> pd.DataFrame:
    """rater, value, run, expected, p, n: the longest stretch of one answer, in the order given.

    Of raters whose answers have times. `expected` is what chance makes of so common an answer,
    log(n (1 − p)) / log(1 / p), and `p` the chance of one as long or longer.
    """
    found = []
    for rater, rows in counted.of(question.id).groupby("rater", sort=True):
        own = in_order(rows)
        if own is None:
            continue
        given = codes(own, question)
        edges = np.flatnonzero(np.r_[True, given[1:] != given[:-1], True])
        runs = np.diff(edges)
        if len(runs):
            at = int(runs.argmax())
            value = own["value"].iloc[int(edges[at])]
            common = float((given == given[int(edges[at])]).mean())
            run = int(runs[at])
            many = len(own)
            likely = chance_of_run(many, common, run)
            found.append((rater, value, run, chance_run(many, common), likely, many))
    return pd.DataFrame(found, columns=["rater", "value", "run", "expected", "p", "n"])


def chance_of_run(many: int, share: float, run: int) -> float:
    """The chance of a stretch of this length or longer, were the order random.

    Stretches begin about n (1 − p) times, and each reaches the length with p to its power.
    """
    begun = max(many * (1 - share), 0.0) + share
    return float(-np.expm1(-begun * share**run)) if share < 1 else 1.0


def chance_run(many: int, share: float) -> float:
    """The longest stretch to expect of an answer with this share, were the order random."""
    if share >= 1:
        return float(many)
    return float(np.clip(np.log(max(many * (1 - share), 1)) / np.log(1 / share), 1, many))


def repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """rater, share, n: answers given again that are the same as the first."""
    rows = frame[frame["status"].astype(object).eq("answered")]
    if not rows["replicate"].gt(1).any():
        return pd.DataFrame(columns=["rater", "share", "n"])
    keys = ["rater", "item", "case", "part", "question"]
    plain = rows[[*keys, "value", "replicate"]].copy()
    for column in (*keys, "value"):
        plain[column] = plain[column].astype(object).where(plain[column].notna(), "")
    first = plain[plain["replicate"].eq(1)].drop(columns="replicate")
    again = plain[plain["replicate"].gt(1)]
    both = again.merge(first, on=keys, suffixes=("", "_first"))
    both["same"] = both["value"].astype(str).eq(both["value_first"].astype(str))
    found = both.groupby("rater")["same"].agg(["mean", "size"]).reset_index()
    return found.set_axis(["rater", "share", "n"], axis=1)


def gold(frame: pd.DataFrame, counted: Counted) -> pd.DataFrame:
    """rater, share, n: answers equal to the key's, on gold items or wherever a key answered."""
    rows = frame[frame["status"].astype(object).eq("answered") & frame["replicate"].eq(1)]
    kinds = rows["rater_kind"].astype(object)
    if not kinds.eq("key").any():
        return pd.DataFrame(columns=["rater", "share", "n"])
    closed = {q.id for q in counted.questions if q.type in ("scale", "choice")}
    columns = ["item", "case", "part", "question"]
    plain = rows[[*columns, "rater", "value"]].astype(object)
    plain[columns] = plain[columns].where(plain[columns].notna(), "")
    plain = plain[plain["question"].isin(closed)]
    key = plain[kinds.loc[plain.index].eq("key")].drop_duplicates(columns)
    theirs = plain[kinds.loc[plain.index].isin(["human", "model"])]
    both = theirs.merge(key, on=columns, suffixes=("", "_key"))
    both["same"] = both["value"].astype(str).eq(both["value_key"].astype(str))
    found = both.groupby("rater")["same"].agg(["mean", "size"]).reset_index()
    return found.set_axis(["rater", "share", "n"], axis=1)
