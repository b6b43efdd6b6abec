"""How far the raters can be trusted: a strip of four figures, a forest, and who could flip it."""

from __future__ import annotations

from typing import Any

from ..section import Section, paragraph, safe, table
from ..tables.conduct import completeness
from ..words import count, interval, listing, name_of, number, percent
from .flips import flips

ALPHAS = ("alpha_ordinal", "alpha_nominal", "alpha_interval")
AGREEMENT = (
    "percent_agreement percent_within_one alpha_ordinal alpha_nominal alpha_interval "
    "kappa_weighted_quadratic kappa_cohen kappa_fleiss kappa_raters ac1 ac2 icc_2_1"
).split()


def trust(report: Any) -> Section | None:
    if not len(report.counted.people):
        return None
    if len(report.counted.raters()) < 2:
        only = f"One {report.people} answered, so nothing can be said about agreement: let another "
        return Section("Can the raters be trusted?", paragraph(
            only + "rate at least part of the items."))
    main = coefficients(report)
    exact = {
        row["question"]: row["estimate"]
        for row in report.rows("percent_agreement")
        if row["estimate"] is not None
    }
    parts = [strip(report, main, exact)]
    parts += [paragraph(line) for line in remarks(report, main, exact)]
    drawn = [{**row, "label": report.label(row["question"])} for row in main]
    if drawn:
        from ..figures.forest import finding, forest_figure

        said = "; ".join(
            f"{row['label']} α {number(row['estimate'])}"
            f" ({interval(row['low'], row['high']) or 'no interval'}), exact agreement "
            f"{number(exact.get(row['question']), 'percent_agreement')}"
            for row in drawn
        )
        parts.append(report.picture(
            "agreement", forest_figure(drawn, exact), f"{finding(drawn)}. {said}.",
            "Right: how often two raters gave the very same answer. The thick line speaks of these "
            "raters, the thin one of raters like these.",
        ))
    parts.append(every(report))
    return Section("Can the raters be trusted?", "".join(parts))


def coefficients(report: Any) -> list[dict[str, Any]]:
    """One α for each question: the one that fits its level."""
    found: dict[str, dict[str, Any]] = {}
    for statistic in ALPHAS:
        for row in report.rows(statistic):
            if row["estimate"] is not None and row["question"] not in found:
                found[row["question"]] = row
    return list(found.values())


def strip(report: Any, main: list[dict[str, Any]], exact: dict[str, float]) -> str:
    """Four figures: completeness, exact agreement, the coefficient in both scopes, prevalence."""
    cards = []
    given, put = completeness(report.frame, report.counted)
    if put:
        cards.append(("Answered", f"{percent(given / put)} %", f"{given:,} of {put:,} questions put"))
    if exact:
        cards.append(("Same answer", span(list(exact.values()), "percent_agreement"),
                      "of pairs of raters"))
    if main:
        like = [row for row in main if row["low_like"] is not None]
        more = ""
        if len(main) == 1 and main[0]["low"] is not None:
            more = f"{interval(main[0]['low'], main[0]['high'])} these raters"
            if like:
                more += f"; {interval(like[0]['low_like'], like[0]['high_like'])} raters like these"
        elif len(main) > 1:
            more = f"over {count(len(main), 'question')}; 1 is perfect, 0 is chance"
        cards.append(("Krippendorff’s α", span([row["estimate"] for row in main], ""), more))
    common = commonest(report)
    if common:
        cards.append(("Commonest answer", common[0], common[1]))
    inside = "".join(
        f"<div><dt>{safe(name)}</dt><dd>{safe(value)}<small>{safe(more)}</small></dd></div>"
        for name, value, more in cards
    )
    return f'<dl class="strip">{inside}</dl>'


def span(values: list[float], statistic: str) -> str:
    low, high = min(values), max(values)
    if number(low, statistic) == number(high, statistic):
        return number(low, statistic)
    return interval(low, high, statistic)


def commonest(report: Any) -> tuple[str, str] | None:
    """The answer given most often over the questions of the commonest scale, and its share."""
    from ..tables.spread import scales, shares

    groups = scales(report.counted)
    if not groups:
        return None
    group = max(groups, key=len)
    mean = shares(report.counted, group).mean()
    level = mean.idxmax()
    what = report.label(group[0].id) if len(group) == 1 else f"{len(group)} questions"
    return f"{percent(mean[level])} %", f"“{level}”, {what}"


def remarks(report: Any, main: list[dict[str, Any]], exact: dict[str, float]) -> list[str]:
    """What a reader would otherwise misread, and whether one rater decides."""
    said = []
    puzzling = [row for row in main
                if exact.get(row["question"], 0) >= 0.7 and row["estimate"] < 0.5]
    if puzzling:
        row = min(puzzling, key=lambda row: row["estimate"])
        said.append(
            f"{report.label(row['question'])}: two raters gave the same answer in "
            f"{number(exact[row['question']], 'percent_agreement')} of cases, yet α is only "
            f"{number(row['estimate'])}. Nearly all answers are the same there, so chance alone "
            "would agree almost as often; α says little about so uniform a question."
        )
    rough = [report.label(row["question"]) for row in main
             if "too_few_disagreements" in row["warnings"]]
    if rough:
        said.append(
            f"{listing(rough)}: fewer than 25 items show any disagreement, so "
            f"{'its interval is' if len(rough) == 1 else 'their intervals are'} too narrow or too "
            "wide; read only the estimate."
        )
    if len(report.counted.raters()) == 2:
        said.append("With two raters nothing can be said about raters like these.")
    flipped = flips(report)
    return [*said, flipped] if flipped else said


def every(report: Any) -> str:
    """All coefficients, folded: one line a question and statistic."""
    rows = [row for row in report.numbers.rows
            if row["statistic"] in AGREEMENT and row["group"] is None]
    if not rows:
        return ""
    order = {name: place for place, name in enumerate(AGREEMENT)}
    rows.sort(key=lambda row: (row["question"] or "", order[row["statistic"]]))
    lines = [
        (
            report.label(row["question"]),
            name_of(row["statistic"]),
            number(row["estimate"], row["statistic"]),
            interval(row["low"], row["high"], row["statistic"]) or "–",
            interval(row["low_like"], row["high_like"], row["statistic"]) or "–",
            row["n_items"],
        )
        for row in rows
    ]
    head = ("Question", "Coefficient", "Estimate", "These raters", "Raters like these", "Items")
    inside = table(head, lines, "Every coefficient of agreement", text=2)
    return f"<details><summary>Every coefficient</summary>{inside}</details>"
