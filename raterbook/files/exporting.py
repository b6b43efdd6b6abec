"""Answers to a file, in the layout that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raterbook.files.content import label, put
from raterbook.files.formats import FORMATS, endings, named
from raterbook.files.layouts import LAYOUTS
from raterbook.files.layouts.layout import Outgoing, Where
from raterbook.files.names import answer_columns
from raterbook.files.table import Table
from raterbook.rounds import items
from raterbook.rounds.current import facts
from raterbook.rounds.model import PEOPLE, FileError, listed, shown
from raterbook.rounds.store.backup import refuse_masked

if TYPE_CHECKING:
    from raterbook.rounds import Round


@dataclass(frozen=True)
class Exported:
    """What an export wrote, and what the layout left behind."""

    file: str
    layout: str
    answers: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = "marks" if self.layout == "marks" else "answers"
        words = f"{self.file}: {self.answers:,} {what}, layout {self.layout}"
        return words + (f"; not in this file: {listed(self.left_out)}" if self.left_out else "")


def export_answers(
    round: Round, file: str | Path, layout: str = "long", pseudonyms: bool = False
) -> Exported:
    """Write the current answers. The file appears whole or not at all; "-" is standard output.

    The ending chooses among the formats of the layout: .csv, .tsv, .jsonl, .xlsx, and .parquet,
    which is long with types. `pseudonyms` stand for the names of people. What every layout has,
    and what it leaves behind, `raterbook export --help` says.
    """
    if layout not in LAYOUTS:
        raise FileError(f"{shown(layout)} is no layout. Use one of {listed(LAYOUTS)}.")
    refuse_masked(round.store)
    suffix = Path(file).suffix.lower()
    if layout == "long" and named(suffix) in endings("values"):
        layout = "parquet"
    own = layout == "wide" and answer_columns(round.protocol)  # its items file is its wide layout
    chosen = LAYOUTS["source" if own else layout]
    away = {
        word: each.pseudonym if pseudonyms else each.name
        for each in round.raters()
        if each.excluded
        for word in (each.name, each.pseudonym)
    }
    with round.store.read() as connection:
        found = facts(
            connection, round.look(connection), round.questions(connection), pseudonyms=pseudonyms
        )
        out = Outgoing(
            round,
            label(file) if str(file) != "-" else "standard output",
            suffix,
            [fact for fact in found if fact.rater not in away],  # as in every number
            _fields(round, connection),
            items.kept(connection, round.id),
            list(dict.fromkeys(away[fact.rater] for fact in found if fact.rater in away)),
            pseudonyms,
        )
    chosen.refuse(out)
    out.left_out = chosen.named(out, header=True)
    data, answers = chosen.write(out)
    put(data, file)
    return Exported(out.name, layout, answers, tuple(chosen.named(out)))


def _fields(round: Round, connection: Any) -> dict[Where, Mapping[str, str]]:
    """What the round knows of each item and case, hidden columns too."""
    snapshot, inside = round.look(connection), round.inside(connection)
    found: dict[Where, Mapping[str, str]] = {}
    for key, case in snapshot.cases.items():
        found[key, True] = {round.protocol.item.case: key, **inside.of(case.id)}
    for key, item in snapshot.items.items():
        found[key, False] = {**inside.of(item.case_id or 0), **inside.of(item.id)}
    return found


# A sheet: one rater's items with empty cells for the answers, for those who work on paper or in a
# spreadsheet. `import` reads it back as the wide layout.


def write_sheet(round: Round, rater: str, file: str | Path) -> Path:
    """This rater's items in this rater's order, with a column to fill in for every question.

    Items have the opaque names that the form has, and nothing that raters must not know is in it.
    """
    protocol = round.protocol
    if round.bare:
        raise FileError(f"{round.name} has no texts, as it was opened bare: nothing can be rated.")
    for one in round.raters():
        if one.name == rater and (one.kind not in PEOPLE or one.excluded is not None):
            why = one.kind if one.excluded is None else f"excluded ({one.excluded})"
            raise FileError(f"{shown(rater)} is {shown(why)}: a sheet is for people who rate.")
    if len(protocol.stages) > 1 or any(each.shows for each in protocol.questions):
        raise FileError(
            f"{protocol.name} shows its texts and questions one after the other, and a sheet would "
            "show them at once. Its raters work in the form."
        )
    format = FORMATS.get(named(Path(file).suffix.lower()) or "")
    if format is None or format.holds != "texts":
        raise FileError(f"{label(file)}: a sheet is a table of texts. Use .csv, .tsv or .xlsx.")
    fields = [name for name, field in protocol.item.fields.items() if field.visible]
    apart = protocol.parts is not None and any(one.per == "part" for one in protocol.questions)
    pieces = ["part", "part_text"] if apart else []
    asked = [question.id for question in protocol.questions]
    rows: list[list[str]] = []
    for item in round.queue(rater):
        about = [item.fields.get(name, "") for name in fields]
        said = [("0", ""), *((str(part.number), part.text) for part in item.parts)]
        rows += [
            [item.ref, *(piece if apart else ()), *about, rater, *([""] * len(asked))]
            for piece in (said if apart else said[:1])
            if not apart or piece[0] != "0" or any(one.per == "whole" for one in protocol.questions)
        ]
    if not rows:
        raise FileError(
            f"{shown(rater)} has no items in {round.name}: give some by `raterbook reassign "
            f"{round.name} FROM {shown(rater)}` or `raterbook assign {round.name} --per-item K`."
        )
    table = Table(label(file), ["item", *pieces, *fields, "rater", *asked], rows)
    put(format.write(table), file)
    return Path(file)
