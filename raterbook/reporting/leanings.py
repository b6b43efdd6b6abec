"""Each rater beside the others on the same units: a difference, and an interval that carries it.

A rater is named on the page only where the interval leaves out zero. It is corrected (Bonferroni)
for how many raters could have been named: of 160 raters alike, eight lie beyond a plain interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from raterbook.analysis.ratings.patterns import numbered

from ..numbers.counted import Counted, codes
from .words import VISIBLE

if TYPE_CHECKING:
    from .report import Report

DATED = 0.9  # of the answers with a time of their own, before their order is known
FEWEST = 10  # independent units behind anything that is said of one rater
NO_SPREAD = 1e-12  # what rounding leaves
LEAST_SPREAD = 0.75  # of all raters' variance, below which one rater's is not believed
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


def by_name(column: pd.Series) -> tuple[np.ndarray, Any]:
    """Each row's place among the names that are there, in their order."""
    code, seen = pd.factorize(column)
    place, names = pd.factorize(pd.Index(seen).astype(str), sort=True)
    return place[code], names


def gaps(
    rows: pd.DataFrame,
    own: np.ndarray,
    others: np.ndarray,
    coverage: float,
    tests: int = 1,
    most: float = 1.0,
) -> pd.DataFrame:
    """Rater by rater the means of both and of their difference, with t over clusters.

    Clusters are left out in turn; t has the degrees of freedom of those that count. Who happens to
    have met none of what is rare shows less spread than there is: nobody's variance is taken for
    less than three quarters of all raters'. Where nobody's gaps differ at all, `most`, the furthest
    two can lie apart, bounds what no draw has shown.
    """
    if not len(rows):
        return pd.DataFrame(columns=COLUMNS)
    rater, names = by_name(rows["rater"])
    cluster = pd.factorize(rows["cluster"])[0]
    many = np.bincount(rater)
    gap = np.bincount(rater, own - others) / many
    # Each cluster's deviation from its rater's mean is one draw.
    width = cluster.max() + 1
    cell = rater * width + cluster
    del cluster
    place, _, cell = numbered(cell)
    whose = place // width
    draws = np.bincount(whose)
    rest = many[whose] - np.bincount(cell)
    moved = np.bincount(cell, own - others - gap[rater]) / np.where(rest > 0, rest, np.inf)
    moved[np.abs(moved) < NO_SPREAD] = 0.0
    level = (1 - coverage) / max(len(names) * tests, 1)
    low, high = ends_of(gap, draws, whose, moved**2, level, most)
    found = {
        "rater": names,
        "own": np.bincount(rater, own) / many,
        "others": np.bincount(rater, others) / many,
        "gap": gap,
        "low": low,
        "high": high,
        "n": draws,
    }
    return pd.DataFrame(found).sort_values(["gap", "rater"], ignore_index=True)


def ends_of(
    gap: np.ndarray,
    draws: np.ndarray,
    whose: np.ndarray,
    squares: np.ndarray,
    level: float,
    most: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of every rater's gap, of the squared influences of the clusters they rated."""
    from scipy.special import stdtrit

    total, fourth = np.bincount(whose, squares), np.bincount(whose, squares**2)
    variance = (draws - 1) / draws * total
    floor = LEAST_SPREAD * float((draws**2 * variance).sum() / draws.sum())
    # As `freedom` in analysis: the effective number of clusters in the variance, squared, less one.
    with np.errstate(invalid="ignore", divide="ignore"):
        effective = np.where(fourth > 0, (total**2 / fourth) ** 2 - 1, np.inf)
    df = np.minimum(effective, draws - 1.0)
    half = stdtrit(np.maximum(df, 1.0), 1 - level / 2) * np.sqrt(
        np.maximum(variance, floor / draws)
    )
    low, high = gap - half, gap + half
    if not floor:
        unmet = 1 - (level / 2) ** (1 / draws)  # so often something else could come, unseen
        low, high = gap - unmet * (gap + most), gap + unmet * (most - gap)
    known = (draws >= FEWEST) & (df >= 1)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def concord(
    counted: Counted, questions: Iterable[Any], coverage: float, cluster: str | None = None
) -> pd.DataFrame:
    """How often each rater gives the others' answer, beside how often these give one another's.

    On the units that three or more rated; below 0, a rater agrees with the others less than they
    with one another.
    """
    each = (concord_on(counted, question, cluster) for question in questions)
    parts = [found for found in each if found is not None]
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    raters, clusters, own, rest = zip(*parts, strict=True)
    named = {"rater": union_categoricals(raters), "cluster": union_categoricals(clusters).codes}
    return gaps(pd.DataFrame(named), np.concatenate(own), np.concatenate(rest), coverage)


def concord_on(
    counted: Counted, question: Any, cluster: str | None
) -> tuple[pd.Categorical, pd.Categorical, np.ndarray, np.ndarray] | None:
    """Who gave the answers, their clusters, the share that is as this one, and of the others'."""
    rows = counted.of(question.id)
    given = codes(rows, question)
    rows, given = rows[np.isfinite(given)], given[np.isfinite(given)]
    if not len(rows):
        return None
    unit = pd.factorize(rows["unit"])[0]
    value = np.unique(given, return_inverse=True)[1]
    width = value.max() + 1
    alike = np.bincount(unit * width + value, minlength=(unit.max() + 1) * width)
    same = alike[unit * width + value] - 1
    many = np.bincount(unit)[unit]
    pairs = (alike * (alike - 1) / 2).reshape(-1, width).sum(axis=1)[unit]
    kept = many > 2
    return (
        pd.Categorical(rows["rater"][kept].astype(str)),
        pd.Categorical(cluster_of(rows[kept], cluster)),
        same[kept] / (many[kept] - 1),
        (pairs - same)[kept] / ((many - 1) * (many - 2) / 2)[kept],
    )


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
        one = beside(
            plain.assign(value=said.eq(label).astype(float)), coverage, len(question.values)
        )
        found.append(one.assign(label=label))
    return pd.concat(found, ignore_index=True)


def beyond(found: pd.DataFrame) -> pd.Series:
    """Whether an interval leaves out zero as it is printed."""
    return (found["low"] > VISIBLE) | (found["high"] < -VISIBLE)


def furthest(found: pd.DataFrame, side: int) -> Any | None:
    """The rater whose gap lies furthest below (−1) or above (+1) zero beyond its interval."""
    named = found[beyond(found) & (side * found["gap"] > 0)]
    if not len(named):
        return None
    row: Any = next(named.loc[[(side * named["gap"]).idxmax()]].itertuples())
    return row


# How each rater leans against the others on the same units, at first and later on.


THIRD = 3
LEAN_COLUMNS = [
    "rater",
    "lean",
    "low",
    "high",
    "n",
    "clusters",
    "early",
    "late",
    "drift_low",
    "drift_high",
    "noise",
]
ENDS = {"lean": "estimate", "low": "low", "high": "high"}


def leans(report: Report) -> pd.DataFrame:
    """rater, lean, low, high, n, early, late, noise: scale points above (+) or below the others.

    `lean` is the mean of score − mean of the others on the same unit and question; its interval
    is made as those of the round's other numbers are, and NaN where there is none. `early` and
    `late` are the first and last third of a rater's answers in the order they were given; `noise`
    is the spread of the differences around the lean.
    """
    if not report.counted.numeric():
        return pd.DataFrame(columns=LEAN_COLUMNS)
    from raterbook.analysis import severity

    every, own = report.scores
    leaning = severity(own, interval=report.parameters.wish).set_index("rater")
    ends = leaning[list(ENDS.values())].set_axis(list(ENDS), axis=1).to_dict("index")
    there = every if (met := every["apart"].notna()).all() else every[met]
    by_rater = there.groupby("rater", sort=True)
    items, noise = by_rater["item"].nunique(), by_rater["apart"].std(ddof=1).to_dict()
    clusters = by_rater["cluster"].nunique().to_dict()
    drifts = drifts_of(there, items, report.parameters.coverage)
    found = [
        {"rater": rater, "n": n, "clusters": clusters[rater], "noise": noise[rater]}
        | ends[rater]
        | drifts.get(rater, {})
        for rater, n in items.items()
    ]
    made = pd.DataFrame(found, columns=LEAN_COLUMNS)
    made = made.astype(
        {name: float for name in LEAN_COLUMNS if name not in ("rater", "n", "clusters")}
    )
    return made.sort_values(["lean", "rater"], ignore_index=True)


def drifts_of(there: pd.DataFrame, items: pd.Series, coverage: float) -> dict[str, Any]:
    """How raters moved who answered enough items for it; of a crowd that is hardly anybody."""
    enough = there["rater"].isin(items.index[items >= 4 * THIRD])
    there = there if enough.all() else there[enough]
    return {rater: drift(rows, coverage) for rater, rows in there.groupby("rater", sort=True)}


def strict_leans(report: Report) -> pd.DataFrame:
    """The same of those who may be named, with the intervals of `gaps` and with drifts like them.

    Both are corrected for how many raters could be named, and want ten independent units.
    """
    found = report.leans
    enough = found[found["clusters"] >= FEWEST]
    if not len(enough):
        return enough
    every, _ = report.scores
    there = every[every["apart"].notna()]
    coverage = report.parameters.coverage
    most = max(question.max - question.min for question in report.counted.numeric())
    apart = there["apart"].to_numpy()
    ends = gaps(there, apart, np.zeros(len(apart)), coverage, most=most).set_index("rater")
    # Whose own interval of drift holds zero has a wider one that does.
    drifting = enough[enough["drift_low"] * enough["drift_high"] > 0]
    items = drifting.set_index("rater")["n"]
    moved = drifts_of(there, items, 1 - (1 - coverage) / len(found))
    strict = pd.DataFrame(
        {name: {rater: moved.get(rater, {}).get(name, np.nan) for rater in enough["rater"]}
         for name in ("drift_low", "drift_high")}
    ).join(ends[["low", "high"]])  # fmt: skip
    return enough.assign(**{name: enough["rater"].map(strict[name]) for name in strict})


def shown(report: Report) -> pd.DataFrame:
    """Those who lean beyond the corrected interval, the severest first."""
    found = report.strict_leans
    return found[beyond(found)]


def scores(report: Report) -> pd.DataFrame:
    """One line a score: unit, rater, value, item, cluster, at, and how far apart the others are.

    `cluster` is what is drawn together: the declared one, else the case. Units, items and clusters
    are numbers, for a million names of them would be most of the memory a report takes; items are
    in the order of their names, units in that of their first answers.
    """
    parts: list[pd.DataFrame] = []
    named: dict[str, list[pd.Categorical]] = {"rater": [], "item": [], "cluster": []}
    units = 0
    for question in report.counted.numeric():
        part, names = scores_on(report, question)
        part["unit"] += np.int32(units)
        units = int(part["unit"].max()) + 1 if len(part) else units
        parts.append(part)
        for name, each in names.items():
            named[name].append(each)
    together = {
        name: union_categoricals(each, sort_categories=True) for name, each in named.items()
    }
    every = pd.concat(parts, ignore_index=True).assign(rater=together["rater"])
    return every.assign(item=together["item"].codes, cluster=together["cluster"].codes)


def scores_on(report: Report, question: Any) -> tuple[pd.DataFrame, dict[str, pd.Categorical]]:
    """The numbers of one question's lines, and the names that stand in them."""
    rows = report.counted.of(question.id)
    score = rows["number"].to_numpy(dtype=float, na_value=np.nan)
    unit = pd.factorize(rows["unit"])[0]
    size = unit.max(initial=-1) + 1
    total = np.bincount(unit, np.nan_to_num(score), size)
    many = np.bincount(unit, np.isfinite(score), size)
    others = many[unit] - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.where(others > 0, score - (total[unit] - score) / others, np.nan)
    names = {
        "rater": pd.Categorical(rows["rater"].astype(str)),
        "item": pd.Categorical(rows["subject"]),
        "cluster": pd.Categorical(cluster_of(rows, report.cluster)),
    }
    part = {"unit": unit.astype(np.int32), "value": score}
    return pd.DataFrame(part | {"at": rows["answered_at"].array, "apart": apart}), names


def drift(rows: pd.DataFrame, coverage: float) -> dict[str, float]:
    """How a rater's lean moved from the first items to the last, where their order is known."""
    found: dict[str, float] = {}
    # An item's time is that of its first answer; a file taken in at once has but one.
    own = rows.dropna(subset=["at"]).groupby("item", sort=True)
    dated = own.agg({"at": "min", "apart": "mean", "cluster": "first"})
    sitting = dated.sort_values("at", kind="stable")
    if len(sitting) >= 4 * THIRD and dated["at"].nunique() >= DATED * len(dated):
        third = len(sitting) // THIRD
        early, late = sitting[:third], sitting[-third:]
        spread = moved_margin(early, late, coverage)
        first, last = float(early["apart"].mean()), float(late["apart"].mean())
        moved, found = last - first, {"early": first, "late": last}
        found |= {"drift_low": moved - spread, "drift_high": moved + spread}
    return found


def moved_margin(early: pd.DataFrame, late: pd.DataFrame, coverage: float) -> float:
    """Half of the interval for the difference of two means over what is drawn together.

    With residuals r = x − mean over the items of either, and Σr / n of each cluster; a cluster that
    reaches into both counts once. Corrected as for the one with fewer clusters.
    """
    from raterbook.analysis.intervals.resampling import reach_of

    least = min(early["cluster"].nunique(), late["cluster"].nunique())
    if least < 2:
        return float("nan")
    rest = [
        sign * (items["apart"] - items["apart"].mean()) / len(items)
        for sign, items in ((-1, early), (1, late))
    ]
    sums = pd.concat(rest).groupby(pd.concat([early["cluster"], late["cluster"]])).sum()
    se = np.sqrt(least / (least - 1) * (sums**2).sum())
    return float(reach_of(coverage, least - 1) * se)


def margin(values: np.ndarray, clusters: np.ndarray, coverage: float = 0.95) -> float:
    """Half of the interval for the mean of values, over what is drawn together.

    NaN where nothing differs: an interval without width is none.
    """
    from raterbook.analysis.comparison import ratio_over_clusters
    from raterbook.analysis.intervals.resampling import reach_of

    found = ratio_over_clusters(values, clusters)
    if found.clusters < 2 or not found.se:
        return float("nan")
    return float(reach_of(coverage, found.clusters - 1) * found.se)


def habits(counted: Counted, question: object) -> pd.DataFrame:
    """Rater × option: how often each rater uses each label."""
    rows = counted.of(question.id)  # type: ignore[attr-defined]
    table = pd.crosstab(rows["rater"].astype(str), rows["value"].astype(str))
    options = [str(value) for value in question.values]  # type: ignore[attr-defined]
    table = table.reindex(columns=options, fill_value=0)
    return table.div(table.sum(axis=1), axis=0)


# How far a rater's scores lie from somebody else's, item by item: bias and limits of agreement.


ENOUGH = 10  # items before limits of agreement say anything
REACH = 1.96


@dataclass(frozen=True)
class Apart:
    """One line an item (`middle`, `gap`), and what they amount to.

    `gap` is the first rater's score minus the others' mean, averaged over the questions both
    answered; `low` and `high` are 1.96 standard deviations from its mean, and `within` is the share
    of the items between them. `clusters` are drawn together; where they do not differ there is no
    `margin`.
    """

    points: pd.DataFrame
    bias: float
    margin: float
    clusters: int
    low: float
    high: float
    within: float


def apart(
    counted: Counted,
    first: str,
    others: list[str],
    coverage: float = 0.95,
    cluster: str | None = None,
) -> Apart | None:
    """None where fewer than ten items have a score of both on one scale."""
    parts = []
    for question in one_scale(counted):
        rows = counted.of(question.id, counted.given)
        table = counted.table(question, rows[rows["rater"].isin([first, *others])])
        theirs = [name for name in others if name in table and name != first]
        if first not in table or not theirs:
            continue
        mean = table[theirs].mean(axis=1)
        both = pd.DataFrame({"gap": table[first] - mean, "middle": (table[first] + mean) / 2})
        parts.append(both.dropna())
    points = pd.concat(parts).groupby(level=0, sort=True).mean() if parts else pd.DataFrame()
    if len(points) < ENOUGH:
        return None
    gap = points["gap"].to_numpy()
    bias, spread = float(gap.mean()), float(gap.std(ddof=1))
    low, high = bias - REACH * spread, bias + REACH * spread
    within = float(((gap >= low) & (gap <= high)).mean())
    rows = counted.given[counted.given["unit"].isin(points.index)].drop_duplicates("unit")
    drawn = pd.Series(cluster_of(rows, cluster).to_numpy(), rows["unit"].to_numpy())
    clusters = drawn[points.index].to_numpy(dtype=str)
    half = margin(gap, clusters, coverage)
    return Apart(points, bias, half, len(set(clusters)), low, high, within)


def one_scale(counted: Counted) -> list[Any]:
    """The numeric questions that share the commonest scale: points can be averaged over them."""
    found: dict[tuple[float, float], list[Any]] = {}
    for question in counted.numeric():
        found.setdefault((question.min, question.max), []).append(question)
    return max(found.values(), key=len) if found else []
