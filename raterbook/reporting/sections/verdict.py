"""The page's first sentence: what the round says, with its interval."""

from __future__ import annotations

from typing import Any

from ..cautions import is_untrusted
from ..section import Section, paragraph, safe
from ..targets import estimated, is_measured
from ..words import DECIDED, count, interval, listing, number, percent, reason
from .copied import copied
from .headline import headline
from .machines import commonest_error


def verdict(report: Any) -> Section:
    targets = [target for target in report.numbers.targets if is_measured(target)]
    lines = [
        f'<p class="kicker">{safe(report.protocol.title)}</p><h1>{safe(report.stored.name)}</h1>'
    ]
    if not len(report.counted.people):
        nothing = "Nobody has answered yet, so there is nothing to report."
        lines.append(paragraph(nothing, "verdict"))
        lines += [paragraph(line, "soft") for line in aside(report)]
        return Section("Verdict", "".join(lines), heading=False)
    lines += [paragraph(f"Look at this first. {line}", "also") for line in copied(report)]
    for place, target in enumerate(targets):
        kind = "verdict" if place == 0 else "also"
        lines.append(
            f'<p class="{kind}"><span class="mark {target["verdict"]}" aria-hidden="true"></span>'
            f"{safe(sentence(target, report.whose(target['question'])))}</p>"
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


def sentence(target: dict[str, Any], whose: str = "") -> str:
    """“Labels match: 86 of 100 (78–92 %), target at least 85 %: not decided.”

    `whose` stands behind the name where the answers are not people's alone.
    """
    name = target["name"] + whose
    statistic = target["statistic"]
    bound = number(target["target"], statistic)
    direction = "at least" if target["direction"] == "at_least" else "at most"
    if target["value"] is None:
        said = reason(target["reason"])
        return f"{name}: undefined, because {said}; target {direction} {bound}."
    shown = estimated(target)
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
    return f"{name}: {shown}, target {direction} {bound}: {said}."


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
    nobody = "" if "human" in report.kinds.values() else ", no person"
    items = people["item"].dropna().nunique() or people["case"].nunique()
    parts = [
        count(items, "item"),
        f"{report.who}{nobody}",
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
    said = [*by_models(report), *unmeasured(report)]
    said += [
        f"Left out: {name}, excluded ({why}), {count(answers, 'answer')}."
        for name, why, answers in report.asked.away
    ]
    other = report.parameters.other()
    if other:
        named = [f"{name} {shown(value)}" for name, value in other.items()]
        said.insert(0, f"Made with other than the usual parameters: {'; '.join(named)}.")
    return said


def by_models(report: Any) -> list[str]:
    """Where people count, the questions that models answered in their stead, or beside them."""
    alone = [report.question(name) for name, kinds in report.mixed.items() if kinds == {"model"}]
    alone = [question.label for question in alone if question is not None]
    both = [report.question(name) for name, kinds in report.mixed.items() if len(kinds) > 1]
    both = [question.label for question in both if question is not None]
    said = []
    if alone:
        models = sorted(name for name, kind in report.kinds.items() if kind == "model")
        verb = "stands" if len(models) == 1 else "stand"
        line = f"No person answered {listing(alone)}: there {listing(models)} {verb} alone, marked "
        line += f"as {'a model' if len(models) == 1 else 'models'}."
        over = {
            row["raters"] == "model"
            for row in report.numbers.rows
            if row["question"] is None
            and row["estimate"] is not None
            and row["statistic"] != "completeness"
        }
        if over == {False}:
            them = "it" if len(alone) == 1 else "them"
            line += f" Numbers over all questions leave {them} out."
        said.append(line)
    if both:
        said.append(f"Answers of people and of models count alike on {listing(both)}.")
    return said


def unmeasured(report: Any) -> list[str]:
    """One quiet line on targets that nobody's answers speak of."""
    if not len(report.counted.people):
        return []
    found: dict[str, list[str]] = {}
    for target in report.numbers.targets:
        if not is_measured(target):
            found.setdefault(reason(target["reason"]), []).append(target["name"])
    return [f"Not measured, as {why}: {listing(names)}." for why, names in found.items()]


def shown(value: Any) -> str:
    return listing(value) if isinstance(value, list | tuple) else str(value)
