"""Label by label, people against the checker; and what quality control should look at."""

from __future__ import annotations

from typing import Any

from ..section import Section, bullets, heading, safe, short, table
from ..tables.reading import against_machine
from ..tables.values import value_name, value_names
from ..words import cell, count, listing

STATISTICS = ("agreement_jaccard", "agreement_of_auto", "agreement_of_human", "agreement_specific")
HEADS = ("Of either’s", "Of the checker’s", "Of the people’s", "Specific")
LISTED = 20


def labels(report: Any) -> Section | None:
    parts = [per_label(report), control(report)]
    inside = "".join(part for part in parts if part)
    return Section("Label by label", inside, folded=True) if inside else None


def per_label(report: Any) -> str:
    """Four readings of “agreement on a label”; the first is the one usually published."""
    found = {
        (row["statistic"], row["group"]["label"]): row
        for statistic in STATISTICS
        for row in report.by(statistic, "label")
    }
    names = {label: name_of_label(report, row) for (_, label), row in found.items()}
    lines = []
    for label, name in names.items():
        cells = [cell(found.get((statistic, label))) for statistic in STATISTICS]
        if set(cells) != {"–"}:
            lines.append((name, *cells))
    if not lines:
        return ""
    note = (
        "Where people and checker both say a label, as a share of the items to which either, the "
        "checker, or the people gave it; specific agreement is twice the matches over both counts."
    )
    made = table(("Label", *HEADS), lines, "Agreement label by label")
    return heading("People against the checker") + made + f'<p class="soft">{safe(note)}</p>'


def name_of_label(report: Any, row: dict[str, Any]) -> str:
    asked = report.question(row["question"])
    label = row["group"]["label"]
    return value_name(asked, label) if asked else str(label)


def control(report: Any) -> str:
    """What to look at: mismatches without a note, same context with different labels, no label."""
    machine = next(
        (
            (name, q)
            for name, kind, q in report.counted.machines()
            if kind == "automatic" and q.type == "choice"
        ),
        None,
    )
    if machine is None:
        return ""
    name, question = machine
    scale = list(value_names(question).values())
    wrong = against_machine(report.counted, question, name)
    notes = report.texts
    noted = set(notes["unit"]) if len(notes) else set()
    lines = [
        (
            report.unit_name(row.unit),
            scale[int(row.machine)],
            scale[int(row.people)],
            "yes" if row.unit in noted else "no",
            asked(report, report.places[row.unit][0]),
        )
        for row in wrong.head(LISTED).itertuples()
    ]
    points = []
    silent = [
        report.unit_name(row.unit) for row in wrong.itertuples() if row.unit not in noted
    ]
    if silent:
        many = count(len(silent), "mismatch", "mismatches")
        points.append(f"{many} without a note: {listing(silent)}.")
    points += twice(report, question)
    missing = unlabelled(report, question)
    if missing:
        points.append(f"{count(len(missing), 'item')} without any label: {listing(missing)}.")
    if not points and not lines:
        return ""
    made = heading("Quality control") + (bullets(points) if points else "")
    if lines:
        caption = f"Where people and {name} differ"
        if len(wrong) > LISTED:
            caption += f" (the first {LISTED} of {len(wrong):,})"
        made += table(("Item", name, "People", "Note", "Question"), lines, caption, text=5)
    return made


def asked(report: Any, name: str) -> str:
    item = report.items.get(name)
    return short(item.fields.get("question", ""), 90) if item else ""


def twice(report: Any, question: Any) -> list[str]:
    """The same source text and answer, and yet different labels."""
    from ..tables.pairs import settled

    said = settled(report.counted, question).dropna()
    seen: dict[tuple[str, ...], dict[float, str]] = {}
    clashes = []
    for key, label in said.items():
        item = report.items.get(str(key))
        if item is None:
            continue
        text = tuple(
            " ".join(str(v).split()).casefold()
            for n, v in sorted(item.fields.items())
            if report.protocol.item.fields[n].show == "long"
        )
        others = seen.setdefault(text, {})
        if text and others and label not in others:
            clashes.append(f"{key} and {next(iter(others.values()))}")
        others.setdefault(float(label), str(key))
    if not clashes:
        return []
    return [f"Same context, different labels: {listing(clashes)}."]


def unlabelled(report: Any, question: Any) -> list[str]:
    given = set(report.counted.of(question.id)["subject"])
    main = [key for key, item in report.items.items() if item.role == "main"]
    return [key for key in main if key not in given]
