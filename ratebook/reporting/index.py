"""reports/index.html: every round that has a page, and how numbers move over rounds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .page import fill
from .place import alone, write_whole
from .section import bullets, figure, heading, paragraph, safe
from .trends import AGREEMENT, LEVELS, MOST_PANELS, apart, changes, panels
from .words import DECIDED, count, estimate, name_of, number


def write_index(reports: Path, order: Sequence[str] = ()) -> Path:
    """Write the index; rounds stand in the order given, others after them by name."""
    with alone(reports):
        documents = read(reports, order)
        by_protocol: dict[str, list[dict[str, Any]]] = {}
        for document in documents:
            by_protocol.setdefault(document["protocol"], []).append(document)
        parts = [
            "<h1>Evaluation rounds</h1>",
            paragraph(
                f"{count(len(documents), 'round')} of {count(len(by_protocol), 'protocol')}."
            ),
        ]
        for protocol, rounds in by_protocol.items():
            parts.append(f"<section><h2>{safe(protocol)}</h2>{rows(reports, rounds)}")
            if len(rounds) > 1:
                parts.append(over_rounds(protocol, rounds, reports))
            parts.append("</section>")
        file = reports / "index.html"
        write_whole(file, fill("Evaluation rounds", "".join(parts), home=False))
    return file


def read(reports: Path, order: Sequence[str]) -> list[dict[str, Any]]:
    """numbers.json of every round with a page, in order."""
    place = {name: at for at, name in enumerate(order)}
    found = []
    for file in reports.glob("*/numbers.json"):
        if (file.parent / "index.html").exists():
            document = json.loads(file.read_text(encoding="utf-8"))
            document["folder"] = file.parent.name
            found.append(document)
    return sorted(found, key=lambda d: (place.get(d["round"], len(place)), d["round"]))


def rows(reports: Path, rounds: list[dict[str, Any]]) -> str:
    """One line a round: link, what it decides, how much is behind it."""
    lines = []
    for document in rounds:
        folder = document["folder"]
        failed = (reports / folder / "report.failed.ipynb").exists()
        note = " · the latest run failed" if failed else ""
        lines.append(
            f'<tr><th scope="row"><a href="{safe(quote(folder))}/index.html">'
            f"{safe(document['round'])}</a></th><td class=long>{safe(said(document) + note)}</td>"
            f"<td class=figure>{size(document):,}</td></tr>"
        )
    name = rounds[0]["protocol"]
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Rounds of {safe(name)}">'
        '<table><thead><tr><th scope="col">Round</th><th scope="col">Result</th>'
        f'<th scope="col" class=figure>Items</th></tr></thead><tbody>{"".join(lines)}</tbody>'
        "</table></div>"
    )


def said(document: dict[str, Any]) -> str:
    """The targets, or else the first number of the whole round."""
    if document["targets"]:
        return "; ".join(
            f"{target['name']} {number(target['value'], target['statistic'])}, "
            f"{DECIDED[target['verdict']]}"
            for target in document["targets"]
        )
    for statistic in (*LEVELS, "proportion_accurate"):
        for row in document["numbers"]:
            if row["statistic"] == statistic and row["group"] is None and row["estimate"]:
                question = f" of {row['question'].replace('_', ' ')}" if row["question"] else ""
                what = name_of(statistic) + (question if statistic == "mean" else "")
                return f"{what} {estimate(row)}"
    return "no number yet"


def size(document: dict[str, Any]) -> int:
    return max((row["n_items"] for row in document["numbers"] if row["group"] is None), default=0)


def over_rounds(protocol: str, rounds: list[dict[str, Any]], reports: Path) -> str:
    """What changed since the predecessor, then agreement and levels as small multiples."""
    from .figures.draw import in_both_lights, svg
    from .figures.trend import trend_figure

    names = [document["round"] for document in rounds]
    parts = []
    moved = changes(rounds[-2], rounds[-1])
    parts.append(heading(f"{names[-1]} against {names[-2]}"))
    parts.append(
        bullets(moved)
        if moved
        else paragraph("Nothing moved beyond the intervals; what differs may be chance.")
    )
    side_by_side = f"{names[-2]}-vs-{names[-1]}.html"
    if (reports / side_by_side).exists():
        parts.append(
            f'<p class="soft"><a href="{safe(quote(side_by_side))}">Side by side, on the items '
            "they share</a></p>"
        )
    elif size(rounds[-1]) != size(rounds[-2]):
        parts.append(
            paragraph(
                f"The rounds have {size(rounds[-2]):,} and {size(rounds[-1]):,} items. On the "
                f"items they share: ratebook report --compare {names[-2]} {names[-1]}",
                "soft",
            )
        )
    for what, statistics in (("Agreement", AGREEMENT), ("Results", LEVELS)):
        found = panels(rounds, statistics)
        if not found:
            continue
        title = f"{what} over {count(len(names), 'round')}"
        if moved_here := sum(
            apart(p["points"][-2], p["points"][-1])
            for p in found
            if p["points"][-2]["wording"] == p["points"][-1]["wording"]
        ):
            title += f": {moved_here} of {count(len(found), 'number')} moved beyond the intervals"
        alt = f"{title}, {protocol}. " + "; ".join(
            f"{panel['title']}: " + ", ".join(number(p["estimate"]) for p in panel["points"])
            for panel in found
        )
        drawn = trend_figure(found[:MOST_PANELS], names, title)
        caption = (
            ", ".join(f"{at + 1} {name}" for at, name in enumerate(names))
            + ". Bands are the intervals; a dotted break marks a question that was worded anew."
        )
        parts.append(figure(in_both_lights(svg(drawn)), alt, caption))
    return "".join(parts)
