"""Estimate against target in one figure and one table, and what would settle the undecided."""

from __future__ import annotations

from typing import Any

from ..cautions import is_untrusted, marks
from ..section import Section, bullets, heading, table
from ..tables.settle import items_needed
from ..words import DECIDED, count, interval, number
from .verdict import sentence


def targets(report: Any) -> Section | None:
    found = report.numbers.targets
    if not found or not len(report.counted.people):
        return None
    drawn = [target for target in found if target["value"] is not None]
    picture = ""
    if drawn:
        from ..figures.targets import finding, targets_figure

        alt = f"{finding(drawn)}. " + " ".join(sentence(target) for target in drawn)
        caption = (
            "A target is decided once the whole interval lies on one side of it. "
            f"Intervals cover {report.parameters.coverage:.0%} and speak of these raters."
        ).replace("%", " %")
        picture = report.picture("targets", targets_figure(drawn), alt, caption)
    rows = [
        (
            target["name"],
            number(target["value"], target["statistic"]),
            interval(target["low"], target["high"], target["statistic"]) + marks(target),
            ("≥ " if target["direction"] == "at_least" else "≤ ")
            + number(target["target"], target["statistic"]),
            "yes" if target["met"] else "no",
            DECIDED[target["verdict"]],
        )
        for target in found
    ]
    head = ("Target", "Estimate", "Interval", "Asked", "By the estimate", "By the interval")
    settled = settle(report)
    more = heading("What would settle it") + bullets(settled) if settled else ""
    caption = "By the estimate, as the documents have it, and by the interval"
    return Section("Targets", picture + more + table(head, rows, caption))


def settle(report: Any) -> list[str]:
    """For each undecided target, how many items like these would decide it."""
    said = []
    for target in report.numbers.targets:
        if target["verdict"] != "undecided":
            continue
        if target["value"] is None or target["low"] is None:
            said.append(f"{target['name']}: more answers; there is no interval to decide by yet.")
            continue
        if is_untrusted(target):
            said.append(
                f"{target['name']}: items on which raters can differ. On too few of these "
                f"{target['n_items']:,} they do, so nobody can say how many more it takes."
            )
            continue
        needed = items_needed(target, target["n_items"])
        if needed is None:
            said.append(
                f"{target['name']}: no reasonable number of items. The estimate "
                f"({number(target['value'], target['statistic'])}) lies too near its target; look "
                "at what is measured, or at the target itself."
            )
            continue
        side = "met" if target["met"] else "missed"
        said.append(
            f"{target['name']}: about {count(needed, 'item')} instead of {target['n_items']:,}, if "
            f"the estimate stays at {number(target['value'], target['statistic'])}; it would then "
            f"be {side}."
            + (
                " A rough figure, as the interval behind it is rough."
                if "few_clusters" in target["warnings"]
                else ""
            )
        )
    return said
