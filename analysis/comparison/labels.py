"""What is true, by how raters err: Dawid and Skene (1979), with and without a rater.

Each rater has a table of how often they say b where a is true; truth and tables are found together
by expectation and maximization, from the shares of votes. A rater's own answers pull the truth
their way, so a rater is scored on the truth that the others make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from raterbook.analysis.comparison import ratio_over_clusters
from raterbook.analysis.estimate import sentence
from raterbook.analysis.intervals import FEWEST, Interval, Wish
from raterbook.analysis.intervals.resampling import reach_of
from raterbook.analysis.ratings import Coded, read
from raterbook.analysis.ratings.patterns import count_values, distinct_rows, divide

TURNS, ENOUGH = 500, 1e-6  # steps at most, and how little one changes when it is done
TINY = 1e-10  # a chance of zero could not be left again
LEAST = 3  # raters who make a truth: of two that differ, nobody can say who errs
MOST_SCORED = 40  # raters who are left out in turn
RATER = ("rater", "accuracy", "low", "high", "accuracy_with", "n_units", "reason")


@dataclass(frozen=True, repr=False)
class Labels:
    """What is true of each unit, how sure that is, and how each rater errs; or the `reason`.

    `units` has a row per unit: the likeliest label and its probability. `raters` has a row per
    rater: `accuracy`, how often they give the label that the others' answers make likeliest, with
    an interval over clusters; and `accuracy_with`, how often the model takes them to be right when
    they help to make the truth. The first is too low where the others err, the second too high
    where raters err together. `confusion` has a table per rater, of the one left out by the others'
    truth: a row per true label, the share of each label said there. `shares` is how common each
    label is. `hits` has a row per unit and a column per rater: 1 where they gave the label that the
    others make likeliest, 0 where not, empty where they cannot be scored.
    """

    units: pd.DataFrame
    raters: pd.DataFrame
    confusion: dict[Any, pd.DataFrame] = field(default_factory=dict)
    shares: pd.Series = field(default_factory=lambda: pd.Series(dtype=float))
    without: Any = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    hits: pd.DataFrame = field(default_factory=pd.DataFrame)

    def frame(self) -> pd.DataFrame:
        """A row per rater."""
        return self.raters

    def __repr__(self) -> str:
        if self.reason:
            return f"<dawid_skene: none, {self.reason}>"
        left = "" if self.without is None else f", truth made without {self.without}"
        return f"<dawid_skene: {len(self.units)} units, {len(self.raters)} raters{left}>"

    def _repr_html_(self) -> str:
        table = self.raters.to_html(index=False, float_format="{:.3f}".format, escape=True)
        note = f"<p>{escape(sentence(self.reason))}</p>" if self.reason else ""
        return f"<p>{escape(repr(self)[1:-1])}</p>{table}{note}"


@dataclass(frozen=True)
class Truth:
    """A probability of each label, units × labels; each rater's table; how common labels are."""

    posterior: np.ndarray
    tables: np.ndarray
    shares: np.ndarray


def dawid_skene(ratings: Any, *, without: Any = None, interval: Wish = "jackknife") -> Labels:
    """The true labels and each rater's errors; the rater `without` has no say in what is true.

    Three raters at least must make the truth. Who is scored does not help to make it: each rater
    is set against the label that the others alone make likeliest.

    >>> table = [list(row) for row in ["aaa", "bbb", "aab", "bbb", "aaa", "abb", "bba", "aaa"]]
    >>> dawid_skene(table, interval=None).units["label"].tolist()
    ['a', 'b', 'a', 'b', 'a', 'b', 'b', 'a']
    """
    coded, wish = read(ratings), Interval.of(interval)
    if without is not None:
        coded.only([without])  # refuses a rater who is not there
    makers = [j for j, name in enumerate(coded.raters) if name != without]
    reason = why_not(coded, makers)
    blank = pd.DataFrame(
        [{**dict.fromkeys(RATER), "rater": name, "reason": reason} for name in coded.raters],
        columns=RATER,
        dtype=object,
    )
    if reason is not None:
        return Labels(pd.DataFrame(columns=["unit", "label", "probability"]), blank,
                      without=without, reason=reason)  # fmt: skip
    q, codes = len(coded.scale), coded.codes
    truth = truth_of(codes[:, makers], q)
    known = codes[:, makers].any(axis=1)
    tables = dict(zip(makers, truth.tables, strict=True))
    rows, hits = [], np.full(codes.shape, np.nan)
    for j in range(len(coded.raters)):
        row, table, hits[:, j] = _scored(coded, j, None if j in tables else truth, wish)
        if j in tables:
            row["accuracy_with"] = float(truth.shares @ np.diag(tables[j]))
        elif table is not None:
            tables[j] = table
        rows.append(row)
    best = truth.posterior.argmax(axis=1)
    units = np.flatnonzero(known)
    names = pd.Index(coded.scale, dtype=object)
    found = pd.DataFrame({
        "unit": np.asarray(coded.units)[units],
        "label": names[best[units]],
        "probability": truth.posterior[units, best[units]],
    })  # fmt: skip
    confusion = {
        name: pd.DataFrame(tables[j], index=names.rename("true"), columns=names.rename("said"))
        for j, name in enumerate(coded.raters)
        if j in tables
    }
    shares = pd.Series(truth.shares, index=names)
    scored = pd.DataFrame(rows, columns=RATER, dtype=object)
    hit = pd.DataFrame(hits, index=coded.units, columns=coded.raters)
    return Labels(found, scored, confusion, shares, without, hits=hit)


def why_not(coded: Coded, makers: list[int]) -> str | None:
    """Why these raters cannot make a truth."""
    codes = coded.codes[:, makers]
    if not codes.any():
        return "no_ratings"
    if not np.count_nonzero(np.count_nonzero(codes, axis=1) >= LEAST):
        return "too_few_for_truth"
    return None if len(np.unique(codes[codes > 0])) > 1 else "no_variation"


def truth_of(codes: np.ndarray, q: int) -> Truth:
    """Expectation and maximization over distinct rows, from the shares of votes.

    A label that nobody gave is true of nothing: it would explain whatever units are mixed.
    """
    from scipy.special import softmax

    rows, of = distinct_rows(codes)
    many = np.bincount(of, minlength=len(rows))
    rated = rows.any(axis=1)
    votes = count_values(rows, q)
    posterior = divide(votes, votes.sum(axis=1, keepdims=True), 0.0)
    weight, unsaid = (many * rated).astype(float), ~votes.any(axis=0)
    for _ in range(TURNS):
        tables = tables_of(rows, posterior * weight[:, None], q)
        shares = np.maximum(weight @ posterior / weight.sum(), TINY)
        shares[unsaid] = 0.0
        logs = np.tile(np.log(shares, out=np.full(q, -np.inf), where=~unsaid), (len(rows), 1))
        for j, table in enumerate(tables):
            said = rows[:, j] > 0
            logs[said] += np.log(np.maximum(table, TINY))[:, rows[said, j] - 1].T
        before, posterior = posterior, softmax(logs, axis=1)
        if np.allclose(posterior[rated], before[rated], 0.0, ENOUGH):
            break
    return Truth(posterior[of], tables, shares)


def tables_of(codes: np.ndarray, weights: np.ndarray, q: int) -> np.ndarray:
    """Raters × true × said: how often each label is said where each is true."""
    found = np.zeros((codes.shape[1], q, q))
    for j, column in enumerate(codes.T):
        for said in range(q):
            found[j, :, said] = weights[column == said + 1].sum(axis=0)
    return divide(found, found.sum(axis=2, keepdims=True), 0.0)


def _scored(
    coded: Coded, j: int, truth: Truth | None, wish: Interval
) -> tuple[dict[str, Any], np.ndarray | None, np.ndarray]:
    """How often a rater is right, on a truth that they had no part in, their table, and where."""
    where = np.full(coded.n_units, np.nan)
    row: dict[str, Any] = {**dict.fromkeys(RATER), "rater": coded.raters[j]}
    others = [k for k in range(len(coded.raters)) if k != j]
    row["reason"] = why_not(coded, others)
    if len(coded.raters) > MOST_SCORED and truth is None:
        row["reason"] = "too_many_raters_for_interval"
    if row["reason"] is not None:
        return row, None, where
    q = len(coded.scale)
    truth = truth_of(coded.codes[:, others], q) if truth is None else truth
    own = coded.codes[:, [j]]
    units = np.flatnonzero((own[:, 0] > 0) & coded.codes[:, others].any(axis=1))
    row["n_units"] = len(units)
    if not len(units):
        return {**row, "reason": "no_comparison"}, None, where
    hit = truth.posterior[units].argmax(axis=1) == own[units, 0] - 1
    where[units] = hit
    cluster = units if coded.clusters is None else coded.clusters[units]
    found = ratio_over_clusters(hit.astype(float), cluster)
    row["accuracy"] = found.value
    if wish.method is not None and found.clusters >= FEWEST and found.se > 0:
        reach = reach_of(wish.coverage, found.clusters - 1) * found.se
        row["low"], row["high"] = max(found.value - reach, 0.0), min(found.value + reach, 1.0)
    return row, tables_of(own[units], truth.posterior[units], q)[0], where
