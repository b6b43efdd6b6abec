"""How this was made: parameters, seed, hashes, versions, and the independent checks."""

from __future__ import annotations

from typing import Any

from ..methods import is_undefined, methods
from ..names import address, statistic_of
from ..provenance import versions
from ..section import Section, bullets, heading, paragraph, safe, table
from ..words import capital, count, reason, was


def made(report: Any) -> Section:
    numbers = report.numbers
    facts = {
        **{
            name: shown(value)
            for name, value in numbers.parameters.items()
            if value not in (None, [])
        },
        "protocol": f"{numbers.protocol}, {numbers.data['protocol'][:16]}",
        "answers": numbers.data["answers"][:16],
        **versions(),
    }
    listed = "".join(f"<dt>{safe(k)}</dt><dd>{safe(v)}</dd>" for k, v in facts.items())
    inside = paragraph(methods(report)) + f'<dl class="facts">{listed}</dl>'
    inside += wanting(numbers)
    if numbers.checks:
        inside += heading("Independent checks") + checks(numbers.checks)
    return Section("How this was made", inside, folded=True)


def wanting(numbers: Any) -> str:
    """What was asked of the whole round and has no value, once for each reason."""
    checked = {entry["number"] for entry in numbers.checks}  # those stand below, with the reason
    entries = [
        {"number": address(row), "reason": row["reason"]}
        for row in numbers.rows
        if row["estimate"] is None and not row["group"] and address(row) not in checked
    ]
    return heading("Asked for, and without a value") + reasons(entries) if entries else ""


def checks(found: list[dict[str, Any]]) -> str:
    """Each coefficient with its value by another package, then those without one by reason."""
    agree = [entry for entry in found if entry["agrees"]]
    differ = [entry for entry in found if entry["agrees"] is False]
    silent = [entry for entry in found if entry["agrees"] is None]
    empty = [entry for entry in silent if is_undefined(entry)]
    many, left = len(found) - len(empty), len(silent) - len(empty)
    said = "No coefficient has a value, for the reasons given."
    if many:
        said = f"{len(agree)} of {count(many, 'coefficient')} {was(many)} computed again by "
        said += "an independent package and agree"
        said += f"; {len(differ)} differ" if differ else ""
        said += f"; {left} could not be, for the reasons given." if left else "."
        if empty:
            has = "has" if len(empty) == 1 else "have"
            said += f" {count(len(empty), 'other')} {has} no value."
    made = paragraph(said)
    if silent:
        made += reasons(silent)
    lines = [
        (
            entry["number"],
            entry["package"] or "none",
            " ".join(["agrees", entry["reason"] or ""]).strip()
            if entry["agrees"]
            else f"differs: {entry['reason'] or 'another value'}",
            "–" if entry["value"] is None else f"{entry['value']:.6f}",
        )
        for entry in [*differ, *agree]
    ]
    if lines:
        head = ("Number", "Package", "Result", "Its value")
        made += table(head, lines, "Coefficients by another package", text=3)
    return made


def reasons(silent: list[dict[str, Any]]) -> str:
    """Each reason once, with the coefficients it holds for: “icc_2_1: correctness, clarity”."""
    grouped: dict[str, dict[str, list[str]]] = {}
    for entry in silent:
        statistic, rest = statistic_of(entry["number"])
        of = grouped.setdefault(entry["reason"] or "no reason given", {})
        of.setdefault(statistic, []).append(rest)
    lines = []
    for why, statistics in grouped.items():
        each = "; ".join(
            f"{statistic}: {', '.join(rest)}" if any(rest) else statistic
            for statistic, rest in statistics.items()
        )
        said = reason(why) if why.isidentifier() else why  # a code, or a sentence
        lines.append(f"{capital(said)} – {each}")
    return bullets(lines)


def shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
