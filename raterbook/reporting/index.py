"""reports/index.html: every round that has a page, and how numbers move over rounds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..protocols import load, names
from .page import fill
from .parameters import Parameters
from .place import alone, write_whole
from .section import bullets, figure, heading, paragraph, safe, with_legend
from .targets import estimated, is_measured
from .trends import (
    AGREEMENT,
    LEVELS,
    MOST_PANELS,
    by_chance,
    changes,
    label,
    moves,
    panels,
    sentences,
)
from .words import DECIDED, count, estimate, listing, name_of, number


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
            parts.append(f"<section><h2>{safe(title_of(protocol))}</h2>{rows(reports, rounds)}")
            if len(rounds) > 1:
                parts.append(over_rounds(protocol, rounds, reports))
            parts.append("</section>")
        file = reports / "index.html"
        body = with_legend("".join(parts))
        write_whole(file, fill("Evaluation rounds", body, home=False))
    return file


def title_of(protocol: str) -> str:
    """What a protocol is called; of one that is not in the library only the name is known."""
    return load(protocol).title if protocol in names() else protocol


def labels_of(protocol: str) -> dict[str, str]:
    """What a library protocol's questions are called; of others only the ids are known."""
    if protocol not in names():
        return {}
    return {question.id: question.label for question in load(protocol).questions}


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
        other = Parameters(**document["parameters"]).other() if "parameters" in document else {}
        note = f" · made with other {listing(list(other))} than usual" if other else ""
        note += " · the latest run failed" if failed else ""
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
    targets = [target for target in document["targets"] if is_measured(target)]
    if targets:
        return "; ".join(
            f"{target['name']} {estimated(target)}, "
            f"{DECIDED[target['verdict']]}"
            for target in targets
        )
    labels = labels_of(document["protocol"])
    for statistic in (*LEVELS, "proportion_accurate"):
        for row in document["numbers"]:
            if row["statistic"] == statistic and row["group"] is None and row["estimate"]:
                question = f" of {label(row['question'], labels)}" if row["question"] else ""
                what = name_of(statistic) + (question if statistic == "mean" else "")
                whose = ", by models" if row["raters"] == "model" else ""
                return f"{what} {estimate(row)}{whose}"
    return "no number yet"


def size(document: dict[str, Any]) -> int:
    return max(
        (
            row["n_items"]
            for row in document["numbers"]
            if row["group"] is None and row["statistic"] != "completeness"
        ),
        default=0,
    )


def over_rounds(protocol: str, rounds: list[dict[str, Any]], reports: Path) -> str:
    """What changed since the predecessor, then agreement and levels as small multiples."""
    from .figures.draw import in_both_lights, svg
    from .figures.trend import trend_figure

    called = [document["round"] for document in rounds]
    parts = []
    labels = labels_of(protocol)
    both = changes(rounds[-2], rounds[-1])
    said = sentences(both, labels)
    parts.append(heading(f"{called[-1]} against {called[-2]}"))
    parts.append(
        bullets(said)
        if said
        else paragraph("Nothing moved beyond the intervals; what differs may be chance.")
    )
    if any(each.moved for each in both):
        parts.append(paragraph(by_chance(both, rounds[-2:]), "soft"))
    side_by_side = f"{called[-2]}-vs-{called[-1]}.html"
    if (reports / side_by_side).exists():
        parts.append(
            f'<p class="soft"><a href="{safe(quote(side_by_side))}">Side by side, on the items '
            "they share</a></p>"
        )
    elif size(rounds[-1]) != size(rounds[-2]):
        parts.append(
            paragraph(
                f"The rounds have {size(rounds[-2]):,} and {size(rounds[-1]):,} items. On the "
                f"items they share: raterbook report --compare {called[-2]} {called[-1]}",
                "soft",
            )
        )
    for what, statistics in (("Agreement", AGREEMENT), ("Results", LEVELS)):
        found = panels(rounds, statistics, labels)
        if not found:
            continue
        title = moves(what, found)
        alt = f"{title}, {protocol}. " + "; ".join(
            f"{panel['title']}: " + ", ".join(number(p["estimate"]) for p in panel["points"])
            for panel in found
        )
        drawn = trend_figure(found[:MOST_PANELS], called, title)
        caption = (
            ", ".join(f"{at + 1} {name}" for at, name in enumerate(called))
            + ". Bands are the intervals; a dotted break marks a question that was worded anew."
        )
        parts.append(figure(in_both_lights(svg(drawn)), alt, caption))
    return "".join(parts)
