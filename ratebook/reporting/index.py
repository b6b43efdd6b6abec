"""reports/index.html: every round that has a page, with its targets."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from .page import fill
from .words import number


def write_index(reports: Path) -> Path:
    """List the rounds in the order of their names; a page that failed is not listed."""
    rows = []
    for file in sorted(reports.glob("*/numbers.json")):
        if not (file.parent / "index.html").exists():
            continue
        numbers = json.loads(file.read_text(encoding="utf-8"))
        said = "; ".join(
            f"{target['name']} {number(target['value'], target['statistic'])} ({target['verdict']})"
            for target in numbers["targets"]
        )
        name = escape(file.parent.name)
        rows.append(
            f'<tr><th scope="row"><a href="{name}/index.html">{name}</a></th>'
            f"<td>{escape(numbers['protocol'])}</td><td>{escape(said)}</td></tr>"
        )
    body = (
        "<h1>Evaluation rounds</h1><div class=scroll><table><thead><tr><th>Round</th>"
        f"<th>Protocol</th><th>Targets</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    file = reports / "index.html"
    file.write_text(fill("Evaluation rounds", body, home=False), encoding="utf-8")
    return file
