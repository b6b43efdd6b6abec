"""How this was made: parameters, seed, hashes, versions, and the independent checks."""

from __future__ import annotations

from typing import Any

from ..methods import methods
from ..provenance import versions
from ..section import Section, heading, paragraph, safe, table
from ..words import count


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
    if numbers.checks:
        inside += heading("Independent checks") + checks(numbers.checks)
    return Section("How this was made", inside, folded=True)


def checks(found: list[dict[str, Any]]) -> str:
    """Each coefficient, its value by another package, and the reason where it has none."""
    agree = [entry for entry in found if entry["agrees"]]
    differ = [entry for entry in found if entry["agrees"] is False]
    silent = [entry for entry in found if entry["agrees"] is None]
    were = "was" if len(found) == 1 else "were"
    said = (
        f"{len(agree)} of {count(len(found), 'coefficient')} {were} computed again by an "
        "independent package and agree"
    )
    said += f"; {len(differ)} differ" if differ else ""
    said += f"; {len(silent)} could not be, for the reasons given." if silent else "."
    lines = [
        (
            entry["number"],
            entry["package"] or "none",
            {True: "agrees", False: "differs", None: "not computed"}[entry["agrees"]],
            entry["reason"] or "",
            "–" if entry["value"] is None else f"{entry['value']:.6f}",
        )
        for entry in found
    ]
    head = ("Number", "Package", "Result", "Reason", "Its value")
    return paragraph(said) + table(head, lines, "Every coefficient by another package", text=4)


def shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
