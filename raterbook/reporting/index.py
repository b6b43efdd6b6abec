"""reports/index.html: every round that has a page, and how numbers move over rounds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..numbers.number import is_untrusted
from ..numbers.parameters import Parameters
from ..numbers.targets import is_measured
from ..protocols import load, names
from ..protocols.statistics import alphas, facts, followed, leading
from .html import bullets, figure, fill, heading, paragraph, safe, with_legend
from .run import alone, write_whole
from .words import DECIDED, capital, count, estimate, estimated, listing, name_of, number


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
            f"{target['name']} {estimated(target)}, {DECIDED[target['verdict']]}"
            for target in targets
        )
    labels = labels_of(document["protocol"])
    for statistic in (*followed(), *leading()):
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
    from .figures.scatter import trend_figure

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
    for what, statistics in (("Agreement", alphas()), ("Results", followed())):
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


# Rounds of one protocol in order: the same number over rounds, and what changed beyond doubt.


Labels = Mapping[str, str]  # what questions are called, by id

# What is worth following; one α a question, the first of these that a round has.
MOST_PANELS = 9
USUAL = 0.95  # coverage, of documents that do not say


def panels(
    documents: Sequence[Mapping[str, Any]], statistics: Iterable[str], labels: Labels
) -> list[dict]:
    """One entry for each number that two rounds have: its title and its points in order.

    `documents` are numbers.json in the order of the rounds. A point carries the hash of its
    question's wording, so that a line can break where the wording changed.
    """
    found: dict[tuple[str, str | None], dict[str, Any]] = {}
    for at, document in enumerate(documents):
        for row in main_rows(document, statistics):
            key = (row["statistic"], row["question"])
            called = {"title": title(row, labels), "label": short_title(row, labels)}
            panel = found.setdefault(key, {**called, "key": key, "points": []})
            panel["points"].append(
                {
                    "at": at,
                    "estimate": row["estimate"],
                    "low": row["low"],
                    "high": row["high"],
                    "warnings": row["warnings"],
                    "wording": wording(document, row["question"]),
                }
            )
    return [panel for panel in found.values() if len(panel["points"]) > 1]


def main_rows(document: Mapping[str, Any], statistics: Iterable[str]) -> list[Mapping[str, Any]]:
    """Whole-round rows with a value; of several α of one question, the first kind alone."""
    kept: list[Mapping[str, Any]] = []
    seen: set[tuple[bool, str | None]] = set()
    for statistic in statistics:
        for row in document["numbers"]:
            whole = row["group"] is None and row["aggregate"] in (None, "macro")
            if row["statistic"] != statistic or not whole or row["estimate"] is None:
                continue
            place = (statistic.startswith("alpha_"), row["question"])
            if place[0] and place in seen:
                continue
            seen.add(place)
            kept.append(row)
    return kept


def label(question: str, labels: Labels) -> str:
    """What a question is called; of one without a label, its id in words."""
    return labels.get(question) or capital(question.replace("_", " "))


def title(row: Mapping[str, Any], labels: Labels) -> str:
    said = short_title(row, labels)
    return f"α {said}" if facts(row["statistic"]).is_alpha else said


def short_title(row: Mapping[str, Any], labels: Labels) -> str:
    """The same where it is clear that an α is spoken of."""
    question = label(row["question"], labels) if row["question"] else ""
    if row.get("raters") == "model":  # levels and agreement of people and of models are not alike
        question = f"{question} (by models)".strip()
    if row["statistic"] == "mean" or facts(row["statistic"]).is_alpha:
        return question
    return f"{name_of(row['statistic'])} {question}".strip()


def wording(document: Mapping[str, Any], question: str | None) -> str:
    """The question's hash; of numbers over several questions, the protocol's."""
    hashes = document["data"].get("questions", {})
    return str(hashes.get(question, "")) if question else str(document["data"]["protocol"])


@dataclass(frozen=True)
class Change:
    """One number of two rounds: its row in each, and whether it moved beyond the intervals.

    `moved` is None where nobody can say: an interval is missing or cannot be trusted, or the
    question was `reworded` and is another one.
    """

    old: Mapping[str, Any]
    new: Mapping[str, Any]
    reworded: bool
    moved: bool | None

    @property
    def verb(self) -> str:
        return "rose" if self.new["estimate"] > self.old["estimate"] else "fell"

    @property
    def is_agreement(self) -> bool:
        return facts(self.new["statistic"]).is_alpha


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Every number that both rounds have, in the order of the page."""
    worth = (*alphas(), *followed())
    before = {(row["statistic"], row["question"]): row for row in main_rows(old, worth)}
    found = []
    for row in main_rows(new, worth):
        other = before.get((row["statistic"], row["question"]))
        if other is not None:
            reworded = wording(old, row["question"]) != wording(new, row["question"])
            found.append(Change(other, row, reworded, None if reworded else apart(other, row)))
    return found


def sentences(found: Sequence[Change], labels: Labels) -> list[str]:
    """What moved beyond the intervals, and which questions were worded anew."""
    said = [
        f"{title(each.new, labels)} {each.verb} from "
        f"{number(each.old['estimate'], each.new['statistic'])} to "
        f"{number(each.new['estimate'], each.new['statistic'])}."
        for each in found
        if each.moved
    ]
    anew = [each.new["question"] for each in found if each.reworded and each.new["question"]]
    if anew:
        names = ", ".join(label(name, labels) for name in dict.fromkeys(anew))
        said.append(f"Worded anew, and so not comparable: {names}.")
    return said


def by_chance(
    found: Sequence[Change], documents: Sequence[Mapping[str, Any]], same_items: bool = False
) -> str:
    """How many of the numbers compared moved, and how many do where nothing has changed.

    `apart` errs about as often as one interval misses, and nothing corrects it for how many
    numbers are compared. On the same items chance moves less, as what the items bring is in both;
    with other raters more, as intervals speak of those who answered.
    """
    compared = [each for each in found if each.moved is not None]
    moved = sum(bool(each.moved) for each in compared)
    # Of two rounds with intervals of their own width, the one that misses more often.
    coverage = min(each.get("parameters", {}).get("coverage", USUAL) for each in documents)
    expected = len(compared) * (1 - coverage)
    shown = f"{expected:.2g}" if expected < 10 else f"{expected:.0f}"
    chance, items = ("fewer than", "the same") if same_items else ("about", "the same kind of")
    return (
        f"Of {count(len(compared), 'number')} compared, {moved:,} moved. Had nothing changed, "
        f"{chance} {shown} would have by chance alone with {items} items and the same raters; "
        "with other raters, more."
    )


def moves(what: str, found: Sequence[Mapping[str, Any]]) -> str:
    """What rose and what fell from the last round but one to the last, beyond the intervals."""
    sides: dict[str, list[str]] = {"rose": [], "fell": []}
    for panel in found:
        old, new = panel["points"][-2:]
        if old["wording"] == new["wording"] and apart(old, new):
            side = "rose" if new["estimate"] > old["estimate"] else "fell"
            sides[side].append(panel["label"])
    said = [f"{verb} on {listing(names, limit=4)}" for verb, names in sides.items() if names]
    if not said:
        return f"{what}: no number moved beyond the intervals"
    return f"{what} {' and '.join(said)}, beyond the intervals"


def apart(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool | None:
    """Whether two independent estimates differ by more than their joint margin.

    The halves of the intervals that face each other are added as independent errors are. None
    where an interval is missing or cannot be trusted: nobody can say, so nothing is said to have
    moved.
    """
    if any(row["low"] is None or is_untrusted(row) for row in (old, new)):
        return None
    below, above = sorted((old, new), key=lambda row: row["estimate"])
    margin = math.hypot(above["estimate"] - above["low"], below["high"] - below["estimate"])
    return bool(above["estimate"] - below["estimate"] > margin)
