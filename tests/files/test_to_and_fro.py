"""Out, in and out again: the second file says what the first one said, whatever the texts hold."""

import itertools

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from raterbook.files import export_answers, import_answers, read_file
from raterbook.files.formats import FORMATS, endings
from raterbook.files.layouts import LAYOUTS
from raterbook.files.table import Records, Table
from raterbook.rounds import Event, FileError, ItemTable, Store

from .protocols import EVERYTHING, SLOTS

COUNTER = itertools.count()
WAYS = [
    (layout.name, ending)
    for layout in LAYOUTS.values()
    if layout.read is not None
    for ending in layout.endings
    # Source keeps the commas of the items file, whatever its new name.
    if (layout.name, ending) != ("source", ".tsv")
]
HOSTILE = [
    *("=1+1", "'=x", "''@y", "+1", "-1", "@SUM(A1)", "＝1", "\t=1", "'", "''"),
    *("a\nb", "a\r\nb", "a\rb", "\n", "two\n\nlines", " edge ", "\u2028line\u2029", "\x0b\x0c\x85"),
    *('"', '""', 'say "no"', '";"', "a,b;c\td|e", "\\", "\\n", '{"a": [1]}', "[]", "<b>&amp;"),
    *("\u202eright to left\u202c", "\u200fعربي\u200e", "\u2066עברית\u2069", "e\u0301 é", "\ufeff"),
    *(
        "🙂",
        "👩‍👩‍👧‍👦",
        "𝕏",
        "\U0010fffd",
        "\ufffe",
        "\uffff",
        "\x01\x1f\x7f",
        "\u00ad\u200b\u200d",
    ),
    *("NaN", "nan", "None", "null", "true", "1e5", "0123", "007", "1.0", "_x000D_", "_x005F_x"),
    *("long " * 6_000, "🙂" * 9_000, "=" * 200, '"' * 501, "\n" * 40 + "."),
]
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30),
    st.lists(st.sampled_from(HOSTILE[:60]), min_size=2, max_size=4).map("".join),
).filter(lambda text: text.strip() and len(text) <= 32_000)
slow = settings(
    max_examples=15,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def opened(folder, protocol, text):
    row = {"id": "c", "model": "m", "text": text} if protocol is EVERYTHING else {}
    row = row or {"id": "c", "text": text, "auto_label": "", "human_label": "", "notes": ""}
    items = ItemTable.from_records(protocol, [row])
    return Store(folder / f"{next(COUNTER)}.sqlite").open("r", protocol, items)


def said(file):
    """Its bytes, but for workbooks and Parquet: these know when, and of which round, they are."""
    if file.suffix in (".xlsx", ".parquet"):
        table = read_file(file)
        return table.columns, table.rows
    return file.read_bytes()


@pytest.mark.parametrize(("layout", "ending"), WAYS, ids=lambda given: str(given))
@given(item=texts, first=texts, second=texts)
@slow
def test_out_and_in_and_out_again_is_the_same_file(tmp_path, layout, ending, item, first, second):
    protocol, questions = EVERYTHING, ("remark", "short")
    if layout == "source":
        protocol, questions = SLOTS, ("notes", "label")
        second = "NO EVIDENCE"
    rounds = [opened(tmp_path, protocol, item) for _ in range(2)]
    rounds[0].add_rater("ana")
    events = [
        Event(None, "c" if layout == "source" else "c/m", question, text)
        for question, text in zip(questions, (first, second))
    ]
    acks = rounds[0].save("ana", events)
    if not all(ack.ok for ack in acks):  # what no answer can be, no file holds
        return
    files = [tmp_path / f"{next(COUNTER)}{ending}" for _ in rounds]
    export_answers(rounds[0], files[0], layout)
    import_answers(rounds[1], files[0], rater="ana" if layout == "source" else None)
    export_answers(rounds[1], files[1], layout)
    assert said(files[0]) == said(files[1])
    values = [sorted(round.frame(texts=True)["value"]) for round in rounds]
    assert values[0] == values[1]
    for round in rounds:
        round.store.dispose()


@pytest.mark.parametrize("ending", endings("texts", "values"))
@pytest.mark.parametrize("hostile", ["a\x00b", "\x00", "half \ud83d"])
def test_what_no_text_can_hold_is_refused_by_row_in_every_format(tmp_path, ending, hostile):
    round = opened(tmp_path, EVERYTHING, "t")
    file = tmp_path / f"f{ending}"
    columns = ["item", "rater", "question", "value"]
    try:
        table = Table(file.name, columns, [["c/m", "a", "remark", hostile]])
        file.write_bytes(FORMATS[ending].write(table))
    except UnicodeEncodeError:  # the format cannot even be written so
        return
    with pytest.raises(FileError, match=rf"f{ending}.*(NUL|surrogate|can be read)"):
        import_answers(round, file)
    assert round.frame().empty


@pytest.mark.parametrize("hostile", ["a\x00b", "half \ud83d"])
def test_what_no_text_can_hold_is_refused_in_tools_files(tmp_path, hostile):
    round = opened(tmp_path, EVERYTHING, "t")
    record = {"id": "c", "metadata": {"item": "c/m"}}
    record["responses"] = {"remark": [{"user_id": "ana", "value": hostile}]}
    for responses in (record, {"data": {"item": "c/m"}, "annotations": [annotated(hostile)]}):
        file = Records("f.json", [responses])
        with pytest.raises(ValueError, match="no file can hold"):
            import_answers(round, file)
    assert round.frame().empty


def annotated(text):
    value = {"text": [text]}
    result = {"from_name": "remark", "to_name": "t", "type": "textarea", "value": value}
    return {"completed_by": "ana", "result": [result]}


def test_an_encoding_is_named_where_the_file_is_read(tmp_path):
    round = opened(tmp_path, EVERYTHING, "t")
    file = tmp_path / "f.csv"
    file.write_text("item,rater,question,value\nc/m,ana,remark,日本語\n", encoding="shift_jis")
    import_answers(round, read_file(file, "shift_jis"))
    assert round.frame(texts=True)["value"].tolist() == ["日本語"]
