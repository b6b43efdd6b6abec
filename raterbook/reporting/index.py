"""reports/index.html: every round that has a page, how numbers move, two rounds side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from ..numbers.compute import Numbers, compute
from ..numbers.measures import frame_of
from ..numbers.parameters import Parameters, checked
from ..numbers.targets import in_sight, is_measured, refuse_hidden
from ..protocols import load, names
from ..protocols.comparisons import facts
from ..protocols.statistics import STATISTICS, alphas, followed, leading
from .comparison import (
    MOST_PANELS,
    by_chance,
    changes,
    label,
    moves,
    panels,
    sentences,
    summary,
    whose,
)
from .folder import ReportError, alone, comparison_file, write_whole
from .html import figure, fill, render, with_legend
from .words import DECIDED, count, estimated, listing, name_of, number, say, signed

MOVED = {True: "yes", False: "no", None: "cannot be said"}
ENOUGH = 5  # common items, below which each round keeps all of its own


def write_index(reports: Path, order: Sequence[str] = ()) -> Path:
    """Write the index; rounds stand in the order given, others after them by name."""
    with alone(reports):
        documents = read(reports, order)
        by_protocol: dict[str, list[dict[str, Any]]] = {}
        for document in documents:
            by_protocol.setdefault(document["protocol"], []).append(document)
        protocols = [
            {
                "name": name,
                "title": title_of(name),
                "rounds": [line(reports, document) for document in rounds],
                "over_rounds": over_rounds(name, rounds, reports) if len(rounds) > 1 else "",
            }
            for name, rounds in by_protocol.items()
        ]
        said = f"{count(len(documents), 'round')} of {count(len(protocols), 'protocol')}."
        file = reports / "index.html"
        body = with_legend(render("index", said=said, protocols=protocols))
        write_whole(file, fill("Evaluation rounds", body, home=""))
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


def line(reports: Path, document: dict[str, Any]) -> dict[str, Any]:
    """One round: what its link leads to, what it decides, how much is behind it."""
    folder = document["folder"]
    other = Parameters(**document["parameters"]).other() if "parameters" in document else {}
    if document.get("look"):
        other.pop("coverage", None)  # the look's own
    note = f" · made with other {listing(list(other))} than usual" if other else ""
    if (reports / folder / "report.failed.ipynb").exists():
        note += " · the latest run failed"
    result = said(document) + note
    return {"folder": folder, "name": document["round"], "said": result, "size": size(document)}


def said(document: dict[str, Any]) -> str:
    """The targets, or else the first number of the whole round."""
    targets = [target for target in document["targets"] if is_measured(target)]
    if targets:
        return "; ".join(
            f"{target['name']} {estimated(target)}, {DECIDED[target['verdict']]}"
            for target in targets
        )
    labels = labels_of(document["protocol"])
    whole = [row for row in document["numbers"] if not row["group"] and row["estimate"] is not None]
    shares = [row["statistic"] for row in whole if facts(row["statistic"]).is_proportion]
    for statistic in (*followed(), *leading(), *shares):
        for row in whole:
            if row["statistic"] != statistic:
                continue
            what, question = name_of(statistic), row["question"]
            if question and statistic == "mean":
                what = f"{what} of {label(question, labels)}"
            elif question and statistic not in STATISTICS:
                what = f"{label(question, labels)}: {what.lower()}"
            whose = ", by models" if row["raters"] == "model" else ""
            return f"{what} {say(row)}{whose}"
    if (look := document.get("look")) and look["hidden"]:
        return "hidden until a declared look"
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


def over_rounds(protocol: str, rounds: list[dict[str, Any]], reports: Path) -> Markup:
    """What changed since the predecessor, then agreement and levels as small multiples."""
    from .figures import in_both_lights, svg
    from .figures.planes import trend_figure

    called = [document["round"] for document in rounds]
    pictures = []
    labels = labels_of(protocol)
    both = changes(rounds[-2], rounds[-1])
    side_by_side = comparison_file(called[-2], called[-1])
    asking = ""
    if size(rounds[-1]) != size(rounds[-2]):
        asking = (
            f"The rounds have {size(rounds[-2]):,} and {size(rounds[-1]):,} items. On the "
            f"items they share: raterbook report --compare {called[-2]} {called[-1]}"
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
            + ". Bands are the intervals, and their halves that face each other make the joint "
            "margin, so they may overlap where a number moved. A dotted break marks a question "
            "that was worded anew."
        )
        pictures.append(figure(in_both_lights(svg(drawn)), alt, caption))
    return render(
        "over_rounds",
        title=f"{called[-1]} against {called[-2]}",
        moved=sentences(both, labels),
        chance=by_chance(both, rounds[-2:]) if any(each.moved for each in both) else "",
        side_by_side=side_by_side if (reports / side_by_side).exists() else "",
        asking=asking,
        pictures=pictures,
    )


# Two rounds side by side, on the items they share where they share some.


def compare(
    workspace: Any, first: str, second: str, parameters: Mapping[str, Any] | None = None
) -> Path:
    """Write reports/FIRST-vs-SECOND.html and return its path."""
    rounds = [workspace.store.round(name) for name in (first, second)]
    kinds = [stored.protocol.name for stored in rounds]
    if kinds[0] != kinds[1]:
        raise ReportError(
            f"{first} follows {kinds[0]} and {second} {kinds[1]}: only rounds of one protocol can "
            "be compared."
        )
    given = [
        in_sight(stored, checked(stored.name, parameters or {}), refuse_hidden) for stored in rounds
    ]
    frames, shared = common(
        [
            frame_of(stored, asked, sight=sight)
            for stored, (asked, sight) in zip(rounds, given, strict=True)
        ]
    )
    found = [
        compute(stored, asked, frame)
        for stored, (asked, _), frame in zip(rounds, given, frames, strict=True)
    ]
    workspace.reports.mkdir(parents=True, exist_ok=True)
    file = Path(workspace.reports) / comparison_file(first, second)
    title = f"{first} and {second}"
    text = fill(title, body(title, found, rounds[0].protocol, shared), home="index.html")
    write_whole(file, text)
    write_index(Path(workspace.reports), workspace.rounds())
    return file


def common(frames: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], int]:
    """Both frames cut to the items they share, and how many; 0 where these are too few."""
    keys = [set(frame["item"].dropna().unique()) for frame in frames]
    both = keys[0] & keys[1]
    if len(both) < ENOUGH or keys[0] == keys[1]:
        return frames, len(both) if keys[0] == keys[1] else 0
    cases = [set(f.loc[f["item"].isin(both), "case"].dropna().unique()) for f in frames]
    kept = [
        frame[frame["item"].isin(both) | (frame["item"].isna() & frame["case"].isin(cases[0]))]
        for frame in frames
    ]
    return kept, len(both)


def body(title: str, found: list[Numbers], protocol: Any, shared: int) -> str:
    old, new = (as_document(numbers) for numbers in found)
    labels = {question.id: question.label for question in protocol.questions}
    both = changes(old, new)
    on = (
        f"On the {count(shared, 'item')} both rounds have."
        if shared
        else "The rounds have no items in common, so differences may come from the items."
    )
    lines = [
        (
            whose(each) + (label(each.new["question"], labels) if each.new["question"] else "All"),
            name_of(each.new["statistic"]),
            say(each.old),
            say(each.new),
            signed(each.new["estimate"] - each.old["estimate"]),
            "worded anew" if each.reworded else MOVED[each.moved],
        )
        for each in both
    ]
    head = ("Question", "Number", found[0].round, found[1].round, "Change", "Beyond the intervals")
    made = render(
        "comparison",
        protocol=protocol.title,
        title=title,
        verdict=summary(both),
        on=on,
        moved=sentences(both, labels),
        chance=by_chance(both, (old, new), bool(shared)) if any(e.moved for e in both) else "",
        head=head,
        lines=lines,
    )
    return with_legend(made)


def as_document(numbers: Numbers) -> dict[str, Any]:
    return {
        "round": numbers.round,
        "parameters": numbers.parameters,
        "data": numbers.data,
        "numbers": numbers.rows,
    }
