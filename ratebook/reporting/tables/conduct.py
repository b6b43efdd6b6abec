"""How raters worked: time, uniform answers, answers given twice, gold items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .counted import Counted, codes

ENOUGH = 10  # items before a share says anything about a rater


def times(counted: Counted) -> pd.DataFrame:
    """rater, seconds, ratio, n: medians by answer; empty where times were not taken.

    `ratio` compares with what all raters usually need for the same question.
    """
    rows = counted.people.dropna(subset=["seconds"])
    if not len(rows):
        return pd.DataFrame(columns=["rater", "seconds", "ratio", "n"])
    # Questions take different times: each is compared with its own median over all raters.
    seconds = rows["seconds"].astype(float)
    usual = seconds.groupby(rows["question"]).transform("median")
    grouped = pd.DataFrame(
        {"rater": rows["rater"], "seconds": seconds, "ratio": seconds / usual.where(usual > 0)}
    ).groupby("rater")
    found = grouped.agg(
        seconds=("seconds", "median"), ratio=("ratio", "median"), n=("seconds", "size")
    )
    return found.sort_values("seconds", kind="stable").reset_index()


def uniform(counted: Counted) -> pd.DataFrame:
    """rater, share, n: items of three or more scales that got one and the same score on all."""
    asked = counted.numeric()
    kept = [question for question in asked if question.values]
    if len(kept) < 3:
        return pd.DataFrame(columns=["rater", "share", "n"])
    rows = counted.people[counted.people["question"].isin([q.id for q in kept])]
    grouped = rows.groupby(["rater", "unit"], sort=True)["number"].agg(["size", "min", "max"])
    grouped = grouped[grouped["size"] >= 3]
    same = grouped["min"].eq(grouped["max"]).groupby(level="rater").agg(["mean", "size"])
    return same.reset_index().set_axis(["rater", "share", "n"], axis=1)


def longest_runs(counted: Counted, question: Any) -> pd.DataFrame:
    """rater, value, run, expected, n: the longest stretch of one answer, in the order given.

    `expected` is what chance makes of so common an answer: log(n (1 − p)) / log(1 / p).
    """
    rows = counted.of(question.id).dropna(subset=["answered_at"])
    found = []
    for rater, own in rows.sort_values("answered_at", kind="stable").groupby("rater", sort=True):
        given = codes(own, question)
        edges = np.flatnonzero(np.r_[True, given[1:] != given[:-1], True])
        runs = np.diff(edges)
        if len(runs):
            at = int(runs.argmax())
            value = own["value"].iloc[int(edges[at])]
            common = float((given == given[int(edges[at])]).mean())
            run = int(runs[at])
            found.append((rater, value, run, chance_run(len(own), common), len(own)))
    return pd.DataFrame(found, columns=["rater", "value", "run", "expected", "n"])


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
