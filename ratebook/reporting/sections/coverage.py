"""RAGQuestEval: recall and precision in every reading, the trace, and unusable references."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..section import Section, heading, paragraph, short, table
from ..words import count, interval, name_of, number

STATISTICS = ("recall", "recall_over_all", "precision", "precision_over_kept", "precision_over_all")
NOTES = {
    "recall": "answerable from the text, of those answerable from the reference",
    "recall_over_all": "of every question asked",
    "precision": "token F1 where both answer",
    "precision_over_kept": "over those answerable from the reference",
    "precision_over_all": "over every question asked",
}
LISTED = 25


def coverage(report: Any) -> Section | None:
    if not report.rows("recall"):
        return None
    parts = [readings(report)]
    traced = trace(report)
    if len(traced):
        parts += [unusable(report, traced), lost(report, traced), trace_table(traced)]
    return Section("Recall and precision", "".join(part for part in parts if part), folded=True)


def readings(report: Any) -> str:
    """The means over samples, one column a system; the pooled and compatible readings folded."""
    column = report.system
    names = report.system_names if column else ["all"]
    found = {
        aggregate: [
            (statistic, line(report, statistic, aggregate, names)) for statistic in STATISTICS
        ]
        for aggregate in ("macro", "micro", "compatible")
    }
    main = [(name_of(s), *cells, NOTES[s]) for s, cells in found["macro"] if set(cells) != {"–"}]
    others = [
        (name_of(s), aggregate, *cells)
        for aggregate in ("micro", "compatible")
        for s, cells in found[aggregate]
        if set(cells) != {"–"}
    ]
    note = (
        "Micro pools the questions of all samples; compatible counts samples without any answer "
        "as 0, as the published script does."
    )
    made = table(("Number", *names, "Share of the questions"), main, "Means over samples")
    if others:
        head = ("Number", "Reading", *names)
        inside = table(head, others, "Pooled and compatible", text=2) + paragraph(note, "soft")
        made += f"<details><summary>Pooled and compatible readings</summary>{inside}</details>"
    return made


def line(report: Any, statistic: str, aggregate: str, names: list[str]) -> list[str]:
    rows = [
        row
        for row in report.numbers.rows
        if row["statistic"] == statistic and row["aggregate"] == aggregate
    ]
    return [cell(rows, report.system, name) for name in names]


def cell(rows: list[dict[str, Any]], column: str | None, name: str) -> str:
    wanted = {column: name} if column else {}
    row = next(
        (r for r in rows if {k: str(v) for k, v in (r["group"] or {}).items()} == wanted), None
    )
    if row is None or row["estimate"] is None:
        return "–"
    between = interval(row["low"], row["high"], row["statistic"])
    return number(row["estimate"], row["statistic"]) + (f" ({between})" if between else "")


def trace(report: Any) -> pd.DataFrame:
    """case, part, item, question, reference, generated, f1, keep: one row a question and text."""
    from analysis import is_unanswerable, token_f1

    given = report.counted.given
    order = {"adjudicator": 0, "human": 1, "model": 2}
    rows = given.assign(rank=given["rater_kind"].map(order).fillna(3))
    rows = rows.sort_values(["rank", "rater", "unit"], kind="stable")
    first = rows.drop_duplicates(["question", "unit"])
    reference = {
        (r.case, int(r.part)): str(r.value)
        for r in first[first["question"].eq("reference_answer")].itertuples()
    }
    keep = kept(report)
    parts = {
        (case.key, part.number): part.text for case in report.stored.cases() for part in case.parts
    }
    found = []
    for row in first[first["question"].eq("generated_answer")].itertuples():
        key = (row.case, int(row.part))
        if key not in reference:
            continue
        a, b = reference[key], str(row.value)
        none = is_unanswerable(a) or is_unanswerable(b)
        found.append(
            (
                row.case,
                key[1],
                row.item,
                parts.get(key, ""),
                a,
                b,
                0.0 if none else token_f1(a, b),
                keep.get(key, ""),
                is_unanswerable(a),
                is_unanswerable(b),
            )
        )
    columns = [
        "case",
        "part",
        "item",
        "question",
        "reference",
        "generated",
        "f1",
        "keep",
        "no_reference",
        "no_text",
    ]
    return pd.DataFrame(found, columns=columns).sort_values(
        ["case", "part", "item"], ignore_index=True
    )


def kept(report: Any) -> dict[tuple[str, int], str]:
    """What the raters together say of a question: keep, drop, or nothing where they differ."""
    from ..tables.pairs import consensus

    question = next((q for q in report.counted.asked() if q.id == "keep"), None)
    if question is None:
        return {}
    said = consensus(report.counted.table(question)).dropna()
    found = {}
    for unit, code in said.items():
        case, _, part = str(unit).partition(" · ")
        found[case, int(part or 0)] = str(question.values[int(code)])
    return found


def unusable(report: Any, traced: pd.DataFrame) -> str:
    """Questions the reference cannot answer; a text that answers them had it from elsewhere."""
    bad = traced[traced["no_reference"] | traced["keep"].eq("drop")]
    if not len(bad):
        return ""
    answered = bad[~bad["no_text"]]
    cases = bad[["case", "part"]].drop_duplicates()
    said = (
        f"{count(len(cases), 'question')} cannot be used: dropped, or not answerable from the "
        "reference."
    )
    if len(answered):
        said += (
            f" {count(len(answered), 'time')} a text answers such a question all the same, "
            "from somewhere else than its reference:"
        )
    lines = [
        (r.item, r.part, short(r.question, 110), short(r.generated, 60))
        for r in answered.head(LISTED).itertuples()
    ]
    made = heading("Questions without a usable reference") + paragraph(said)
    if lines:
        made += table(("Text", "No.", "Question", "Answered"), lines, "Answered from elsewhere", 4)
    return made


def lost(report: Any, traced: pd.DataFrame) -> str:
    """Where the texts answer otherwise than the reference: the lowest F1 first."""
    both = traced[~traced["no_reference"] & ~traced["no_text"] & ~traced["keep"].eq("drop")]
    worst = both[both["f1"] < 0.5].sort_values(["f1", "case", "part", "item"], kind="stable")
    if not len(worst):
        return ""
    lines = [
        (
            r.item,
            r.part,
            short(r.question, 90),
            short(r.reference, 50),
            short(r.generated, 50),
            number(r.f1),
        )
        for r in worst.head(LISTED).itertuples()
    ]
    caption = f"Answers that share less than half of their words ({len(worst):,} in all)"
    head = ("Text", "No.", "Question", "Reference", "Generated", "F1")
    return heading("Answers unlike the reference") + table(head, lines, caption, text=5)


def trace_table(traced: pd.DataFrame) -> str:
    """Every question of the first cases, so that a reader can follow one from start to end."""
    cases = list(dict.fromkeys(traced["case"]))[:3]
    rows = traced[traced["case"].isin(cases)]
    lines = [
        (
            r.item,
            r.part,
            short(r.question, 90),
            short(r.reference, 50),
            short(r.generated, 50),
            "–" if r.no_text or r.no_reference else number(r.f1),
            r.keep,
        )
        for r in rows.itertuples()
    ]
    head = ("Text", "No.", "Question", "Reference", "Generated", "F1", "Keep")
    inside = table(head, lines, f"Trace of the first {count(len(cases), 'sample')}", text=5)
    return f"<details><summary>Trace, question by question</summary>{inside}</details>"
