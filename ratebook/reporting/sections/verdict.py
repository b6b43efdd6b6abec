"""The page's first sentence: what the round says, with its interval."""

from __future__ import annotations

from typing import Any

from ..cautions import is_untrusted
from ..section import Section, paragraph, safe
from ..words import DECIDED, count, interval, listing, number, percent, reason
from .headline import headline
from .machines import commonest_error


def verdict(report: Any) -> Section:
    targets = report.numbers.targets
    lines = [
        f'<p class="kicker">{safe(report.protocol.title)}</p><h1>{safe(report.stored.name)}</h1>'
    ]
    if not len(report.counted.people):
        nothing = "Nobody has answered yet, so there is nothing to report."
        lines.append(paragraph(nothing, "verdict"))
        lines += [paragraph(line, "soft") for line in aside(report)]
        return Section("Verdict", "".join(lines), heading=False)
    for place, target in enumerate(targets):
        kind = "verdict" if place == 0 else "also"
        lines.append(
            f'<p class="{kind}"><span class="mark {target["verdict"]}" aria-hidden="true"></span>'
            f"{safe(sentence(target))}</p>"
        )
        if place == 0 and (error := commonest_error(report)):
            lines.append(paragraph(error, "also"))
    if not targets:
        first, *others = headline(report)
        lines.append(paragraph(first, "verdict"))
        lines += [paragraph(line, "also") for line in others]
    lines.append(paragraph(counts(report), "soft"))
    lines += [paragraph(line, "soft") for line in aside(report)]
    return Section("Verdict", "".join(lines), heading=False)


def sentence(target: dict[str, Any]) -> str:
    """“Labels match: 86 of 100 (78–92 %), target at least 85 %: not decided.”"""
    statistic = target["statistic"]
    bound = number(target["target"], statistic)
    direction = "at least" if target["direction"] == "at_least" else "at most"
    if target["value"] is None:
        said = reason(target["reason"])
        return f"{target['name']}: undefined, because {said}; target {direction} {bound}."
    shown = number(target["value"], statistic)
    if statistic == "percent_match":
        of = target.get("n_items") or 0
        shown = f"{round(target['value'] * of):,} of {of:,}"
    between = interval(target["low"], target["high"], statistic)
    shown += f" ({between})" if between else ""
    said = DECIDED[target["verdict"]]
    if target["verdict"] == "undecided":
        side = "though the estimate meets it" if target["met"] else "the estimate is short of it"
        said += f", {side}"
    if between:
        said += caveat(target)
    return f"{target['name']}: {shown}, target {direction} {bound}: {said}."


def caveat(target: dict[str, Any]) -> str:
    """What keeps a reader from leaning on the interval, as the end of the sentence."""
    if is_untrusted(target):
        return "; raters differ on too few items for the interval to be trusted"
    if "few_clusters" in target["warnings"]:
        return "; roughly, as fewer than ten independent units are behind the interval"
    return ""


def counts(report: Any) -> str:
    """How much there is behind the page, in one line."""
    people = report.counted.people
    who = {"human": ("person", "people"), "model": ("model", "models")}.get(
        report.counted.kind, ("rater", "raters")
    )
    items = people["item"].dropna().nunique() or people["case"].nunique()
    parts = [
        count(items, "item"),
        count(people["rater"].nunique(), *who),
    ]
    asked = report.asked
    if asked.required:
        parts.append(
            f"{percent(asked.share)} % of the {asked.what} ({asked.given:,} of {asked.required:,})"
        )
    else:
        parts.append(count(len(people), "answer"))
    return " · ".join(parts)


def aside(report: Any) -> list[str]:
    """Whose answers are not among them, and what was asked for other than usual."""
    said = [
        f"Left out: {name}, excluded ({why}), {count(answers, 'answer')}."
        for name, why, answers in report.asked.away
    ]
    other = report.parameters.other()
    if other:
        named = [f"{name} {shown(value)}" for name, value in other.items()]
        said.insert(0, f"Made with other than the usual parameters: {'; '.join(named)}.")
    return said


def shown(value: Any) -> str:
    return listing(value) if isinstance(value, list | tuple) else str(value)
