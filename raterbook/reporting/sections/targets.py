"""Estimate against target in one figure and one table, and what would settle the undecided."""

from __future__ import annotations

from typing import Any

from ..cautions import is_untrusted, marks
from ..section import Section, bullets, heading, table
from ..tables.settle import items_needed
from ..targets import estimated, is_measured
from ..words import DECIDED, count, interval, number, reason
from .verdict import sentence


def targets(report: Any) -> Section | None:
    found = [target for target in report.numbers.targets if is_measured(target)]
    if not found or not len(report.counted.people):
        return None
    drawn = [target for target in found if target["value"] is not None]
    picture = ""
    if drawn:
        from ..figures.targets import finding, targets_figure

        alt = f"{finding(drawn)}. " + " ".join(
            sentence(target, report.whose(target["question"])) for target in drawn
        )
        caption = (
            "A target is decided once the whole interval lies on one side of it. "
            f"Intervals cover {report.parameters.coverage:.0%} and speak of these raters."
        ).replace("%", " %")
        picture = report.picture("targets", targets_figure(named(report, drawn)), alt, caption)
    rows = [
        (
            target["name"] + report.whose(target["question"]),
            estimated(target),
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


def waiting(target: dict[str, Any]) -> str:
    """What a target waits for that has no value, or no interval."""
    why = target["reason"]
    if why is None:
        return "no interval was made of it, so nothing decides it."
    if target["value"] is None:
        return f"it has no value, as {reason(why)}."
    more = "more answers; " if why in ("too_few_units", "too_few_units_for_interval") else ""
    return f"{more}there is no interval to decide by, as {reason(why)}."


def named(report: Any, targets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The targets under the names the page has for them."""
    return [
        {**target, "name": target["name"] + report.whose(target["question"])} for target in targets
    ]


def settle(report: Any) -> list[str]:
    """For each undecided target, how many items like these would decide it."""
    said = []
    for target in report.numbers.targets:
        if target["verdict"] != "undecided" or not is_measured(target):
            continue
        if target["value"] is None or target["low"] is None:
            said.append(f"{target['name']}: {waiting(target)}")
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
                f"({estimated(target)}) lies too near its target; look "
                "at what is measured, or at the target itself."
            )
            continue
        side = "met" if target["met"] else "missed"
        said.append(
            f"{target['name']}: about {count(needed, 'item')} instead of {target['n_items']:,}, if "
            f"the estimate stays at {estimated(target)}; it would then "
            f"be {side}."
            + (
                " A rough figure, as the interval behind it is rough."
                if "few_clusters" in target["warnings"]
                else ""
            )
        )
    return said
