"""Without targets: which system is ahead, where their paired difference bears it out."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ..differences import comparison, is_shown, of_many, opening, outcome, turned
from ..words import capital, count, estimate, judged, listing, name_of, number, reason
from .trust import coefficients, comparable

# The number a protocol is about, the most telling first.
LEVELS = (
    (0.8, "firm"),
    (0.667, "enough for tentative conclusions"),
    (0.4, "moderate"),
    (-1.0, "weak"),
)
TELLING = ("overall_mean", "overall_computed_mean", "proportion_accurate")
COVERAGE = (
    ("recall", "covers more of the reference"),
    ("precision", "is more exact on what it covers"),
)
MOST_PAIRS = 4
LEFT_OUT = "proportion_excluded"  # the share that is in no other one


def headline(report: Any) -> list[str]:
    """One or two sentences; the first is the page's verdict."""
    if report.rows("recall"):
        said = [
            ranking(report, name, None, ahead)
            or next((whole(report, row) for row in report.rows(name)), None)
            for name, ahead in COVERAGE
        ]
        return [line for line in said if line]
    row = telling(report)
    if row is None:
        return ["No number of this protocol can be computed from these answers yet."]
    lines = [ranking(report, row["statistic"], row["question"]) or whole(report, row)]
    agreement = trusted(report)
    return [*lines, agreement] if agreement else lines


def telling(report: Any) -> dict[str, Any] | None:
    rows = [
        row
        for row in report.numbers.rows
        if row["estimate"] is not None and not row["group"] and row["statistic"] != "completeness"
    ]
    for wanted in TELLING:
        for row in rows:
            if row["statistic"] == wanted:
                return row
    for row in rows:
        if row["statistic"].startswith("proportion_") or row["statistic"] == "mean":
            return row
    return next(iter(rows), None)


def whole(report: Any, row: dict[str, Any]) -> str:
    if row["statistic"] == LEFT_OUT:
        whose = report.whose(row["question"])
        return f"{estimate(row)} of the ratings{whose} could not be assessed or made no claim."
    if row["estimate"] is None and row["statistic"] in ("recall", "precision"):
        return unanswered(report, row)
    what = name_of(row["statistic"])
    if row["statistic"].startswith("proportion_"):
        what += f" answers{report.whose(row['question'])}"
    elif row["question"] and row["statistic"] not in ("recall", "precision"):
        what += f" of {report.label(row['question'])}"
    return f"{what}: {estimate(row)}."


def unanswered(report: Any, row: dict[str, Any]) -> str:
    """Why there is no recall, by what the round has: questions, and answers to them."""
    stored = sum(len(parts) for parts in report.case_parts.values())
    what = name_of(row["statistic"])
    if not stored:
        return f"{what}: none: {reason(row['reason'])}."
    rows = report.counted.given
    missing = [
        words
        for question, words in (
            ("reference_answer", "from the references"),
            ("generated_answer", "from the texts"),
        )
        if not rows["question"].eq(question).any()
    ]
    if missing:
        questions = f"{count(stored, 'question')} {'is' if stored == 1 else 'are'} stored"
        return f"{what}: none yet: {questions}, and nobody has answered {listing(missing, 'or')}."
    return f"{what}: none: {reason(row['reason'])}."


def ranking(
    report: Any, statistic: str, question: str | None, ahead: str | None = None
) -> str | None:
    """Systems by one number: who is ahead, and whether the paired difference shows it."""
    if report.system is None or statistic == LEFT_OUT:
        return None  # what nobody could assess puts no system ahead
    rows = [
        row for row in report.by(statistic, report.system, question) if row["estimate"] is not None
    ]
    if len(rows) < 2:
        return None
    rows.sort(key=lambda row: -row["estimate"])
    names = [str(row["group"][report.system]) for row in rows]
    what = phrase(statistic, report.label(question) if question else None, report.whose(question))
    if len(rows) > 2:
        return several(report, statistic, question, rows, names, what)
    gap = comparison(report, statistic, question, names[0], names[1])
    if gap is not None and (gap["estimate"] or 0) < 0:
        # On the cases both answered it is the other way round than over all.
        gap, names, rows = turned(gap), names[::-1], rows[::-1]
    shown = [number(row["estimate"], statistic) for row in rows]
    first = opening(report, gap, f"{names[0]} {ahead or f'is ahead of {names[1]}'}", names)
    return f"{first}: {what} {shown[0]} against {shown[1]}, {outcome(report, gap)}."


def several(
    report: Any,
    statistic: str,
    question: str | None,
    rows: list[dict[str, Any]],
    names: list[str],
    what: str,
) -> str:
    """More than two: their order, and which of the pairs are told apart."""
    order = listing(
        [
            f"{name} {number(row['estimate'], statistic)}"
            for name, row in zip(names, rows, strict=True)
        ]
    )
    gaps = [
        (a, b, comparison(report, statistic, question, a, b)) for a, b in combinations(names, 2)
    ]
    apart = [
        f"{a} before {b}" if gap["estimate"] > 0 else f"{b} before {a}"
        for a, b, gap in gaps
        if gap is not None and is_shown(gap, report.parameters.coverage)
    ]
    if not any(gap is not None and gap["low"] is not None for _, _, gap in gaps):
        end = "the pairs could not be compared case by case, so the order may be chance"
    elif not apart:
        end = f"no difference is shown{of_many(report, ' among')}"
    else:
        end = f"shown{of_many(report, ', corrected for')}: {listing(apart, limit=MOST_PAIRS)}"
    return f"{capital(what)}, highest first: {order}; {end}."


def phrase(statistic: str, label: str | None, whose: str = "") -> str:
    if statistic in ("overall_mean", "overall_computed_mean"):
        return "mean score"
    if statistic == "mean":
        return f"mean {(label or 'score').lower()}"
    if statistic in ("recall", "precision"):
        return statistic
    return f"{name_of(statistic).lower()} answers{whose} in"


def level(value: float) -> str:
    """An α in words."""
    return next(word for bound, word in LEVELS if value >= bound)


def trusted(report: Any) -> str | None:
    """One sentence on agreement, so that nobody reads the ranking without it."""
    values = sorted(row["estimate"] for row in comparable(coefficients(report)))
    if not values:
        return None
    ends = [judged(value, level) for value in dict.fromkeys((values[0], values[-1]))]
    span = " to ".join(ends)
    over = "" if len(values) == 1 else f" over {count(len(values), 'question')}"
    lowest, highest = level(values[0]), level(values[-1])
    where = "" if lowest == highest else " at its lowest"
    return f"Agreement among {report.people}s is {lowest}{where} (α {span}{over})."
