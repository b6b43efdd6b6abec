"""Out, in, and out again: the second file is the first one, whatever the texts."""

import pytest

from raterbook.files import export_answers, import_answers
from raterbook.rounds import Event, ItemTable, Store

from .protocols import EVERYTHING, SLOTS

TEXTS = [
    "=1+1",
    "+1",
    "-1",
    "-",
    "@x",
    "'=x",
    "''@y",
    "'",
    "=cmd|' /C calc'!A0",
    "\tx",
    "a\tb",
    "a\nb",
    "a\r\nb",
    "a\rb",
    "\nx",
    "x\n",
    '"',
    '""',
    'say "no"',
    "a,b;c",
    " edge ",
    "  two",
    "nan",
    "NaN",
    "NA",
    "N/A",
    "null",
    "None",
    "true",
    "1e5",
    "00",
    "0123",
    "4",
    "4.0",
    "inf",
    "1_000",
    "0.5%",
    "\u202eright to left",
    "\u200fx",
    "a\u0301",
    "é中文🙂",
    "\u00a0x\u00a0",
    "a\u2028b",
    "a\u0085b",
    "a\x0bb",
    "a\x0cb",
    "\x1b[31mred",
    "\ufeffx",
    "\ufffe",
    "\uffff",
    "\ufffd",
    "_x000D_",
    "_x005F_",
    "<b>&amp;",
    "{}",
    "[1]",
    "\\",
    "\\n",
    "---",
    "# x",
    "|a|b|",
    "x" * 5000,
]


def round_of(folder, protocol):
    rows = [
        {"id": f"i{number:02}", "text": "A text.", "model": "m"} for number in range(len(TEXTS))
    ]
    if protocol is SLOTS:
        (folder / "items.csv").write_text(
            "id,text,auto_label,human_label,notes\n"
            + "".join(f"{row['id']},A text.,SUPPORTED,,\n" for row in rows),
            encoding="utf-8",
        )
        from raterbook.files import read_items

        items = read_items(folder / "items.csv", protocol)
    else:
        items = ItemTable.from_records(protocol, rows)
    return Store(folder / "r.sqlite").open("r", protocol, items)


@pytest.mark.parametrize(
    ("layout", "suffix", "protocol"),
    [
        ("long", ".csv", EVERYTHING),
        ("long", ".tsv", EVERYTHING),
        ("long", ".jsonl", EVERYTHING),
        ("long", ".xlsx", EVERYTHING),
        ("parquet", ".parquet", EVERYTHING),
        ("wide", ".csv", EVERYTHING),
        ("wide", ".tsv", EVERYTHING),
        ("wide", ".jsonl", EVERYTHING),
        ("wide", ".xlsx", EVERYTHING),
        ("label-studio", ".json", EVERYTHING),
        ("argilla", ".json", EVERYTHING),
        ("source", ".csv", SLOTS),
    ],
    ids=lambda each: getattr(each, "name", each),
)
def test_hostile_texts_go_out_come_in_and_go_out_the_same(tmp_path, layout, suffix, protocol):
    asked = "notes" if protocol is SLOTS else "remark"
    for name in "ab":
        (tmp_path / name).mkdir()
    first, second = round_of(tmp_path / "a", protocol), round_of(tmp_path / "b", protocol)
    first.add_rater("ana")
    acks = first.save(
        "ana",
        [
            Event(None, item.key, asked, text)
            for item, text in zip(first.items(), TEXTS, strict=True)
        ],
    )
    assert all(ack.ok for ack in acks), [ack for ack in acks if not ack.ok]
    files = [tmp_path / name / f"out{suffix}" for name in "ab"]
    export_answers(first, files[0], layout)
    import_answers(second, files[0], rater="ana" if layout == "source" else None)
    kept = second.frame(texts=True).query(f"question == '{asked}'")
    assert dict(zip(kept["item"], kept["value"])) == {
        item.key: text for item, text in zip(first.items(), TEXTS, strict=True)
    }
    export_answers(second, files[1], layout)
    if suffix != ".xlsx":  # a zip of its own time
        assert files[1].read_bytes() == files[0].read_bytes()
