"""Whether means should be weighted by confidence: what it moves, and whether it is earned."""

from __future__ import annotations

from typing import Any

from ..section import Section, paragraph, table
from ..tables.confidence import calibration, confident, constant
from ..tables.confidence import weighting as weigh
from ..words import VISIBLE, count, listing, number, percent, signed

ENOUGH_RATERS, ENOUGH_ITEMS = 3, 30


def weighting(report: Any) -> Section | None:
    rows = confident(report.counted)
    found = weigh(rows, report.parameters.coverage)
    if found is None:
        return None
    parts = [paragraph(sentence(found))]
    if silent := without(report):
        parts.append(
            paragraph(f"{silent} without a stated confidence; these are left out here.", "soft")
        )
    bins = calibration(rows, report.parameters.coverage)
    if len(bins) > 1 and len(rows) >= ENOUGH_ITEMS:
        from ..figures.bins import bins_figure

        first, last = bins.iloc[0], bins.iloc[-1]
        said = (
            f"At {first.confidence:.0f} % confidence raters are {number(first.error)} points from "
            f"the others ({count(int(first.n), 'answer')}), at {last.confidence:.0f} % "
            f"{number(last.error)} ({count(int(last.n), 'answer')})"
        )
        alt = (
            said
            + ". "
            + "; ".join(
                f"{row.confidence:.0f} %: {number(row.error)} over {row.n} answers"
                for row in bins.itertuples()
            )
        )
        parts.append(
            report.picture(
                "confidence",
                bins_figure(bins, said),
                alt,
                "Distance from the mean of the other raters on the same item.",
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
    return Section("Does confidence mean anything?", "".join(parts), folded=True)


def without(report: Any) -> str | None:
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
    span = "" if low is None else f"{signed(low)} to {signed(high)}"
    said = "Weighting by stated confidence "
    if abs(moved) >= VISIBLE:
        by = signed(moved) + (f"; {span}" if span else "")
        said += f"moves the mean from {plain} to {number(found['weighted'])} ({by}), "
        if low is not None and low <= 0 <= high:
            said += "which may be chance. "
        else:
            said += f"because raters were surer of {'high' if moved > 0 else 'low'} scores. "
    else:
        shown = span and max(abs(low), abs(high)) >= VISIBLE
        said += f"leaves the mean at {plain}" + (f" (a move of {span}). " if shown else ". ")
    if found["raters"] < ENOUGH_RATERS or found["items"] < ENOUGH_ITEMS or found["slope"] is None:
        return said + "Whether surer means closer to the truth cannot be checked here."
    slope, margin = found["slope"], found.get("reach", 2.0) * found["slope_se"]
    if slope + margin < 0:
        return said + (
            "Surer answers were closer to the other raters’, so confidence means something: the "
            "weighted mean within items is a fair second reading beside the plain one."
        )
    if slope - margin > 0:
        return said + "Surer answers were further from the other raters’. Use the plain mean."
    return said + "Surer answers were not closer to the other raters’. Use the plain mean."
