"""The whole way of a name: open, import, status, form, page with its figures, files, gate."""

import contextlib
import csv
import io
import json
import re
from dataclasses import dataclass

from raterbook import Workspace
from raterbook.cli import main
from raterbook.protocols import parse
from raterbook.rating import Form
from raterbook.reporting import Report
from raterbook.reporting.report import SECTIONS
from tests.reporting.rounds import asking, choice, measured, scale

PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*\.(svg|csv|json)")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
RAN = re.compile(
    r"<(script|img (?!alt=)|svg|iframe|style>\s*@|b onclick|math|base|meta http-equiv=.?refresh)"
)


def protocol():
    """One score and one label of two systems by topic; the label has an automatic rater too."""
    text = asking(
        {
            "s": scale(5),
            "label": choice("yes", "no"),
        },
        [
            measured("mean", "s", by=[["model"], ["topic"]]),
            measured("alpha_ordinal", "s"),
            measured("percent_agreement", "label"),
        ],
        key=["id", "model"],
        system="model",
        groups=["topic"],
    )
    return parse(text, source="names.yaml")


@dataclass(frozen=True)
class Names:
    """Who and what there is; each list is filled up with plain names."""

    raters: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    round: str = "round-01"

    def filled(self):
        def upto(given, many, word):
            return [*given, *(f"{word}{n}" for n in range(many))][: max(many, len(given))]

        return (
            upto(self.raters, 3, "rater"),
            list(self.models),
            upto(self.systems, 2, "system"),
            upto(self.items, 11, "item"),
            upto(self.topics, 2, "topic"),
        )


def opened(folder, names):
    """The round with all its answers, by the workspace and a file, as a lead does it."""
    raters, models, systems, items, topics = names.filled()
    place = Workspace(folder)
    rows = [
        {
            "id": item,
            "text": f"text {at}",
            "model": system,
            "topic": topics[at % len(topics)],
            "auto": "yes" if at % 3 else "no",
        }
        for at, item in enumerate(items)
        for system in systems
    ]
    write(folder / "items.csv", rows)
    stored = place.open(names.round, protocol(), folder / "items.csv", raters=raters)
    said = [
        {"item": item.key, "rater": rater, "rater_kind": kind, "question": question, "value": value}
        for turn, (rater, kind) in enumerate(
            [*((r, "human") for r in raters), *((m, "model") for m in models)]
        )
        for at, item in enumerate(stored.items())
        for question, value in (
            ("s", 1 + (at + turn * (at % 4 == 0)) % 5),
            ("label", "yes" if (at + turn * (at % 5 == 0)) % 3 else "no"),
        )
    ]
    write(folder / "answers.csv", said)
    stored.add(folder / "answers.csv", new_raters=True)
    return stored


def write(file, rows):
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def said(*words):
    """What a command prints, and its exit status."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            status = main([str(word) for word in words])
        except SystemExit as error:
            status = error.code
    return status, out.buffer.getvalue().decode("utf-8")


def page(report):
    sections = [getattr(report, name)() for name in SECTIONS]
    return "\n".join(one._repr_html_() for one in sections if one is not None)


def walked(folder, names, figures=True):
    """What broke on the way, in words, or None; what is refused at its beginning is raised."""
    return seen(folder, opened(folder, names), names, figures)


def seen(folder, stored, names, figures=True):
    raters, models, systems, _, topics = names.filled()
    status, out = said("--workspace", folder, "status")
    if status != 0 or CONTROL.search(out):
        return f"status: {status} {out!r}"
    for rater in raters:
        form = Form(stored, rater)
        told = [form.answer({"kind": kind, "tab": "t"}) for kind in ("open", "item")]
        form.close()
        if [one["kind"] for one in told] != ["round", "item"]:
            return f"form of {rater!r}: {told}"
    report = Report(stored, groups=["topic"])
    document = json.loads(report.numbers.to_json())
    for column, given in (("model", systems), ("topic", topics)):
        found = {
            row["group"][column] for row in document["numbers"] if column in (row["group"] or {})
        }
        if found != {name.strip() for name in given}:
            return f"{column} of numbers.json: {sorted(found)}"
    if set(report.frame["rater"]) != {*raters, *models, "auto"}:
        return f"raters: {sorted(set(report.frame['rater']))}"
    if figures:
        html = page(report)
        if RAN.search(html) or CONTROL.search(html):
            return f"page: {(RAN.search(html) or CONTROL.search(html))[0]!r}"
        if not report.pictures:
            return "no figure was drawn"
    out = folder / "out"
    out.mkdir()
    report.save(out)
    written = [path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()]
    odd = [name for name in written if not PLAIN.fullmatch(name.removeprefix("figures/"))]
    if odd or (figures and len(written) < 4):
        return f"files: {odd or written}"
    for layout, ending in (("long", "csv"), ("long", "xlsx"), ("wide", "csv"), ("long", "jsonl")):
        stored.export(folder / f"{layout}.{ending}", layout)
    again = stored.add(folder / "long.csv")
    if again.added:
        return f"the export is not what was taken in: {again}"
    status, out = said("--workspace", folder, "check", names.round, "--require", "mean:s>=1")
    if status != 0 or CONTROL.search(out):
        return f"gate: {status} {out!r}"
    return None
