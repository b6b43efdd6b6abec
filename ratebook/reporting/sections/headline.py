"""Without targets: which system is ahead, and whether the intervals bear it out."""

from __future__ import annotations

from typing import Any

from ..words import capital, count, estimate, interval, listing, name_of, number

# The number a protocol is about, the most telling first.
LEVELS = ((0.8, "firm"), (0.667, "fair"), (0.4, "moderate"), (-1.0, "weak"))
TELLING = ("overall_mean", "overall_computed_mean", "proportion_accurate")


def headline(report: Any) -> list[str]:
    """One or two sentences; the first is the page's verdict."""
    if report.rows("recall"):
        return coverage(report)
    row = telling(report)
    if row is None:
        return ["No number of this protocol can be computed from these answers yet."]
    lines = [ranking(report, row["statistic"], row["question"]) or whole(report, row)]
    agreement = trusted(report)
    return [*lines, agreement] if agreement else lines


def telling(report: Any) -> dict[str, Any] | None:
    rows = [row for row in report.numbers.rows if row["estimate"] is not None and not row["group"]]
    for wanted in TELLING:
        for row in rows:
            if row["statistic"] == wanted:
                return row
    for row in rows:
        if row["statistic"].startswith("proportion_") or row["statistic"] == "mean":
            return row
    return next(iter(rows), None)


def whole(report: Any, row: dict[str, Any]) -> str:
    what = name_of(row["statistic"])
    of = f" of {report.label(row['question'])}" if row["question"] else ""
    return f"{what}{of}: {estimate(row)}."


def ranking(report: Any, statistic: str, question: str | None) -> str | None:
    """Systems by one number: who is ahead, and by how much where two are compared."""
    if report.system is None:
        return None
    rows = [
        row for row in report.by(statistic, report.system, question) if row["estimate"] is not None
    ]
    if len(rows) < 2:
        return None
    rows.sort(key=lambda row: -row["estimate"])
    names = [row["group"][report.system] for row in rows]
    shown = [number(row["estimate"], statistic) for row in rows]
    what = phrase(statistic, report.label(question) if question else None)
    if len(rows) > 2:
        order = listing([f"{name} {value}" for name, value in zip(names, shown, strict=True)])
        return f"{capital(what)}, best first: {order}."
    gap = difference(report, statistic, question, names)
    apart = (gap and (gap[1] > 0 or gap[2] < 0)) or overlap_free(rows)
    better = (
        f"{names[0]} is ahead of {names[1]}"
        if apart
        else (f"{names[0]} and {names[1]} cannot be told apart")
    )
    beyond = f", a lead of {interval(gap[1], gap[2], statistic)}" if gap and apart else ""
    return f"{better}: {what} {shown[0]} against {shown[1]}{beyond}."


def phrase(statistic: str, label: str | None) -> str:
    if statistic == "overall_mean" or statistic == "overall_computed_mean":
        return "mean score"
    if statistic == "mean":
        return f"mean {(label or 'score').lower()}"
    return f"{name_of(statistic).lower()} answers in"


def difference(
    report: Any, statistic: str, question: str | None, names: list[str]
) -> tuple[float, float, float] | None:
    """The paired difference, first minus second, where the protocol has it for this number."""
    if statistic.startswith("overall"):
        from ..tables.paired import overall_gap

        return overall_gap(report.counted, report.system, names[0], names[1], report.cluster)
    for sign, pair in ((1, names), (-1, names[::-1])):
        for row in report.rows("difference", question, systems=f"{pair[0]} − {pair[1]}"):
            if row["low"] is not None:
                ends = sorted((sign * row["low"], sign * row["high"]))
                return sign * row["estimate"], ends[0], ends[1]
    return None


def overlap_free(rows: list[dict[str, Any]]) -> bool:
    first, second = rows[:2]
    return first["low"] is not None and second["high"] is not None and first["low"] > second["high"]


def coverage(report: Any) -> list[str]:
    """RAGQuestEval has two answers: how much is covered, and how rightly."""
    lines = []
    for statistic, more, verb in (
        ("recall", "covers more of the reference", "recall"),
        ("precision", "is more exact on what it covers", "precision"),
    ):
        rows = [
            row
            for row in report.by(statistic, report.system or "", None)
            if row["estimate"] is not None
        ]
        rows.sort(key=lambda row: -row["estimate"])
        if len(rows) < 2:
            row = next(iter(report.rows(statistic)), None)
            if row is not None:
                lines.append(f"{name_of(statistic)}: {estimate(row)}.")
            continue
        names = [row["group"][report.system] for row in rows]
        both = " against ".join(estimate(row) for row in rows[:2])
        sure = overlap_free(rows)
        said = f"{names[0]} {more}: {verb} {both}"
        lines.append(said + ("." if sure else "; their intervals overlap."))
    return lines


def trusted(report: Any) -> str | None:
    """One sentence on agreement, so that nobody reads the ranking without it."""
    rows = [
        row
        for row in report.numbers.rows
        if row["statistic"].startswith("alpha_")
        and row["estimate"] is not None
        and not row["group"]
    ]
    if not rows:
        return None
    kind = next(
        (
            k
            for k in ("alpha_ordinal", "alpha_nominal")
            if any(row["statistic"] == k for row in rows)
        ),
        rows[0]["statistic"],
    )
    values = sorted(row["estimate"] for row in rows if row["statistic"] == kind)
    span = number(values[0]) if len(values) == 1 else f"{number(values[0])} to {number(values[-1])}"
    over = "" if len(values) == 1 else f" over {count(len(values), 'question')}"
    low = values[0]
    level = next(word for bound, word in LEVELS if low >= bound)
    return f"Agreement among raters is {level} (α {span}{over})."
