"""Hostile and broken files: refused with a name, a place and a remedy, or rightly accepted.

Each case is a file for a round of `everything` with the items c1/m1, c1/m2 and c2/m1, each with two
parts. A case that is refused says with which words, and the database is the same afterwards.
"""

import gzip
import io
import json
import re
import sqlite3
import zipfile
from contextlib import closing

import pytest

from raterbook.files import content, import_answers, read_items, read_parts
from raterbook.protocols import load, parse
from raterbook.rounds import ItemTable, RoundError, Store

from .protocols import EVERYTHING
from .test_roundtrip import parts_of

HEAD = "item,part,rater,question,value"
ROW = "c1/m1,,ana,tone,4"
GOOD = f"{HEAD}\n{ROW}\n"
FINE = "accepted"


def answer(line, head=HEAD):
    return f"{head}\n{line}\n"


def workbook(cells, formula=False):
    import openpyxl

    book = openpyxl.Workbook()
    for row in cells:
        book.active.append(row)
    if not formula:
        for row in book.active.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    cell.data_type = "s"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def zip_bomb():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", b"0" * (600 * 1024**2))
    return stream.getvalue()


def parquet(**columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def tasks(annotations):
    return json.dumps([{"data": {"item": "c1/m1"}, "annotations": annotations}])


def task(**annotation):
    result = [{"from_name": "tone", "type": "rating", "value": {"rating": 4}}]
    return tasks([{"completed_by": "ana", "result": result, **annotation}])


def argilla(responses):
    return json.dumps([{"id": "1", "metadata": {"item": "c1/m1"}, "responses": responses}])


def without_sheets(sheet=None):
    """A workbook whose list of sheets is empty; or with the sheet's XML replaced."""
    made, stream = zipfile.ZipFile(io.BytesIO(workbook([HEAD.split(",")]))), io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name in made.namelist():
            data = made.read(name)
            if name == "xl/workbook.xml" and sheet is None:
                data = re.sub(rb"<sheets>.*?</sheets>", b"<sheets/>", data, flags=re.DOTALL)
            if name == "xl/worksheets/sheet1.xml" and sheet is not None:
                data = sheet
            packed.writestr(name, data)
    return stream.getvalue()


ANSWERS = {
    # nothing, or not a table
    "an empty file": ("a.csv", b"", "a.csv is empty"),
    "only a byte order mark": ("a.csv", b"\xef\xbb\xbf", "no names of columns"),
    "only blank lines": ("a.csv", b"\n\n\r\n", "no names of columns"),
    "only a header": ("a.csv", HEAD + "\n", "no answers in it"),
    "a header of nothing": ("a.csv", ",,,\n1,2,3,4\n", "no names of columns"),
    "a picture": ("a.csv", b"\x89PNG\r\n\x1a\n123", "not a text file"),
    "a workbook named .csv": ("a.csv", workbook([HEAD.split(",")]), "not a text file"),
    "a gzip named .csv": ("a.csv", gzip.compress(GOOD.encode()), "not a text file"),
    "a Parquet file named .csv": ("a.csv", parquet(item=["x"]), "not a text file"),
    "random bytes": ("a.csv", bytes(range(1, 256)) * 4, "not UTF-8"),
    "NUL bytes": ("a.csv", GOOD.encode().replace(b"tone", b"to\x00ne"), "line 2: a NUL byte"),
    "UTF-16 without its mark": ("a.csv", GOOD.encode("utf-16-le"), "NUL byte.*UTF-16"),
    "a file that is not there": ("missing.csv", None, "no such file"),
    "an unknown format": ("a.docx", b"hello", "format '.docx' is not known"),
    "an old workbook": ("a.xls", b"hello", "old Excel files"),
    "a text named .xlsx": ("a.xlsx", b"hello", "not an Excel workbook"),
    "a text named .parquet": ("a.parquet", b"hello", "not a Parquet file"),
    "a cut Parquet file": ("a.parquet", parquet(item=["x"])[:-9], "not a Parquet file"),
    "a workbook that unpacks to 600 MB": ("a.xlsx", zip_bomb, "unpacks to 600 MB"),
    "JSON that is cut": ("a.json", b'[{"id": 1', "not JSON"),
    "JSON that is a number": ("a.json", b"17", "not a list of records"),
    "JSON without records": ("a.json", b"[]", "no records"),
    "JSON nested 100,000 deep": ("a.json", b"[" * 100_000, "nested too deeply|not JSON"),
    "Label Studio tasks that are texts": ("a.json", '{"tasks": ["a", "b"]}', "not a list of rec"),
    "annotations that are texts": ("a.json", tasks(["x"]), "row 1, column annotations: .*'x'.*no"),
    "annotations that are a number": ("a.json", tasks(5), "row 1, column annotations: 5 is not a"),
    "results that are texts": ("a.json", task(result=["x"]), "row 1, column result: .*'x'.*not a"),
    "a result whose value is a text": (
        "a.json",
        task(result=[{"from_name": "verdict", "type": "choices", "value": "ok"}]),
        "row 1, column verdict: ok is not the object",
    ),
    "an annotator that is a list": ("a.json", task(completed_by=[1]), "without an annotator"),
    "a time that is a list": ("a.json", task(updated_at=[1]), "row 1, column updated_at: .*no"),
    "predictions that are a number": (
        "a.json",
        '[{"data": {"item": "c1/m1"}, "annotations": [], "predictions": 5}]',
        "no answers in it",
    ),
    "Argilla's responses as texts": ("a.json", argilla({"tone": "x"}), "row 1, column tone: .*'x'"),
    "Argilla's responses as a list of texts": ("a.json", argilla(["x"]), "column responses: .*'x'"),
    "Argilla's values as a text": (
        "a.json",
        argilla([{"values": "x", "user_id": "ana"}]),
        "row 1, column responses: x is not an object of values",
    ),
    "Argilla's users as a number": (
        "a.json",
        '[{"id": "c1/m1", "tone.responses": [4], "tone.responses.users": 5}]',
        "row 1, column tone.responses: .*not lists of one length",
    ),
    "a JSON line nested 900 deep": (
        "a.jsonl",
        '{"item": "c1/m1", "rater": "ana", "question": "remark", "value": '
        + "[" * 900
        + "]" * 900
        + "}",
        "row 1: nested too deeply",
    ),
    "a workbook without sheets": ("a.xlsx", lambda: without_sheets(), "a.xlsx has no sheet with"),
    "a workbook whose sheet is broken": (
        "a.xlsx",
        lambda: without_sheets(b"<oops"),
        "a.xlsx is not an Excel workbook that can be read",
    ),
    # encodings
    "UTF-8 with its mark": ("a.csv", "\ufeff" + GOOD, FINE),
    "UTF-16 with its mark": ("a.csv", GOOD.encode("utf-16"), FINE),
    "UTF-32 with its mark": ("a.csv", GOOD.encode("utf-32"), FINE),
    "Windows-1252": ("a.csv", answer("c1/m1,,ana,remark,caf\xe9").encode("cp1252"), FINE),
    "Shift JIS": (
        "a.csv",
        answer("c1/m1,,ana,remark,日本語の文章").encode("shift_jis"),
        "line 2: byte 0x.. is not UTF-8, and the encoding cannot be told",
    ),
    "Polish Windows-1250": (
        "a.csv",
        answer("c1/m1,,ana,remark,Łódź może").encode("cp1250"),
        "not UTF-8, and the encoding cannot be told",
    ),
    "UTF-16 cut in half": ("a.csv", GOOD.encode("utf-16")[:-1], "not UTF-16-LE as it says"),
    "a mark in the middle": ("a.csv", GOOD + "\ufeff" + GOOD, "row 3: a byte order mark"),
    "half a character in JSON": (
        "a.jsonl",
        '{"item": "c1/m1", "rater": "ana", "question": "remark", "value": "\\ud800"}',
        "half a character",
    ),
    "a NUL in JSON": (
        "a.jsonl",
        '{"item": "c1/m1", "rater": "ana", "question": "remark", "value": "\\u0000"}',
        "NUL character",
    ),
    # shapes
    "100,000 columns": ("a.csv", ",".join(f"c{n}" for n in range(100_000)), "100,000 columns"),
    "mixed newlines": ("a.csv", f"{HEAD}\r\n{ROW}\nc1/m2,,ana,tone,4\rc2/m1,,ana,tone,5\n", FINE),
    "an unclosed quote": ("a.csv", answer('c1/m1,,ana,remark,"oh no'), "row 2 opens a quote"),
    "a quote in the middle": ("a.csv", answer('c1/m1,,ana,remark,"oh" no'), "row 2 has a quote"),
    "a quote inside an unquoted cell": ("a.csv", answer('c1/m1,,ana,remark,oh "no"'), FINE),
    "too few cells": ("a.csv", answer("c1/m1,,ana,tone"), "row 2: 4 cells where the header has 5"),
    "an unquoted comma": ("a.csv", answer("c1/m1,,ana,remark,yes, but"), "row 2: 6 cells"),
    "empty cells too many": ("a.csv", answer(ROW + ",,,"), FINE),
    "semicolons": ("a.csv", GOOD.replace(",", ";"), FINE),
    "tabs in a .tsv": ("a.tsv", GOOD.replace(",", "\t"), FINE),
    "commas in a .tsv": ("a.tsv", GOOD, "no column of answers"),
    "a column twice": ("a.csv", answer(ROW + ",4", HEAD + ",value"), "column value: stands twice"),
    "two columns for one thing": (
        "a.csv",
        answer(ROW + ",ben", HEAD + ",Annotator"),
        "means the same as column rater",
    ),
    "a column that is not one": ("a.csv", answer(ROW + ",x", HEAD + ",mood"), FINE),
    "a column nearly one": (
        "a.csv",
        answer(ROW + ",80", HEAD + ",confidense"),
        "column confidense: no such column. Did you mean confidence?",
    ),
    "a column without a name": ("a.csv", answer(ROW + ",x", HEAD + ","), "column 6 has no name"),
    "no rater": ("a.csv", "item,question,value\nc1/m1,tone,4\n", "no column says who answered"),
    "no question": ("a.csv", "item,rater,value\nc1/m1,ana,4\n", "no column of answers"),
    "blank spreadsheet rows": ("a.csv", GOOD + ",,,,\n" * 50, FINE),
    "headers in capitals with dashes": ("a.csv", "Item,PART,Rater,Question,Value\n" + ROW, FINE),
    "a list where JSON has objects": ("a.jsonl", "[1, 2]\n", "row 1: .* is not an object"),
    "JSON lines with a name twice": ("a.jsonl", '{"item": 1, "item": 2}', "'item' stands twice"),
    "NaN in JSON": (
        "a.jsonl",
        '{"item": "c1/m1", "rater": "ana", "question": "tone", "value": NaN}',
        "NaN is no value",
    ),
    # values
    "a value off the scale": (
        "a.csv",
        answer("c1/m1,,ana,tone,6"),
        r"a.csv, row 2, column value: 6 is outside 1–5 for “tone”. "
        r"Use one of 1, 2, 3, 4, 5.",
    ),
    "4.5 on whole steps": ("a.csv", answer("c1/m1,,ana,tone,4.5"), "4.5 is not a whole number"),
    "4.0 on whole steps": ("a.csv", answer("c1/m1,,ana,tone,4.0"), FINE),
    "four in letters": ("a.csv", answer("c1/m1,,ana,tone,four"), "'four' is not a number"),
    "NaN on a scale": ("a.csv", answer("c1/m1,,ana,tone,NaN"), "'NaN' is not a number"),
    "infinity on a scale": ("a.csv", answer("c1/m1,,ana,overall,inf"), "'inf' is not a number"),
    "1e0 on a scale": ("a.csv", answer("c1/m1,,ana,tone,1e0"), "'1e0' is not a number"),
    "Arabic digits": ("a.csv", answer("c1/m1,,ana,tone,٤"), "is not a number"),
    "a label spelled nan": ("a.csv", answer("c1/m1,,ana,verdict,nan"), FINE),
    "a label spelled NaN": ("a.csv", answer("c1/m1,,ana,verdict,NaN"), FINE),
    "a label with an underscore": ("a.csv", answer("c1/m1,,ana,verdict,no_evidence "), FINE),
    "an unknown label": (
        "a.csv",
        answer("c1/m1,,ana,verdict,maybe"),
        "'maybe' is not one of nan, =good, NO EVIDENCE, ok for “verdict”",
    ),
    "a label like a formula, prefixed": ("a.csv", answer("c1/m1,,ana,verdict,'=good"), FINE),
    "a text like a formula": ("a.csv", answer("c1/m1,,ana,remark,=HYPERLINK(1)"), FINE),
    "a fraction for a percentage": ("a.csv", answer("c1/m1,,ana,sure,0.85"), "write 85 or 0.85%"),
    "85% for a percentage": ("a.csv", answer("c1/m1,,ana,sure,85%"), FINE),
    "a number of 5,000 digits": ("a.csv", answer("c1/m1,,ana,tone," + "9" * 5000), "not a number"),
    "an unknown item": (
        "a.csv",
        answer("c1/m9,,ana,tone,4"),
        "column item: c1/m9 is no item of the round. Did you mean c1/m",
    ),
    "a case with two items": ("a.csv", answer("c1,,ana,tone,4"), "c1 names 2 items. Write which"),
    "a case with one item": ("a.csv", answer("c2,,ana,tone,4"), FINE),
    "an unknown question": ("a.csv", answer("c1/m1,,ana,mood,4"), "mood is no question of"),
    "a part that is not there": ("a.csv", answer("c1/m1,3,ana,claim,holds"), "no part 3. It has 1"),
    "a part of a whole": ("a.csv", answer("c1/m1,1,ana,tone,4"), "asked about the whole"),
    "a part left out": ("a.csv", answer("c1/m1,,ana,claim,holds"), "asked about each part"),
    "part 1.5": ("a.csv", answer("c1/m1,1.5,ana,claim,holds"), "1.5 is no part"),
    "a comment where none is taken": (
        "a.csv",
        answer(ROW.replace("tone", "balance") + ",oh", HEAD + ",comment"),
        "“balance” takes no comment of its own. Comment on tone; or",
    ),
    "a status that is none": (
        "a.csv",
        answer(ROW + ",maybe", HEAD + ",status"),
        "maybe is no status. Use one of answered, not_applicable",
    ),
    "a value that was skipped": (
        "a.csv",
        answer(ROW + ",skipped", HEAD + ",status"),
        "4 stands with the status skipped",
    ),
    "confidence over 100": ("a.csv", answer(ROW + ",101", HEAD + ",confidence"), "101 is no conf"),
    "negative seconds": ("a.csv", answer(ROW + ",-1", HEAD + ",seconds"), "-1 is no number of sec"),
    "a time that is none": (
        "a.csv",
        answer(ROW + ",yesterday", HEAD + ",answered_at"),
        "'yesterday' is not a time",
    ),
    "replicate 0": ("a.csv", answer(ROW + ",0", HEAD + ",replicate"), "0 is no replicate"),
    "an unknown kind of rater": (
        "a.csv",
        answer(ROW + ",alien", HEAD + ",rater_kind"),
        "alien is no kind of rater",
    ),
    "one rater of two kinds": (
        "a.csv",
        f"{HEAD},rater_kind\n{ROW},human\nc1/m2,,ana,tone,4,model",
        "more than one kind",
    ),
    "a rater of another kind": (
        "a.csv",
        answer(ROW.replace("ana", "bot") + ",human", HEAD + ",rater_kind"),
        "bot is known here with",
    ),
    "a rater without a name": ("a.csv", answer("c1/m1,,,tone,4"), "column rater: empty"),
    "a rater's name of 200 letters": ("a.csv", answer(ROW.replace("ana", "a" * 200)), "no name of"),
    "a rater's name with a newline": ("a.csv", answer(ROW.replace("ana", '"a\nb"')), "no name of"),
    "a rater's name that is a path": ("a.csv", answer(ROW.replace("ana", "../etc/passwd")), FINE),
    "a rater's name that is SQL": (
        "a.csv",
        answer(ROW.replace("ana", "x'); DROP TABLE rater;--")),
        FINE,
    ),
    "the same answer twice": ("a.csv", GOOD + ROW + "\n", FINE),
    "two answers to one question": (
        "a.csv",
        GOOD + ROW.replace("4", "5") + "\n",
        "row 3, column value: 5 contradicts row 2, where ana gave 4",
    ),
    "another answer than is stored": (
        "a.csv",
        answer("c1/m1,,ben,tone,1"),
        "1 differs from 3, which ben gave before. Use --replace",
    ),
    "a formula in a workbook": (
        "a.xlsx",
        lambda: workbook([HEAD.split(","), ["c1/m1", None, "ana", "tone", "=2+2"]], formula=True),
        "cell E2 holds a formula",
    ),
    "numbers in a workbook": (
        "a.xlsx",
        lambda: workbook([HEAD.split(","), ["c1/m1", None, "ana", "tone", 4.0]]),
        FINE,
    ),
    "numbers in a Parquet file": (
        "a.parquet",
        parquet(item=["c1/m1"], rater=["ana"], question=["tone"], value=[4.0]),
        FINE,
    ),
}


def everything(store):
    rows = [
        {"id": case, "model": model, "text": "A text."}
        for case, model in (("c1", "m1"), ("c1", "m2"), ("c2", "m1"))
    ]
    items = ItemTable.from_records(EVERYTHING, rows)
    stored = store.open("r", EVERYTHING, items, raters=["ana"], parts=parts_of(rows))
    stored.add_rater("bot", "model")
    return stored


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "r.sqlite"
    stored = everything(Store(path))
    file = path.with_name("first.csv")
    file.write_text(answer("c1/m1,,ben,tone,3"), encoding="utf-8")
    import_answers(stored, file)
    return stored


def dump(stored):
    with closing(sqlite3.connect(stored.store.path)) as connection, connection:
        lines = list(connection.iterdump())
    connection.close()
    return lines


@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_file_of_answers(stored, tmp_path, name):
    file, data, expected = ANSWERS[name]
    data = data() if callable(data) else data
    if data is not None:
        (tmp_path / file).write_bytes(data.encode() if isinstance(data, str) else data)
    if expected == FINE:
        fresh = everything(Store(tmp_path / "fine.sqlite"))
        assert import_answers(fresh, tmp_path / file).added >= 1
        return
    before = dump(stored)
    with pytest.raises(RoundError, match=expected) as caught:
        import_answers(stored, tmp_path / file)
    message = str(caught.value)
    assert file in message
    assert str(tmp_path) not in message
    assert dump(stored) == before


def test_there_are_at_least_eighty_of_them():
    assert len(ANSWERS) + len(ITEMS) + len(PARTS) >= 80


ITEMS = {
    "a key twice": ("id,text\na,x\na,y\n", "row 3, column id: a names the same item as row 2"),
    "keys that join alike": ("id,model,text\na,b/c,x\na/b,c,y\n", "joined by “/”, the same name"),
    "no key": ("text\nx\n", "row 1: no column id. The file has text"),
    "an empty key": ("id,text\n ,x\n", "row 2, column id: empty, and it names the item"),
    "a required column missing": ("id\na\n", "row 1: no column text"),
    "a role that is none": ("id,text,role\na,x,boss\n", "boss is no role. Use one of main"),
    "a case that contradicts itself": (
        "id,model,text,domain\na,m,x,law\na,n,y,art\n",
        "art differs from row 2 of the same case a",
    ),
    "no rows": ("id,text\n", "no items under the header"),
    "a name that is a path": ("id,text\n../../etc/passwd,x\n", FINE),
    "a name that is a formula": ("id,text\n=cmd|' /C calc'!A0,x\n", FINE),
    "further columns": ("id,text,colour\na,x,red\n", FINE),
    "a column twice under one alias": ("id,ID,text\na,b,x\n", "means the same as column id"),
}
PARTS = {
    "no text": ("item,part,text\na,1,\n", "row 2, column text: empty"),
    "a part twice": ("item,part,text\na,1,x\na,1,y\n", "part 1 of a stands in row 2 already"),
    "part 0": ("item,part,text\na,0,x\n", "0 is no number of a part"),
    "an unknown item": ("item,part,text\nb,1,x\n", "b is no item of the round"),
    "an unknown column": ("item,part,text,mood\na,1,x,y\n", "mood is no column of parts"),
    "numbers left out": ("item,part,text\na,,x\na,,y\n", FINE),
}


@pytest.mark.parametrize(("text", "expected"), ITEMS.values(), ids=ITEMS)
def test_a_hostile_file_of_items(tmp_path, text, expected):
    (tmp_path / "items.csv").write_text(text, encoding="utf-8")
    if expected == FINE:
        items = read_items(tmp_path / "items.csv", EVERYTHING)
        Store(tmp_path / "r.sqlite").open("r", EVERYTHING, items, raters=["ana"])
        return
    with pytest.raises(RoundError, match=expected):
        read_items(tmp_path / "items.csv", EVERYTHING)


@pytest.mark.parametrize(("text", "expected"), PARTS.values(), ids=PARTS)
def test_a_hostile_file_of_parts(tmp_path, text, expected):
    items = ItemTable.from_records(EVERYTHING, [{"id": "a", "text": "x"}])
    (tmp_path / "parts.csv").write_text(text, encoding="utf-8")
    if expected == FINE:
        assert len(read_parts(tmp_path / "parts.csv", EVERYTHING, items)) == 2
        return
    with pytest.raises(RoundError, match=expected):
        read_parts(tmp_path / "parts.csv", EVERYTHING, items)


def test_a_line_of_a_gigabyte_is_refused_after_its_first_megabytes(tmp_path, monkeypatch):
    class Endless(io.RawIOBase):
        sent = 0

        def read(self, size=-1):
            self.sent += size
            return b"x" * size

    stream = Endless()
    monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": stream}))
    with pytest.raises(RoundError, match=r"standard input has a line of more than 16 MB"):
        content.read_bytes("-")
    assert stream.sent < 20 * 1024**2


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\nb: [*a, *a]\n",
        "&a [*a]",
        "name: !!python/object/apply:os.system ['true']",
        "x: " + "[" * 1000,
        "a: 1\na: 2\n",
    ],
    ids=["aliases", "a loop", "a tag", "deep", "a key twice"],
)
def test_a_hostile_protocol_is_refused(text):
    with pytest.raises(ValueError, match=r"bad.yaml"):
        parse(text, source="bad.yaml")


def test_a_row_with_many_problems_of_one_kind_is_named_once(tmp_path):
    """Triples are a cell of lines; each that is none is a problem of its own."""
    lines = "\n".join(f"{n} no triple" for n in range(9))
    head = "qa_id,question_type,shot_type,question,answer,source_context,source_kg"
    row = 'p{},factual,zero_shot,What?,That.,A text.,"{}"'
    for rows, said in ((1, "The same in 8 more places, row 2."),
                       (2, "The same in 17 more places, rows 2, 3.")):  # fmt: skip
        cells = [row.format(n, lines) for n in range(rows)]
        (tmp_path / "items.csv").write_text("\n".join([head, *cells]), "utf-8")
        with pytest.raises(ValueError, match="is no triple") as caught:
            read_items(tmp_path / "items.csv", load("neureg-qa"))
        assert str(caught.value).endswith(said)


def test_many_problems_of_one_kind_are_one_line_with_the_first_rows(stored, tmp_path):
    rows = [f"c1/m{number},,ana,tone,4" for number in range(3, 53)]
    rows += [f"c1/m1,,rater {number},tone,{number}" for number in range(6, 36)]
    (tmp_path / "a.csv").write_text("\n".join([HEAD, *rows, "c1/m1,,ana,mood,4"]), "utf-8")
    with pytest.raises(RoundError) as caught:
        import_answers(stored, tmp_path / "a.csv")
    lines = str(caught.value).splitlines()
    assert lines == [
        "a.csv, row 2, column item: c1/m3 is no item of the round. Did you mean c1/m2? "
        "The same in 49 more rows: 3, 4, 5, 6, 7 and 44 more.",
        "a.csv, row 52, column value: 6 is outside 1–5 for “tone”. Use one of 1, 2, 3, 4, 5. "
        "The same in 29 more rows: 53, 54, 55, 56, 57 and 24 more.",
        lines[2],
    ]
    assert lines[2].startswith("a.csv, row 82, column question: mood is no question of everything")
    assert len(caught.value.problems) == 81


def test_a_few_problems_of_one_kind_have_a_line_each_and_many_kinds_are_cut(stored, tmp_path):
    rows = [f"c1/m1,,ana,{question},x" for question in ("tone", "overall", "sure") for _ in "abcde"]
    rows += [
        f"c1/m1,,ana,{question},x"
        for question in ("verdict", "fair", "balance", "worth")
        for _ in "abcde"
    ]
    (tmp_path / "a.csv").write_text("\n".join([HEAD, *rows]), "utf-8")
    with pytest.raises(RoundError) as caught:
        import_answers(stored, tmp_path / "a.csv")
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert [line.partition(":")[0] for line in lines[:5]] == [
        f"a.csv, row {row}, column value" for row in range(2, 7)
    ]
    assert lines[-1].startswith("and ")
