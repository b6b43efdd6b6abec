"""Files: whatever a stranger puts in one, it is refused in words, or taken as it stands.

Every file is given to the product in a process of its own, which may take two seconds of its
processor and 200 MB more than it had. A control takes a limit away, and then it takes more.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import re
import resource
import signal
import struct
import zipfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from raterbook.files import import_answers, read_items
from raterbook.judges.prompts import read_examples
from raterbook.protocols import load
from raterbook.rounds import ItemTable, Store
from tests.files.protocols import EVERYTHING
from tests.hostile.probe import Probe

SECONDS, MEMORY = 2, 200 * 1024**2
ROWS = [{"id": "c1", "model": model, "text": "A text."} for model in ("m1", "m2")]
HEAD = "item,rater,question,value"
GOOD = f"{HEAD}\nc1/m1,ana,tone,4\n"
TAKEN = "1 answer added"

# Doors a file comes in by.


def as_answers(stored: Any, file: Path) -> str:
    return str(import_answers(stored, file))


def as_items(stored: Any, file: Path) -> str:
    return f"{len(read_items(file, EVERYTHING).rows)} items"


def as_protocol(stored: Any, file: Path) -> str:
    return load(file).name


def as_examples(stored: Any, file: Path) -> str:
    return f"{len(read_examples(file, EVERYTHING) or ())} examples"


@dataclass(frozen=True)
class Hostile:
    """A file, the door it is given to, and the words that must be said: a pattern."""

    ending: str
    content: Callable[[], bytes]
    words: str
    door: Callable[[Any, Path], str] = as_answers
    items: int = 0  # of its round, beside the two of every round here


def said(
    door: Callable[[Any, Path], str], items: int, file: Path, without: Mapping[str, Any]
) -> str:
    """In a process of its own: what the product says to the file."""
    store = Store(file.parent / "r.sqlite")
    more = [{"id": f"item {n:05}", "model": "m", "text": "A text."} for n in range(items)]
    stored = store.open("r", EVERYTHING, ItemTable.from_records(EVERYTHING, ROWS + more))
    start = resource.getrusage(resource.RUSAGE_SELF)
    used = int(start.ru_utime + start.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + 1 + SECONDS, used + 2 + SECONDS))
    whole = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (whole + 2 * MEMORY,) * 2)
    with ExitStack() as guards:
        for name, value in without.items():
            guards.enter_context(patch(name, value))
        try:
            found = door(stored, file)
        except ValueError as error:
            found = str(error)
        except BaseException as error:
            return f"BROKEN: {type(error).__name__}: {str(error)[:200]}"
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start.ru_maxrss
    if taken * 1024 > MEMORY:
        return f"BROKEN: it took {taken // 1024} MB"
    return found


def answer_from(pipe: Any, *what: Any) -> None:
    pipe.send(said(*what))
    pipe.close()


_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.hostile.files"])


def attack(hostile: Hostile, without: Mapping[str, Any], folder: Path) -> str | None:
    file = folder / f"a{hostile.ending}"
    file.write_bytes(hostile.content())
    here, there = _PROCESSES.Pipe(duplex=False)
    child = _PROCESSES.Process(
        target=answer_from, args=(there, hostile.door, hostile.items, file, without)
    )
    child.start()
    there.close()
    try:
        words = here.recv() if here.poll(60) else "BROKEN: nothing was heard for a minute"
    except EOFError:
        words = ""
    child.kill() if words.startswith("BROKEN: nothing") else child.join()
    assert child.exitcode in (None, 0, -signal.SIGXCPU, -signal.SIGKILL), "the probe itself broke"
    if child.exitcode:
        return f"it took more than {SECONDS} s, or the process died ({child.exitcode})"
    if words.startswith("BROKEN"):
        return words
    if len(words) > 10_000:
        return f"a message of {len(words)} characters"
    return None if re.search(hostile.words, words, re.DOTALL) else f"it said: {words[:500]}"


# What is put in them.


def text(content: str) -> Callable[[], bytes]:
    return lambda: content.encode("utf-8", "surrogatepass")


def answers(*rows: str, head: str = HEAD) -> Callable[[], bytes]:
    return text("\n".join([head, *rows]) + "\n")


def many(row: str, times: int, head: str = HEAD) -> Callable[[], bytes]:
    return lambda: f"{head}\n{row * times}".encode()


def sheet(xml: str = "", parts: Mapping[str, bytes] | None = None, **how: Any) -> Any:
    """A workbook whose first sheet has these rows, or with other parts in place of its own."""

    def content() -> bytes:
        book, made = io.BytesIO(), io.BytesIO()
        openpyxl.Workbook().save(book)
        space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        rows = f'<worksheet xmlns="{space}"><sheetData>{xml}</sheetData></worksheet>'
        given = {"xl/worksheets/sheet1.xml": rows.encode(), **(parts or {})}
        with (
            zipfile.ZipFile(book) as old,
            zipfile.ZipFile(made, "w", how.get("packed", zipfile.ZIP_DEFLATED)) as new,
        ):
            for name in dict.fromkeys([*old.namelist(), *given]):
                new.writestr(name, given.get(name) or old.read(name))
        return made.getvalue()

    return content


def cells(*values: str, row: int = 1, ref: str = "") -> str:
    inner = "".join(
        f'<c{ref} t="inlineStr"><is><t>{value}</t></is></c>' if value else "<c/>"
        for value in values
    )
    return f'<row r="{row}">{inner}</row>'


TITLES = cells("item", "rater", "question", "value")
ANSWER = cells("c1/m1", "ana", "tone", "4", row=2)


def lying(content: Callable[[], bytes], size: int) -> Callable[[], bytes]:
    """A packed file whose list says of every member that it unpacks to so much."""

    def told() -> bytes:
        data = bytearray(content())
        for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
            place = data.find(mark)
            while place >= 0:
                struct.pack_into("<I", data, place + at, size)
                place = data.find(mark, place + 4)
        return bytes(data)

    return told


def parquet(columns: Callable[[], Mapping[str, Any]], **how: Any) -> Callable[[], bytes]:
    def content() -> bytes:
        stream = io.BytesIO()
        pq.write_table(pa.table(dict(columns())), stream, compression="zstd", **how)
        return stream.getvalue()

    return content


def repeated(value: str, times: int) -> Callable[[], Any]:
    """The same text so many times, kept once."""
    return lambda: {
        "item": pa.DictionaryArray.from_arrays(
            pa.array([0]).take(pa.array([0] * times)).cast(pa.int32()), pa.array([value])
        )
    }


def long_parquet(**more: Any) -> Callable[[], Mapping[str, Any]]:
    row = {"item": ["c1/m1"], "rater": ["ana"], "question": ["tone"], "value": ["4"]}
    return lambda: {**row, **more}


def changed(content: Callable[[], bytes], seed: int) -> Callable[[], bytes]:
    """One byte in a hundred is another one."""

    def other() -> bytes:
        import random

        drawn, data = random.Random(seed), bytearray(content())
        for _ in range(max(1, len(data) // 100)):
            data[drawn.randrange(len(data))] = drawn.randrange(256)
        return bytes(data)

    return other


def records(*rows: Any) -> Callable[[], bytes]:
    return text(json.dumps(list(rows)))


def task(annotation: Any, **more: Any) -> Callable[[], bytes]:
    return records({"data": {"item": "c1/m1"}, "annotations": [annotation], **more})


def result(value: Any, kind: Any = "rating", name: Any = "tone", who: str = "ana") -> Any:
    one = {"from_name": name, "type": kind, "value": value}
    return task({"completed_by": who, "result": [one]})


def argilla(responses: Any, **more: Any) -> Callable[[], bytes]:
    return records({"id": "1", "metadata": {"item": "c1/m1"}, "responses": responses, **more})


def deep(depth: int, inner: str = "1") -> str:
    return "[" * depth + inner + "]" * depth


def gold(depth: int) -> Callable[[], bytes]:
    return text(
        f'{{"item": "c1/m1", "rater": "ana", "question": "remark", "value": {deep(depth)}}}'
    )


MILLION = 1_000_000
FILES: dict[str, Hostile] = {
    # rows, columns, cells and texts of delimited files
    "a field of 17 MB": Hostile(".csv", lambda: many("x" * 17 * MILLION, 1)(), "line of more than"),
    "a quoted field of 17 MB in lines": Hostile(
        ".csv",
        lambda: b'item,rater,question,value\nc1/m1,"' + b"abc\n" * 4_400_000,
        "a cell of more",
    ),
    "a quote that is never closed": Hostile(".csv", answers('c1/m1,ana,tone,"4'), "opens a quote"),
    "a million columns": Hostile(
        ".csv", many("", 1, "a," * MILLION), "1,000,001 columns; 2,000 is"
    ),
    "a million columns in quotes": Hostile(
        ".csv", many("", 1, '"a",' * MILLION), "1,000,001 columns; 2,000 is the most"
    ),
    "a million cells in a row": Hostile(
        ".csv", answers("," * MILLION), "row 2 has 1,000,001 columns; 2,000"
    ),
    "a million columns in tabs": Hostile(".tsv", many("", 1, "a\t" * MILLION), "1,000,001 columns"),
    "a million columns in semicolons": Hostile(".txt", many("", 1, "a;" * MILLION), "columns; 2,0"),
    "five million empty rows": Hostile(".csv", many("\n", 5 * MILLION), "more than 4,000,000 rows"),
    "a million empty rows": Hostile(
        ".csv", many("\n", MILLION, GOOD), "1,000,001 empty rows left out"
    ),
    "100,000 rows of too many cells": Hostile(
        ".csv", many("1,2,3,4,5\n", 100_000), "after 2,000 problems the rest was not looked at"
    ),
    "100,000 rows of too few cells": Hostile(
        ".tsv", many("1\n", 100_000, HEAD.replace(",", "\t")), "after 2,000 problems"
    ),
    "50,000 unknown items": Hostile(
        ".csv",
        lambda: answers(*(f"c{n},ana,tone,4" for n in range(50_000)))(),
        "c0 is no item of the round.*after 2,000 problems",
    ),
    "2,000 unknown items of a round of 10,000": Hostile(
        ".csv",
        lambda: answers(*(f"itm {n:05}/m,ana,tone,4" for n in range(2_000)))(),
        "itm 00000/m is no item of the round. Did you mean item 00000/m.*after 2,000 problems",
        items=10_000,
    ),
    "50,000 values off the scale": Hostile(
        ".csv", many("c1/m1,ana,tone,99\n", 50_000), "99 .*after 2,000 problems"
    ),
    "2,000 columns nobody knows": Hostile(
        ".csv",
        lambda: answers(
            "c1/m1,ana,tone,4", head=f"{HEAD},{','.join(f'c{n}' for n in range(1900))}"
        )(),
        "row 2: 4 cells where the header has 1904",
    ),
    "a header of 15 MB": Hostile(".csv", many("", 1, "a" * 15 * MILLION), "no column of answers"),
    "a value of 15 MB": Hostile(
        ".csv",
        answers(f"c1/m1,ana,tone,{'9' * 15 * MILLION}"),
        "row 2, column value: .*has 15,000,000 characters",
    ),
    "a rater's name of a MB": Hostile(
        ".csv", answers(f"c1/m1,{'a' * MILLION},tone,4"), "a+…a+ is no name of a rater"
    ),
    "a million apostrophes": Hostile(
        ".csv", answers(f"c1/m1,ana,tone,{chr(39) * MILLION}="), "row 2, column value"
    ),
    # characters
    "a NUL byte": Hostile(".csv", answers("c1/m1,ana,to\x00ne,4"), "line 2: a NUL byte"),
    "a NUL in JSON Lines": Hostile(".jsonl", text('{"item": "\\u0000"}'), "column item: a NUL"),
    "a NUL in Parquet": Hostile(
        ".parquet", parquet(long_parquet(reason=["a\x00"])), "row 2, column reason: a NUL"
    ),
    "half a character in CSV": Hostile(".csv", answers("c1/m1,ana,tone,\ud800"), "is not UTF-8"),
    "half a character in JSON Lines": Hostile(
        ".jsonl", text('{"item": "\\ud800"}'), "half a character"
    ),
    "half a character as a name in JSON Lines": Hostile(
        ".ndjson", text('{"\\ud800": "x", "item": "y"}'), "row 1.*half a character"
    ),
    "half a character in a task": Hostile(
        ".json", result({"rating": "\ud800"}), "row 1, column tone: '.ud800' is not a number"
    ),
    "half a character as an annotator": Hostile(
        ".json", result({"rating": 4}, who="a\ud800"), "row 1.*not a rater name"
    ),
    "marks of two byte orders": Hostile(".csv", lambda: b"\xff\xfe\xfe\xff" + b"a,b", "not UTF-16"),
    "a byte order mark before each row": Hostile(
        ".csv", many("\ufeffc1/m1,ana,tone,4\n", 3), "row 2: a byte order mark"
    ),
    "UTF-7 by name of nothing": Hostile(".csv", text("+AGkAdA-,b\n"), "no column of answers"),
    # JSON
    "JSON nested 100,000 deep": Hostile(".json", text("[" * 100_000), "nested too deeply|not JSON"),
    "JSON closed 100,000 deep": Hostile(".json", text(deep(100_000)), "nested too deeply"),
    "objects 60 deep": Hostile(".json", text('[{"a":' * 60 + "1" + "}]" * 60), "nested too deeply"),
    "a task's value 900 deep": Hostile(
        ".json",
        text(result("DEEP")().decode().replace('"DEEP"', deep(900))),
        "nested too deeply",
    ),
    "a line 100,000 deep": Hostile(".jsonl", gold(100_000), "row 1: nested too deeply"),
    "a line 60 deep": Hostile(".jsonl", gold(60), "row 1: nested too deeply"),
    "a million empty objects": Hostile(
        ".json", lambda: b"[" + b"{}," * 300_000 + b"{}]", "after 2,000 problems"
    ),
    "3,000 names in lines": Hostile(
        ".jsonl",
        lambda: "\n".join(f'{{"c{n}": 1}}' for n in range(3_000)).encode(),
        "row 2001 has 2,001 columns; 2,000 is the most",
    ),
    "2,000 names, then 33,000 short lines": Hostile(
        ".jsonl",
        lambda: (json.dumps({f"c{n}": 1 for n in range(2_000)}) + '\n{"c1":1}' * 33_000).encode(),
        "more than [0-9,]+ cells",
    ),
    "a number of 5,000 digits": Hostile(".json", text(f'[{{"a": {"1" * 5_000}}}]'), "not JSON"),
    "a line's number of 5,000 digits": Hostile(
        ".jsonl", text(f'{{"a": {"1" * 5_000}}}'), "row 1: not JSON"
    ),
    "a name twice in a task": Hostile(
        ".json",
        text('[{"data": {"item": "c1/m1"}, "data": {}, "annotations": []}]'),
        "stands twice",
    ),
    "a name twice in a line": Hostile(".jsonl", text('{"item": 1, "item": 2}'), "stands twice"),
    "NaN in a line": Hostile(".jsonl", text('{"item": NaN}'), "NaN is no value"),
    # workbooks
    "a row two thousand million": Hostile(
        ".xlsx", sheet(TITLES + cells("a", row=2_000_000_000)), "more than [0-9,]+ rows"
    ),
    "a row in the sixth hundred thousand": Hostile(
        ".xlsx", sheet(TITLES + ANSWER + cells("c", row=600_000)), "more than [0-9,]+ rows"
    ),
    "a header at XFD1": Hostile(
        ".xlsx",
        sheet('<row r="1"><c r="XFD1" t="inlineStr"><is><t>a</t></is></c></row>'),
        "row 1 has 16,384 columns; 2,000 is the most",
    ),
    "a header at XFD1, named .xlsm": Hostile(
        ".xlsm",
        sheet('<row r="1"><c r="XFD1" t="inlineStr"><is><t>a</t></is></c></row>'),
        "16,384 columns",
    ),
    "a cell at ZZZZZZ1": Hostile(
        ".xlsx", sheet('<row r="1"><c r="ZZZZZZ1" t="str"><v>a</v></c></row>'), "not an Excel workb"
    ),
    "a row of a million empty cells": Hostile(
        ".xlsx", sheet(TITLES + "<row>" + "<c/>" * MILLION + "</row>"), "more than [0-9,]+ marks in"
    ),
    "2,000 columns and 100,000 rows": Hostile(
        ".xlsx",
        sheet(cells(*(f"c{n}" for n in range(2_000))) + "<row><c><v>1</v></c></row>" * 100_000),
        "more than [0-9,]+ (marks|cells)",
    ),
    "2,000 columns and 3,000 rows": Hostile(
        ".xlsx",
        sheet(cells(*(f"c{n}" for n in range(2_000))) + "<row><c><v>1</v></c></row>" * 3_000),
        "more than [0-9,]+ cells",
    ),
    "a text of 24 MB in a sheet": Hostile(
        ".xlsx", sheet(cells("a" * 24 * MILLION)), "unpacks to 22 MB; 1[0-9] is the most"
    ),
    "a text of 24 MB that is said to be of 1 kB": Hostile(
        ".xlsx", lying(sheet(cells("a" * 24 * MILLION)), 1_000), "not an Excel workbook"
    ),
    "a shared text of 10 MB in ten cells": Hostile(
        ".xlsx",
        sheet(
            TITLES + "".join('<row><c t="s"><v>0</v></c></row>' for _ in range(10)),
            {
                "xl/sharedStrings.xml": b"<sst><si><t>" + b"a" * 10 * MILLION + b"</t></si></sst>",
            },
        ),
        "a.xlsx",
    ),
    "entities that grow": Hostile(
        ".xlsx",
        sheet(
            parts={
                "xl/worksheets/sheet1.xml": b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">'
                + b"".join(b'<!ENTITY b%d "%s">' % (n + 1, b"&b%d;" % n * 10) for n in range(9))
                + b"]><worksheet>&b9;</worksheet>"
            }
        ),
        "has entities",
    ),
    "entities in UTF-16": Hostile(
        ".xlsx",
        sheet(
            parts={
                "xl/worksheets/sheet1.xml": '<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>'.encode(
                    "utf-16"
                )
            }
        ),
        "has entities",
    ),
    "a format of 400,000 brackets": Hostile(
        ".xlsx",
        sheet(
            TITLES + ANSWER,
            {
                "xl/styles.xml": b'<styleSheet xmlns="http://schemas.openxmlformats.org/'
                b'spreadsheetml/2006/main"><numFmts count="1"><numFmt numFmtId="164" formatCode="'
                + b"[" * 400_000
                + b'"/></numFmts></styleSheet>'
            },
        ),
        "a format of thousands",
    ),
    "20,000 members": Hostile(
        ".xlsx", sheet(parts={f"m{n}": b"x" for n in range(20_000)}), "more than 10,000 files in it"
    ),
    "a member packed by LZMA": Hostile(
        ".xlsx", sheet(TITLES + ANSWER, packed=zipfile.ZIP_LZMA), "is packed as Excel packs none"
    ),
    "a formula": Hostile(
        ".xlsx", sheet(TITLES + '<row r="2"><c r="A2"><f>1+1</f></c></row>'), "cell A2 holds a form"
    ),
    "a number of 5,000 digits in a cell": Hostile(
        ".xlsx", sheet(f"{TITLES}<row><c><v>{'1' * 5_000}</v></c></row>"), "not an Excel workbook"
    ),
    "a zip of nothing": Hostile(".xlsx", lambda: b"PK\x05\x06" + b"\x00" * 18, "not an Excel work"),
    # Parquet
    "twenty million equal numbers": Hostile(
        ".parquet",
        parquet(lambda: {"a": pa.array([True]).take(pa.array([0] * 20 * MILLION))}),
        "more than [0-9,]+ (rows|cells)",
    ),
    "a million equal texts": Hostile(
        ".parquet", parquet(repeated("a", MILLION)), "more than [0-9,]+ rows"
    ),
    "a cell of 24 MB": Hostile(
        ".pq", parquet(lambda: {"item": ["a" * 24 * MILLION]}), "more than [0-9,]+ bytes when unpac"
    ),
    "400,000 times a text of a MB": Hostile(
        ".parquet", parquet(repeated("a" * MILLION, 400_000)), "more than [0-9,]+ characters in its"
    ),
    "texts that repeat the one before": Hostile(
        ".parquet",
        parquet(
            lambda: {"item": ["a" * MILLION] * 60},
            use_dictionary=False,
            column_encoding={"item": "DELTA_BYTE_ARRAY"},
        ),
        "more than [0-9,]+ characters in its",
    ),
    "a list of twenty million numbers": Hostile(
        ".parquet",
        parquet(
            lambda: long_parquet(
                many=pa.ListArray.from_arrays(
                    [0, 20 * MILLION], pa.array([1], pa.int8()).take(pa.array([0] * 20 * MILLION))
                )
            )()
        ),
        TAKEN,
    ),
    "a time beyond the calendar": Hostile(
        ".parquet",
        parquet(long_parquet(answered_at=pa.array([2**62], pa.timestamp("us", "UTC")))),
        "not a Parquet file that can be read",
    ),
    "a text that is no UTF-8": Hostile(
        ".parquet",
        parquet(
            long_parquet(
                reason=pa.Array.from_buffers(
                    pa.string(),
                    1,
                    [None, pa.py_buffer(struct.pack("<ii", 0, 2)), pa.py_buffer(b"\xff\xfe")],
                )
            )
        ),
        "not a Parquet file that can be read",
    ),
    "3,000 columns": Hostile(
        ".parquet", parquet(lambda: {f"c{n}": [1] for n in range(3_000)}), "3,000 columns; 2,000 is"
    ),
    "no columns": Hostile(".parquet", parquet(lambda: {"a": [[1]]}), "no column of texts"),
    "a footer of nothing": Hostile(
        ".parquet", lambda: b"PAR1" + b"\x00" * 8 + b"PAR1", "not a Parq"
    ),
    # YAML
    "a protocol of aliases": Hostile(
        ".yaml", text("a: &a [x]\nb: *a\n"), "anchor 'a'", as_protocol
    ),
    "a protocol 100,000 deep": Hostile(".yaml", text("[" * 100_000), "deeper than 30", as_protocol),
    "a protocol of a MB": Hostile(".yml", text("a: " + "x" * MILLION), "larger than", as_protocol),
    "examples of aliases": Hostile(
        ".yaml",
        text(
            "a: &a [x,x,x,x,x,x,x,x,x]\n"
            + "".join(
                f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n"
                for n in range(9)
            )
        ),
        "line 1: anchor 'a': leave it out",
        as_examples,
    ),
    "examples 100,000 deep": Hostile(".yaml", text("[" * 100_000), "deeper than 30", as_examples),
    "examples in JSON, 100,000 deep": Hostile(
        ".json", text(deep(100_000)), "deeper than", as_examples
    ),
    "examples of a MB": Hostile(".yaml", text("- " + "x" * MILLION), "larger than", as_examples),
    "examples with a tag": Hostile(
        ".yaml", text("- !!python/object/apply:os.system [x]"), "tag .* leave it out", as_examples
    ),
    "examples with numbers for names": Hostile(".yaml", text("- {5: x}"), "a mapping", as_examples),
    # times, kinds
    "an answer of the year 1": Hostile(
        ".csv",
        answers("c1/m1,ana,tone,4,0001-01-01T00:00:00+14:00", head=f"{HEAD},answered_at"),
        "row 2, column answered_at: .*outside the years 1970–2199",
    ),
    "a task of the year 9999": Hostile(
        ".json",
        task({"completed_by": "a", "updated_at": "9999-12-31T23:59:59-14:00", "result": []}),
        "row 1, column updated_at: .*outside the years",
    ),
    "a Parquet file of the year 1": Hostile(
        ".parquet",
        parquet(long_parquet(answered_at=pa.array([-62_135_596_800_000_000], pa.timestamp("us")))),
        "column answered_at: .*outside the years",
    ),
    "a stranger as adjudicator": Hostile(
        ".csv",
        answers("c1/m1,stranger,tone,4,adjudicator", head=f"{HEAD},rater_kind"),
        "stranger is called adjudicator, and a file makes nobody that",
    ),
    "a stranger as key, in a wide file": Hostile(
        ".csv",
        answers("c1,m1,stranger,key,4", head="id,model,rater,rater_kind,tone"),
        "stranger is called key",
    ),
    "a stranger as key, in Parquet": Hostile(
        ".parquet", parquet(long_parquet(rater_kind=["key"])), "ana is called key"
    ),
    # tools
    "an annotator that is an object": Hostile(
        ".json", task({"completed_by": {"email": {"a": 1}}, "result": []}), "without an annotator"
    ),
    "a control that is a list": Hostile(
        ".json", result({"rating": 4}, name=["tone"]), "no question"
    ),
    "a kind that is a list": Hostile(
        ".json", result({"rating": 4}, kind=["rating"]), "cannot be read"
    ),
    "a rating that is an object": Hostile(
        ".json", result({"rating": {"a": 1}}), "row 1, column tone"
    ),
    "a million choices": Hostile(
        ".json",
        lambda: result({"choices": ["ok"] * MILLION}, "choices", "verdict")(),
        "1000000 choices .*where one is asked for",
    ),
    "responses that are a text": Hostile(
        ".json", argilla("x"), "row 1, column responses: x is not"
    ),
    "a status that is an object": Hostile(
        ".json",
        argilla([{"values": {"tone": 4}, "user_id": "ana", "status": {"a": 1}}]),
        "is no status of a response",
    ),
    "records that are a text": Hostile(
        ".json", text('{"records": "abc"}'), "not a list of records"
    ),
    # items and parts by the same readers
    "items at XFD1": Hostile(
        ".xlsx",
        sheet('<row r="1"><c r="XFD1" t="inlineStr"><is><t>a</t></is></c></row>'),
        "16,384 columns",
        as_items,
    ),
    "items of a million equal texts": Hostile(
        ".parquet", parquet(repeated("a", MILLION)), "more than [0-9,]+ rows", as_items
    ),
    "items of a million columns": Hostile(
        ".csv", many("", 1, "a," * MILLION), "1,000,001 columns", as_items
    ),
    # and files that are as they should be
    "an honest file": Hostile(".csv", text(GOOD), TAKEN),
    "an honest workbook": Hostile(".xlsx", sheet(TITLES + ANSWER), TAKEN),
    "an honest Parquet file": Hostile(".parquet", parquet(long_parquet()), TAKEN),
    **{
        f"a workbook with bytes changed, {seed}": Hostile(
            ".xlsx", changed(sheet(TITLES + ANSWER), seed), r"a\.xlsx|answer"
        )
        for seed in range(4)
    },
    **{
        f"a Parquet file with bytes changed, {seed}": Hostile(
            ".parquet", changed(parquet(long_parquet()), seed), r"a\.parquet|answer"
        )
        for seed in range(4)
    },
}

LINES = {"stranger": "X2", "year": "X5", "XFD1": "X7", "a row ": "X7"}  # the others are X9


def line(name: str) -> str:
    return next((fault for word, fault in LINES.items() if word in name), "X9")


PROBES = [Probe(name, partial(attack, each, {}), line(name)) for name, each in FILES.items()]

# The same without the guard.


def allow(*_: Any) -> None:
    pass


LIMITS = "raterbook.files.content."
HUGE = (2**40, 0)
WITHOUT: dict[str, dict[str, Any]] = {
    "a quoted field of 17 MB in lines": {f"{LIMITS}LONGEST": 2**31 - 1},
    "a million columns": {f"{LIMITS}MOST_COLUMNS": 2**40},
    "five million empty rows": {f"{LIMITS}MOST_ROWS": 2**40, f"{LIMITS}ROWS": HUGE},
    "100,000 rows of too many cells": {"raterbook.rounds.model.MOST_PROBLEMS": 2**40},
    "50,000 unknown items": {
        "raterbook.rounds.model.MOST_PROBLEMS": 2**40,
        "raterbook.files.names.MOST_SLIPS": 2**40,
    },
    "2,000 unknown items of a round of 10,000": {
        "raterbook.files.names.NEIGHBOURS": 2**40,
        "raterbook.files.names.MOST_SLIPS": 2**40,
    },
    "a task's value 900 deep": {f"{LIMITS}DEEPEST": 2**40},
    "2,000 names, then 33,000 short lines": {
        f"{LIMITS}CELLS": HUGE,
        f"{LIMITS}MOST_CELLS": 2**40,
    },
    "a row two thousand million": {f"{LIMITS}MOST_ROWS": 2**40, f"{LIMITS}ROWS": HUGE},
    "a header at XFD1": {f"{LIMITS}MOST_COLUMNS": 2**40},
    "a row of a million empty cells": {f"{LIMITS}MARKUP": HUGE, f"{LIMITS}TEXT": HUGE},
    "a text of 24 MB in a sheet": {f"{LIMITS}TEXT": HUGE},
    "entities that grow": {"raterbook.files.packed._ENTITIES": re.compile(rb"\xff\xff\xff")},
    "a format of 400,000 brackets": {
        "raterbook.files.packed._LONG_CODE": re.compile(rb"\xff\xff\xff")
    },
    "twenty million equal numbers": {
        f"{LIMITS}MOST_ROWS": 2**40,
        f"{LIMITS}MOST_CELLS": 2**40,
        f"{LIMITS}ROWS": HUGE,
        f"{LIMITS}CELLS": HUGE,
    },
    "a cell of 24 MB": {f"{LIMITS}TEXT": HUGE},
    "400,000 times a text of a MB": {f"{LIMITS}TEXT": HUGE, f"{LIMITS}UNPACKED": 2**60},
    "a protocol of a MB": {"raterbook.protocols.library.LARGEST": 2**40},
    "examples of aliases": {"raterbook.judges.prompts.refuse_cleverness": allow},
    "a task of the year 9999": {"raterbook.rounds.model.LATEST": 2**70},
    "a stranger as adjudicator": {"raterbook.files.importing.refuse_appointments": allow},
}
CONTROLS = [
    Probe(f"without its guard, {name}", partial(attack, FILES[name], without))
    for name, without in WITHOUT.items()
]
