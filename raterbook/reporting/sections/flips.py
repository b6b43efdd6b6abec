"""Does one rater decide: the targets, the order of systems or α without each rater in turn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..differences import comparison, is_shown, pair_of
from ..measures import asked_of, listed, wanted
from ..rows import rows_of
from ..targets import verdicts
from ..words import DECIDED, listing, number

MOST = 12  # raters; with more, no single one decides, and the question is not asked


def flips(report: Any) -> str | None:
    """One sentence, or None where the question does not arise."""
    raters = report.counted.raters()
    if not 3 <= len(raters) <= MOST:
        return None
    if report.numbers.targets:
        return flipped_targets(report, raters)
    if len(report.system_names) == 2 and report.counted.numeric():
        return flipped_order(report, raters)
    return None


def flipped_targets(report: Any, raters: list[str]) -> str:
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


def aimed(report: Any) -> list[dict[str, Any]]:
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
    report: Any, rater: str, measures: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each target now, and as it would be without this rater, made in the same way."""
    rows = rows_without(report, rater, measures)
    targets = verdicts(report.protocol.targets, rows, report.parameters.questions)
    then = {target["name"]: target for target in targets}
    return [(now, then[now["name"]]) for now in report.numbers.targets if now["name"] in then]


def rows_without(report: Any, rater: str, measures: list[dict[str, Any]]) -> list[dict[str, Any]]:
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


def flipped_order(report: Any, raters: list[str]) -> str | None:
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


def compared(report: Any) -> list[dict[str, Any]]:
    """All measures that compare systems, over the whole round: what is corrected for together."""
    return [
        {**measure, "by": []}
        for measure in wanted(report.protocol, report.frame, report.parameters)
        if measure["statistic"].startswith("difference")
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
