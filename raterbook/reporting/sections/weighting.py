"""Whether means should be weighted by confidence: what it moves, and whether it is earned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from raterbook.analysis import Interval
from raterbook.analysis.averages import Entries
from raterbook.analysis.averages.weighted import moved_by_weighting
from raterbook.analysis.intervals.resampling import freedom, reach_of

from ...numbers.counted import Counted
from ..html import Section, join, paragraph, table
from ..leanings import FEWEST, cluster_of, margin
from ..words import SIGNED, VISIBLE, count, interval, listing, number, percent, signed

if TYPE_CHECKING:
    from ..report import Report

ENOUGH_RATERS, ENOUGH_ITEMS = 3, 30


def weighting(report: Report) -> Section | None:
    """Whether stated confidence means anything, and what weighting by it moves."""
    rows = confident(report.counted, report.cluster)
    found = weighted_beside(rows, report.parameters.coverage)
    if found is None:
        return None
    parts = [paragraph(sentence(found))]
    if silent := without(report):
        parts.append(
            paragraph(f"{silent} without a stated confidence; these are left out here.", "soft")
        )
    bins = calibration(rows, report.parameters.coverage)
    if len(bins) > 1 and len(rows) >= ENOUGH_ITEMS:
        from ..figures.planes import bins_figure

        first, last = bins.iloc[0], bins.iloc[-1]
        said = (
            f"At about {first.confidence:.0f} % confidence raters are {number(first.error)} points "
            f"from the others ({count(int(first.n), 'answer')}), at about {last.confidence:.0f} % "
            f"{number(last.error)} ({count(int(last.n), 'answer')})"
        )
        if not np.isfinite(first.margin + last.margin):
            said += ", without intervals"
        elif abs(last.error - first.error) <= first.margin + last.margin:
            said += "; their intervals overlap"
        alt = (
            said
            + ". "
            + "; ".join(
                f"about {row.confidence:.0f} %: {number(row.error)} over {row.n} answers"
                for row in bins.itertuples()
            )
        )
        parts.append(
            report.picture(
                "confidence",
                bins_figure(bins, said),
                alt,
                "Distance from the mean of the other raters on the same item, by stated confidence "
                "to the nearest ten.",
            )
        )
    stated = constant(rows)
    always = [report.rater_name(row.rater) for row in stated.itertuples() if row.share == 1]
    if always and len(stated) > 1:
        parts.append(
            paragraph(
                f"{listing(always)} always {'states' if len(always) == 1 else 'state'} the same "
                "confidence, which sets no answer above another of theirs."
            )
        )
    lines = [
        (
            report.rater_name(row.rater),
            f"{100 * row.mean:.0f} %",
            f"{100 * row.sd:.0f}",
            f"{percent(row.share)} %",
        )
        for row in stated.head(20).itertuples()
    ]
    parts.append(table(("Rater", "Mean", "SD", "Commonest value"), lines, "Stated confidence"))
    return Section("Does confidence mean anything?", join(parts), folded=True)


def without(report: Report) -> str | None:
    """How many scores the weighted means leave out, where the numbers warn of it."""
    rows = [row for row in report.rows("weighted_mean") if row["estimate"] is not None]
    if not any("answers_without_confidence" in row["warnings"] for row in rows):
        return None
    asked = [row["question"] for row in rows]
    scores = report.counted.people[report.counted.people["question"].isin(asked)]
    missing = int(scores["confidence"].isna().sum())
    return f"{missing:,} of {count(len(scores), 'score')} came" if missing else None


def sentence(found: dict[str, Any]) -> str:
    """“Weighting by stated confidence moves the mean from 3.90 to 3.96 … Use the plain mean.”"""
    moved, plain = found["difference"], number(found["plain"])
    low, high = found["low"], found["high"]
    span = interval(low, high, SIGNED)
    said = "Weighting by stated confidence "
    if abs(moved) >= VISIBLE:
        by = signed(moved) + (f"; {span}" if span else "")
        said += f"moves the mean from {plain} to {number(found['weighted'])} ({by}), "
        if low is None or low <= 0 <= high:
            said += "which may be chance. "
        else:
            said += f"because {why(found)}. "
    else:
        shown = span and max(abs(low), abs(high)) >= VISIBLE
        said += f"leaves the mean at {plain}" + (f" (a move of {span}). " if shown else ". ")
    few = found["raters"] < ENOUGH_RATERS or found["items"] < ENOUGH_ITEMS
    if few or found.get("slope_margin") is None:
        return said + "Whether surer means closer to the truth cannot be checked here."
    slope, margin = found["slope"], found["slope_margin"]
    if slope + margin < 0:
        return said + (
            "Surer answers were closer to the other raters’, so confidence means something: the "
            "weighted mean within items is a fair second reading beside the plain one."
        )
    if slope - margin > 0:
        return said + "Surer answers were further from the other raters’. Use the plain mean."
    return said + (
        "That surer answers were closer to the other raters’ is not shown. Use the plain mean."
    )


def why(found: dict[str, Any]) -> str:
    """Whether a rater's own high scores are the surer ones, or the surer raters score higher."""
    high = found["difference"] > 0
    if found["within"] * found["difference"] > 0 and (
        abs(found["within"]) >= abs(found["difference"]) / 2
    ):
        return f"raters were surer of {'high' if high else 'low'} scores"
    return f"the raters who state more confidence score {'higher' if high else 'lower'}"


# Whether stated confidence means anything, and what weighting by it does to the means.


CONFIDENT = ["subject", "cluster", "rater", "question", "x", "c", "error"]


def confident(counted: Counted, cluster: str | None = None) -> pd.DataFrame:
    """The columns CONFIDENT, of the answers with a confidence (0 to 1).

    `cluster` is what is drawn together; `error` is the distance from the mean of the other raters
    on the same unit and question.
    """
    parts = []
    for question in counted.numeric():
        rows = counted.of(question.id)
        c = rows["confidence"].to_numpy(dtype=float, na_value=np.nan) / 100
        if not np.isfinite(c).any():
            continue
        x = rows["number"].to_numpy(dtype=float, na_value=np.nan)
        unit = pd.factorize(rows["unit"])[0]
        total, many = np.bincount(unit, x), np.bincount(unit)
        others = many[unit] - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.where(others > 0, np.abs(x - (total[unit] - x) / others), np.nan)
        parts.append(
            pd.DataFrame(
                {
                    "subject": rows["subject"].to_numpy(),
                    "cluster": cluster_of(rows, cluster).to_numpy(),
                    "rater": rows["rater"].to_numpy(),
                    "question": question.id,
                    "x": x,
                    "c": c,
                    "error": error,
                }
            )
        )
    if not parts:
        return pd.DataFrame(columns=CONFIDENT)
    return pd.concat(parts, ignore_index=True).dropna(subset=["c", "x"])


def weighted_beside(rows: pd.DataFrame, coverage: float = 0.95) -> dict[str, Any] | None:
    """What weighting moves: plain, weighted, their difference with its interval, and why.

    `within` is how much of the move comes of what raters are surer of than of their other answers;
    the rest, of who is surer than others. `slope` is the within-rater slope of error on confidence:
    below 0, surer answers were closer to the others'. It is told from 0 beyond `slope_margin`,
    which is None where fewer than ten independent units carry it.
    """
    if not len(rows) or rows["c"].sum() == 0:
        return None
    item, rater, cluster = (
        pd.factorize(rows[name], sort=True)[0] for name in ("subject", "rater", "cluster")
    )
    numbers = {name: rows[name].to_numpy(float) for name in ("x", "c")}
    moved = moved_by_weighting(Entries(item, rater, cluster, numbers), Interval(coverage=coverage))
    plain = rows["x"].mean()
    found: dict[str, Any] = {
        "plain": plain,
        "weighted": plain + moved.value,
        "difference": moved.value,
        "low": moved.low,
        "high": moved.high,
        "items": moved.n_units,
        "raters": moved.n_raters,
    }
    own = rows["c"] - rows.groupby("rater")["c"].transform("mean")
    found["within"] = float((own * rows["x"]).sum() / rows["c"].sum())
    within = rows.dropna(subset=["error"])
    centred = within["c"] - within.groupby("rater")["c"].transform("mean")
    spread = float((centred**2).sum())
    found["slope"] = float((centred * within["error"]).sum() / spread) if spread > 1e-12 else None
    found["slope_margin"] = None
    many = within["cluster"].nunique()
    if found["slope"] is not None and many >= FEWEST:
        left = within["error"] - within.groupby("rater")["error"].transform("mean")
        score = (centred * (left - found["slope"] * centred)).groupby(within["cluster"]).sum()
        rest = spread - (centred**2).groupby(within["cluster"]).sum()
        # How far the slope moves without each: one that holds all the spread leaves none.
        squares = (score / rest.where(rest > 1e-12)).to_numpy() ** 2
        df = min(freedom(squares, np.ones(many)), many - 1.0)
        if df >= 1:
            se = float(np.sqrt((many - 1) / many * squares.sum()))
            found["slope_margin"] = reach_of(coverage, df) * se
    return found


def calibration(rows: pd.DataFrame, coverage: float = 0.95) -> pd.DataFrame:
    """confidence, error, margin, n: mean distance from the others by stated confidence."""
    usable = rows.dropna(subset=["error"])
    levels = (usable["c"] * 10).round() * 10
    found = []
    for level, part in usable.groupby(levels, sort=True):
        error, clusters = part["error"].to_numpy(), part["cluster"].to_numpy()
        half = margin(error, clusters, coverage)
        found.append((float(level), float(error.mean()), half, len(error)))
    return pd.DataFrame(found, columns=["confidence", "error", "margin", "n"])


def constant(rows: pd.DataFrame) -> pd.DataFrame:
    """rater, mean, sd, share: of the answers that carry the rater's commonest confidence."""
    found = [
        (rater, own["c"].mean(), own["c"].std(ddof=0), own["c"].value_counts(normalize=True).max())
        for rater, own in rows.groupby("rater", sort=True)
    ]
    return pd.DataFrame(found, columns=["rater", "mean", "sd", "share"])
