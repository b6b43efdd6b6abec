"""Files that are dense: many raters, items, parts or questions in few characters, and what a reader
of ours or of others makes much of. Every door takes them in two seconds and 200 MB, or refuses.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

from raterbook.cli import main
from raterbook.judges.by_hand import read_replies
from raterbook.judges.questions.upstream import Imported, _content, read_entry
from raterbook.protocols.conditions import normalized
from raterbook.protocols.sentences import sentences
from raterbook.rounds.raters import look
from tests.hostile.files import (
    ANSWER,
    FILES,
    HEAD,
    MILLION,
    TITLES,
    Hostile,
    answers,
    as_examples,
    as_protocol,
    attack,
    sheet,
    text,
)
from tests.hostile.probe import Probe

SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
TINY = """name: tiny
title: Tiny
about: Tiny.
instructions: [Answer.]
item: {key: [i], case: i, fields: {i: {label: I}, t: {label: T}}}
questions: [{id: q, prompt: Q, type: scale, min: 1, max: 5}]
"""
SPLIT = TINY.replace("questions", "parts: {of: item, from: t, split: sentences}\nquestions")


def said(words: tuple[str, ...], protocol: str, stored: Any, file: Path) -> str:
    """What a command prints of the file."""
    folder = file.parent
    (folder / "own.yaml").write_text(protocol)
    given = [word.replace("FILE", str(file)).replace("DIR", str(folder)) for word in words]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(out):
        main(["--workspace", str(folder), "--db", str(folder / "r.sqlite"), *given])
    return out.getvalue()


OPENED = ("open", "new", "--protocol", "DIR/own.yaml", "--items", "FILE", "--raters", "ana")
as_round, as_split = partial(said, OPENED, TINY), partial(said, OPENED, SPLIT)
as_doctor = partial(said, ("doctor", "FILE"), TINY)
as_parts = partial(said, ("parts", "r", "FILE", "--take"), TINY)


def as_look(stored: Any, file: Path) -> str:
    return str(len(look(file.read_text().split(",")[-1])))


def as_normalized(stored: Any, file: Path) -> str:
    return str(len(normalized(file.read_text())))


def as_sentences(stored: Any, file: Path) -> str:
    return f"{len(sentences(file.read_text()))} sentences"


def as_cache(stored: Any, file: Path) -> str:
    found = Imported("r", "up", 0)
    entries = [read_entry(name, value, found) for name, value in _content(file).items()]
    return f"{sum(len(each.questions) for each in entries if each)} questions"


def as_replies(stored: Any, file: Path) -> str:
    return f"{len(read_replies(file))} replies"


def rows(head: str, row: str, many: int) -> Callable[[], bytes]:
    """A header and so many rows, `{n}` being the number of each."""
    lines = (row.format(n=f"{n:x}") for n in count(1))
    return lambda: "\n".join([head, *islice(lines, many)]).encode()


def piled(many: int) -> str:
    return "a" + "\u0301\u0323" * (many // 2)


def workbook(sheets: int = 1, more: str = "", **parts: str) -> Callable[[], bytes]:
    """A workbook of so many sheets, which are all the same one."""
    named = "".join(f'<sheet name="s{n}" sheetId="{n + 1}" r:id="rId1"/>' for n in range(sheets))
    book = f'<workbook xmlns="{SPACE}" xmlns:r="{LINKS}"><sheets>{named}</sheets>{more}</workbook>'
    given = {"xl/workbook.xml": book.encode()}
    if styles := parts.get("styles"):
        given["xl/styles.xml"] = f'<styleSheet xmlns="{SPACE}">{styles}</styleSheet>'.encode()
    if relations := parts.get("relations"):
        place = "xl/worksheets/_rels/sheet1.xml.rels"
        given[place] = f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>'.encode()
    return sheet(TITLES + ANSWER + parts.get("rows", ""), given)


def printed(signs: str) -> str:
    name = '<definedName name="_xlnm.Print_Titles" localSheetId="0">'
    return f"<definedNames>{name}{signs}</definedName></definedNames>"


RELATION = '<Relationship Id="x" Type="t" Target="b"/>'
COPIED = (
    f'<row><c r="A3"><f t="shared" ref="A3:A9999" si="0">{"A1+" * 2_000}A1</f></c></row>'
    + "".join(f'<row><c r="A{n}"><f t="shared" si="0"/></c></row>' for n in range(4, 3_000))
)
TAKEN = "1 answer added"
DENSE: dict[str, Hostile] = {
    # accents, which take the square of their number to be put in order
    "60,000 accents in a header": Hostile(
        ".csv",
        lambda: answers("c1/m1,ana,tone,4,x", head=f"{HEAD},{piled(60_000)}")(),
        TAKEN,
    ),
    "100,000 accents in a question": Hostile(
        ".csv", lambda: answers(f"c1/m1,ana,{piled(100_000)},4")(), "is no question"
    ),
    "accents in a header, before the doctor": Hostile(
        ".csv", lambda: text(f"id,text,{piled(30_000)}\n1,a,b\n")(), "1 row, 3 columns", as_doctor
    ),
    "accents in a system": Hostile(
        ".csv",
        lambda: text(f"i,t\n1,{piled(MILLION)}\n")(),
        "1000001",
        as_look,
    ),
    "accents that come of taking apart": Hostile(
        ".txt",
        lambda: ("\u0f73" * (MILLION // 2)).encode(),
        "500000",
        as_normalized,
    ),
    # many in few characters
    "20,000 new raters": Hostile(
        ".csv", rows(HEAD, "c1/m1,r{n}z,tone,4", 20_000), "20,000 new raters, and 12,000 is the m"
    ),
    "4,000 new raters": Hostile(
        ".csv", rows(HEAD, "c1/m1,r{n}z,tone,4", 4_000), "4,000 answers added"
    ),
    "60,000 items": Hostile(
        ".csv", rows("i,t", "{n},a", 60_000), "60,000 items in .* is the most of so", as_round
    ),
    "60,000 parts of an item": Hostile(
        ".csv", rows("item,part,text", "c1/m1,,x", 60_000), "60,000 parts are too many", as_parts
    ),
    "9,000 parts of an item": Hostile(
        ".csv", rows("item,part,text", "c1/m1,,x", 9_000), "1 split anew", as_parts
    ),
    "60,000 sentences": Hostile(
        ".csv",
        lambda: text(f"i,t\n1,{'Ab. ' * 60_000}\n")(),
        "60,000 parts are too many",
        as_split,
    ),
    "a part of 5,000 digits": Hostile(
        ".csv",
        lambda: text(f"item,part,text\nc1/m1,{'1' * 5_000},x\n")(),
        "row 2, column part: 1+…1+ is no number of a part",
        as_parts,
    ),
    "80,000 questions, before the doctor": Hostile(
        ".csv", rows(HEAD, "c1/m1,ana,q{n},4", 80_000), "80,000 different texts", as_doctor
    ),
    "40,000 questions of a case": Hostile(
        ".json",
        lambda: json.dumps({"0": {"question": [f"{n:x}?" for n in range(40_000)]}}).encode(),
        "40000 questions",
        as_cache,
    ),
    "replies, and room for 2 GB": Hostile(
        ".jsonl", text('{"id": "x", "reply": "a"}'), "1 replies", as_replies
    ),
    "a reply whose name is a MB": Hostile(
        ".jsonl", lambda: text(f'{{"id": "x", "{"k" * MILLION}": 1}}')(), "k+…k+", as_replies
    ),
    "replies nested 100,000 deep": Hostile(
        ".jsonl", text(f'{{"id": {"[" * 100_000}'), "nested too deeply|not JSON", as_replies
    ),
    # YAML
    "a number to the base of 60": Hostile(
        ".yaml",
        lambda: text(f"- {{title: {':'.join('1' * 149_000)}}}")(),
        "example 1: fields",
        as_examples,
    ),
    "a format of 5,000 digits": Hostile(
        ".yaml", lambda: text(f"{TINY}format: {'9' * 5_000}")(), "newer than this", as_protocol
    ),
    "an end of 5,000 digits": Hostile(
        ".yaml",
        lambda: text(TINY.replace("max: 5", f"max: {'9' * 50_000}"))(),
        "questions.0.max '9+…",
        as_protocol,
    ),
    # workbooks
    "300,000 apostrophes to be printed": Hostile(
        ".xlsx", lambda: workbook(1, printed("'" * 300_000))(), TAKEN
    ),
    "20,000 sheets": Hostile(".xlsx", lambda: workbook(20_000)(), "more than 1,000 sheets"),
    "900 sheets with one list of relations": Hostile(
        ".xlsx", lambda: workbook(900, relations=RELATION * 20_000)(), TAKEN
    ),
    "180,000 formats": Hostile(
        ".xlsx",
        lambda: workbook(styles=f"<cellXfs>{'<xf/>' * 180_000}</cellXfs>")(),
        "more than 50,000 formats",
    ),
    "180,000 fonts": Hostile(
        ".xlsx",
        lambda: workbook(styles=f"<fonts>{'<font/>' * 180_000}</fonts>")(),
        "more than 50,000 formats",
    ),
    "a long formula copied down": Hostile(".xlsx", lambda: workbook(rows=COPIED)(), "more than"),
    "an honest workbook of two sheets": Hostile(".xlsx", lambda: workbook(2)(), TAKEN),
}
assert not DENSE.keys() & FILES.keys()


def a_million(unit: str) -> Hostile:
    return Hostile(
        ".txt", lambda: (unit * (MILLION // len(unit))).encode(), "sentences", as_sentences
    )


SENTENCES = ("Ab. ", "1. ", "A.B. ", "$a. ", "。a")

PROBES = [
    *(Probe(name, partial(attack, each, {}), "X3, X9") for name, each in DENSE.items()),
    *(Probe(f"a MB of {u!r}", partial(attack, a_million(u), {}), "X3") for u in SENTENCES),
]

MANY = (10**12, 1)
WITHOUT: dict[str, Mapping[str, Any]] = {
    "60,000 accents in a header": {"raterbook.protocols.conditions.PILED": 10**9},
    "20,000 new raters": {"raterbook.files.content.RATERS": MANY},
    "60,000 items": {"raterbook.files.content.ITEMS": MANY},
    "60,000 parts of an item": {"raterbook.rounds.parts.PARTS": MANY},
    "80,000 questions, before the doctor": {"raterbook.files.columns.MOST_QUESTIONS": 10**9},
    "180,000 fonts": {"raterbook.files.packed._LOOKS": (re.compile(b"\xff"), "", 1)},
    "a long formula copied down": {"raterbook.files.packed.COPIED": 0},
}
CONTROLS = [
    Probe(f"without its guard, {name}", partial(attack, DENSE[name], without))
    for name, without in WITHOUT.items()
]
