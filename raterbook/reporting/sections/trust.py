"""How far the raters can be trusted: a strip of four figures, a forest, and who could flip it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...numbers.compute import rows_of
from ...numbers.counted import listed
from ...numbers.measures import asked_of, wanted
from ...numbers.number import UNTRUSTED, is_shown
from ...numbers.targets import verdicts
from ...protocols.comparisons import facts
from ...protocols.statistics import alphas, of_family
from ..html import NOTHING, Section, fold, join, paragraph, part, table
from ..leanings import FEWEST
from ..words import (
    CAUTIONS,
    DECIDED,
    count,
    interval,
    listing,
    marks,
    name_of,
    number,
    percent,
    reason,
    value_name,
)
from .reading import copied
from .systems import comparison, pair_of

if TYPE_CHECKING:
    from ..report import Report


def trust(report: Report) -> Section | None:
    """How far the raters can be trusted, and whether one of them could flip the result."""
    if not len(report.counted.people):
        return None
    if not any(report.shared.values()):
        one = len(report.counted.raters()) < 2
        # A model may well have answered beside a person: it counts only where no person did.
        two = "no two people" if report.mixed else "no two"
        who = f"One {report.people} answered" if one else f"{report.who}: {two} answered one"
        only = f"{who}{'' if one else ' question on one item'}, so nothing can be said about "
        only += f"agreement{' among people' if report.mixed else ''}: "
        only += f"let another {other(report)}rate at least part of the items."
        return Section("Can the raters be trusted?", paragraph(only))
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
        from ..figures.rows import forest_figure
        from ..figures.rows import forest_finding as finding

        said = "; ".join(
            f"{row['label']} α {number(row['estimate'])}"
            f" ({interval(row['low'], row['high']) or 'no interval'}), exact agreement "
            f"{number(exact.get(row['question']), 'percent_agreement')}"
            for row in drawn
        )
        parts.append(
            report.picture(
                "agreement",
                forest_figure(drawn, exact),
                f"{finding(drawn)}. {said}.",
                "Right: how often two raters gave the very same answer. " + lines_of(drawn),
            )
        )
    parts.append(every(report))
    return Section("Can the raters be trusted?", join(parts))


def lines_of(drawn: list[dict[str, Any]]) -> str:
    """Of whom the lines of the figure speak."""
    if any(row["low_like"] is not None for row in drawn):
        return "The thick line speaks of these raters, the thin one of raters like these."
    return "The lines speak of these raters."


def other(report: Report) -> str:
    """Whom to ask for: where models stand beside people, a person."""
    return "person " if report.mixed else ""


def coefficients(report: Report) -> list[dict[str, Any]]:
    """One α for each question: the one that fits its level, else the first it has."""
    found: dict[str, dict[str, Any]] = {}
    order = alphas()
    for statistic in order:
        for row in report.rows(statistic):
            asked = report.question(row["question"])
            fits = asked is not None and asked.level in facts(statistic).levels
            if row["estimate"] is not None and (fits or row["question"] not in found):
                found[row["question"]] = row
    return sorted(found.values(), key=lambda row: order.index(row["statistic"]))


def comparable(main: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of one level, the first: an ordinal α and an interval α are no common range."""
    return [row for row in main if row["statistic"] == main[0]["statistic"]]


def strip(report: Report, main: list[dict[str, Any]], exact: dict[str, float]) -> Markup:
    """Four figures: completeness, exact agreement, the coefficient in both scopes, prevalence."""
    cards = []
    asked = report.asked
    if asked.share is not None:
        of = f"{asked.given:,} of {asked.required:,} {asked.what}"
        cards.append(("Answered", f"{percent(asked.share)} %", of))
    if exact:
        cards.append(
            (
                "Same answer",
                span(list(exact.values()), "percent_agreement"),
                "of pairs of raters, item by item",
            )
        )
    alone, main = len(main) == 1, comparable(main)
    if main:
        like = [row for row in main if row["low_like"] is not None]
        more = ""
        if len(main) == 1 and main[0]["low"] is not None:
            more = f"{interval(main[0]['low'], main[0]['high'])}{marks(main[0])} these raters"
            if like:
                more += f"; {interval(like[0]['low_like'], like[0]['high_like'])} raters like these"
            if not alone:
                more = f"{report.label(main[0]['question'])}: {more}"
        elif len(main) > 1:
            more = f"over {count(len(main), 'question')}; 1 is perfect, 0 is chance"
        cards.append(("Krippendorff’s α", span([row["estimate"] for row in main], ""), more))
    common = commonest(report)
    if common:
        cards.append(("Commonest answer", common[0], common[1]))
    return part("strip", cards)


def span(values: list[float], statistic: str) -> str:
    low, high = min(values), max(values)
    if number(low, statistic) == number(high, statistic):
        return number(low, statistic)
    return interval(low, high, statistic)


def commonest(report: Report) -> tuple[str, str] | None:
    """The answer given most often over the questions of the commonest scale, and its share."""
    from .criteria import scales, shares

    groups = scales(report.counted)
    if not groups:
        return None
    rated = {row["question"] for row in coefficients(report)}
    group = max(groups, key=lambda group: sum(question.id in rated for question in group))
    mean = shares(report.counted, group).mean()
    level = mean.idxmax()
    what = report.label(group[0].id) if len(group) == 1 else f"{len(group)} questions"
    return f"{percent(mean[level])} %", f"“{value_name(group[0], level)}”, {what}"


def remarks(report: Report, main: list[dict[str, Any]], exact: dict[str, float]) -> list[str]:
    """What a reader would otherwise misread, and whether one rater decides."""
    said = [*copied(report), *undefined(report, main), *without_interval(report, main)]
    if puzzle := puzzling(report, main, exact):
        said.append(puzzle)
    said += careful(report, main, UNTRUSTED)
    wanted = report.protocol.item.cluster
    if wanted and report.cluster is None:
        said.append(
            f"Items of this protocol belong together by {wanted.replace('_', ' ')}, and no "
            f"{wanted.replace('_', ' ')} is known of these items: where several come from one, "
            "the intervals are too narrow. Open the round with --cluster COLUMN."
        )
    said += careful(report, main, "few_clusters")
    said += pairs_left_out(report)
    if max((row["n_raters"] or 0 for row in main), default=0) == 2:
        said.append("With two raters nothing can be said about raters like these.")
    flipped = flips(report)
    return [*said, flipped] if flipped else said


def undefined(report: Report, main: list[dict[str, Any]]) -> list[str]:
    """Why there is no α of a question that two or more answered."""
    known = {row["question"] for row in main}
    said: dict[str, dict[str, None]] = {}
    for statistic in alphas():
        for row in report.rows(statistic):
            if row["question"] not in known and report.shared.get(row["question"]):
                said.setdefault(reason(row["reason"]), {})[report.label(row["question"])] = None
    return [f"{listing(list(names))}: no α, as {why}." for why, names in said.items()]


def without_interval(report: Report, main: list[dict[str, Any]]) -> list[str]:
    """Why an α that there is has no interval."""
    said: dict[str, list[str]] = {}
    for row in main:
        if row["low"] is None and row["reason"]:
            said.setdefault(reason(row["reason"]), []).append(report.label(row["question"]))
    return [f"{listing(names)}: α without an interval, as {why}." for why, names in said.items()]


def careful(report: Report, main: list[dict[str, Any]], code: str) -> list[str]:
    """A caution for the questions whose coefficient has an interval that it is a warning of."""
    warned = [row for row in main if row["low"] is not None and code in row["warnings"]]
    names = [report.label(row["question"]) for row in warned]
    return [CAUTIONS[code].of(names, report.independent)] if names else []


def pairs_left_out(report: Report) -> list[str]:
    """Of how many pairs of raters κ is the mean, where others have none of their own."""
    from ..pairs import defined_pairs

    said: dict[str, list[str]] = {}
    for row in report.numbers.rows:
        question = report.question(row["question"])
        if "undefined_pairs" not in row["warnings"] or row["group"] or question is None:
            continue
        defined, possible, common = defined_pairs(report.counted, question)
        line = (
            f"κ by pairs is the mean of {count(defined, 'pair')} of raters, who have "
            f"{count(common, 'item')} in common by the median; the other {possible - defined:,} of "
            f"{possible:,} possible pairs share no item, or too little for a κ of their own"
        )
        if common < FEWEST:
            line += f". On fewer than {FEWEST} items a κ says next to nothing, nor does their mean"
        if report.label(question.id) not in said.setdefault(line, []):
            said[line].append(report.label(question.id))
    return [f"{listing(names)}: {line}." for line, names in said.items()]


PUZZLING = "high_agreement_low_coefficient"
UNIFORM = 0.5  # of pairs of answers that would be the same by chance


def puzzling(report: Report, main: list[dict[str, Any]], exact: dict[str, float]) -> str | None:
    """High agreement with a low coefficient explains itself."""
    from .criteria import shares

    rows = [row for row in main if PUZZLING in row["warnings"] and row["question"] in exact]
    if not rows:
        return None
    row = max(rows, key=lambda row: exact[row["question"]] - row["estimate"])
    question = next((q for q in report.counted.asked() if q.id == row["question"]), None)
    if question is None or not question.values:
        return None
    spread = shares(report.counted, [question]).iloc[0]
    by_chance = float((spread**2).sum())
    if by_chance < UNIFORM:
        return None  # it is not the commonest answer that makes them agree
    others = [report.label(other["question"]) for other in rows if other is not row]
    return (
        f"{report.label(question.id)}: two {report.people}s gave the same answer in "
        f"{number(exact[question.id], 'percent_agreement')} of cases, yet α is only "
        f"{number(row['estimate'])}. {percent(spread.max())} % of all answers there are "
        f"“{value_name(question, spread.idxmax())}”, so two answers drawn at random would be the "
        f"same in {percent(by_chance)} %: a low α on so uniform a question may come of its items "
        "and not of its raters."
        + (f" Agreement is high and α low on {listing(others)} too." if others else "")
    )


def every(report: Report) -> Markup:
    """Question × coefficient; the intervals of all of them stand in numbers.csv."""
    family = of_family("agreement")
    rows = [
        row for row in report.numbers.rows if row["statistic"] in family and row["group"] is None
    ]
    names = [name for name in family if any(row["statistic"] == name for row in rows)]
    if len(names) < 2:
        return NOTHING
    cells = {(row["question"], row["statistic"]): row for row in rows}
    lines = [
        (
            report.label(question),
            *(
                number(cells[question, name]["estimate"], name) if (question, name) in cells else ""
                for name in names
            ),
        )
        for question in dict.fromkeys(row["question"] for row in rows)
    ]
    head = ("Question", *(name_of(name) for name in names))
    inside = table(head, lines, "Every coefficient; their intervals stand in numbers.csv")
    return fold("Every coefficient", inside)


# Does one rater decide: the targets, the order of systems or α without each rater in turn.


MOST = 12  # raters; with more, no single one decides, and the question is not asked


def flips(report: Report) -> str | None:
    """One sentence, or None where the question does not arise."""
    raters = report.counted.raters()
    if not 3 <= len(raters) <= MOST:
        return None
    if report.numbers.targets:
        return flipped_targets(report, raters)
    if len(report.system_names) == 2 and report.counted.numeric():
        return flipped_order(report, raters)
    return None


def flipped_targets(report: Report, raters: list[str]) -> str:
    changed, moved, measures = [], [], aimed(report)
    for rater in raters:
        for now, then in without(report, rater, measures):
            if now["verdict"] == then["verdict"] and now["met"] != then["met"]:
                moved.append(rater)
            if now["verdict"] != then["verdict"]:
                before, after = (
                    f"{number(t['value'], t['statistic'])} ({DECIDED[t['verdict']]})"
                    for t in (now, then)
                )
                changed.append(f"without {rater}, {now['name']} goes from {before} to {after}")
    if not changed:
        if moved:
            return (
                "No single rater changes a verdict by its interval, but the estimate alone goes to "
                f"the other side of a target without {listing(list(dict.fromkeys(moved)), 'or')}."
            )
        return "No single rater changes a verdict: leave out any one, and every target stays."
    return f"One rater can flip it: {listing(changed, limit=4)}."


def aimed(report: Report) -> list[dict[str, Any]]:
    """The measures that targets speak of, by just the groups these name."""
    targets = report.protocol.targets
    groups = [sorted(target.group or ()) for target in targets]
    return [
        {**measure, "by": [by for by in measure.get("by", ()) if sorted(listed(by)) in groups]}
        for measure in wanted(report.protocol, report.frame, report.parameters)
        if any(
            measure["statistic"] == target.statistic
            and (target.question is None or target.question in asked_of(measure))
            for target in targets
        )
    ]


def without(
    report: Report, rater: str, measures: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each target now, and as it would be without this rater, made in the same way."""
    rows = rows_without(report, rater, measures)
    targets = verdicts(report.protocol.targets, rows, report.parameters.questions)
    then = {target["name"]: target for target in targets}
    return [(now, then[now["name"]]) for now in report.numbers.targets if now["name"] in then]


def rows_without(
    report: Report, rater: str, measures: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of these measures as they would be without this rater."""
    frame = report.frame[report.frame["rater"].astype(object).ne(rater)]
    # Where nobody else counts, models would take the rater's place; they are no part of this.
    people = report.counted.people
    others = set(people.loc[people["rater"].ne(rater), "question"])
    alone = set(people.loc[people["rater"].eq(rater), "question"]) - others
    models = frame["rater_kind"].astype(object).eq("model")
    frame = frame[~(models & frame["question"].astype(object).isin(alone))]
    parameters = report.parameters
    if parameters.raters is not None:
        rest = tuple(name for name in parameters.raters if name != rater)
        parameters = replace(parameters, raters=rest)
    return rows_of(report.protocol, frame, measures, parameters, report.cluster)


def flipped_order(report: Report, raters: list[str]) -> str | None:
    """Who is ahead by the difference of the systems, and by the same difference without each."""
    gap = comparison(report, "overall_mean", None, *report.system_names)
    now = ahead(gap, report.parameters.coverage)
    if gap is None or now is None:
        return None  # where nobody is ahead there is nothing to flip
    measures = compared(report)
    lost: list[str] = []
    turned: list[str] = []
    for rater in raters:
        then = ahead(same(gap, rows_without(report, rater, measures)), report.parameters.coverage)
        if then != now:
            (turned if then else lost).append(rater)
    if not lost and not turned:
        return f"No single rater decides who is ahead: {now} is, whoever is left out."
    ends = []
    if lost:
        ends.append(f"no difference is shown without {listing(lost, 'or')}")
    if turned:
        other = next(name for name in report.system_names if name != now)
        ends.append(f"{other} is ahead without {listing(turned, 'or')}")
    return f"One rater can flip the order: {now} is ahead, but {', and '.join(ends)}."


def compared(report: Report) -> list[dict[str, Any]]:
    """All measures that compare systems, over the whole round: what is corrected for together."""
    return [
        {**measure, "by": []}
        for measure in wanted(report.protocol, report.frame, report.parameters)
        if facts(measure["statistic"]).is_difference
    ]


def same(row: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The row among these that speaks of the same."""
    names = ("statistic", "question", "group", "aggregate")
    return next((each for each in rows if all(each[n] == row[n] for n in names)), None)


def ahead(gap: dict[str, Any] | None, coverage: float) -> str | None:
    """The system that a difference shows to be ahead; None where it shows none."""
    if gap is None or not is_shown(gap, coverage):
        return None
    first, second = pair_of(gap)
    return first if gap["estimate"] > 0 else second
