"""Items from files of every format, under every spelling of their headers."""

import io
import json

import pandas as pd
import pytest

from raterbook.files import read_items
from raterbook.files.items import Triple, read_triples
from raterbook.protocols import load
from raterbook.protocols.kinds import plain
from raterbook.rounds import FileError

NEUREG = load("neureg-qa")
RECORD = {
    "qa_id": "q1",
    "question_type": "relationship",
    "shot_type": "Zero-Shot",
    "question": "Why?",
    "answer": "So.",
    "source_context": "A text, with commas.",
    "source_kg": "1. a → b → c",
}


def fields(source, protocol=NEUREG, **how):
    return [dict(row.fields) for row in read_items(source, protocol, **how).rows]


def test_every_format_gives_the_same_items(tmp_path):
    frame = pd.DataFrame([RECORD])
    frame.to_csv(tmp_path / "i.csv", index=False)
    frame.to_csv(tmp_path / "i.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "i.parquet")
    frame.to_excel(tmp_path / "i.xlsx", index=False)
    (tmp_path / "i.jsonl").write_text(json.dumps(RECORD), encoding="utf-8")
    expected = [{**RECORD, "question_type": "relational", "shot_type": "zero_shot"}]
    for suffix in ("csv", "tsv", "parquet", "xlsx", "jsonl"):
        assert fields(tmp_path / f"i.{suffix}") == expected, suffix
    assert fields(frame) == expected


@pytest.mark.parametrize(
    "text",
    [
        pd.DataFrame([RECORD]).to_csv(index=False),
        json.dumps(RECORD) + "\n",
    ],
    ids=["CSV", "JSONL"],
)
def test_standard_input_is_read_for_a_dash(monkeypatch, text):
    stream = io.BytesIO(text.encode())
    monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": stream}))
    assert fields("-")[0]["qa_id"] == "q1"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("QA_ID", "qa id"),
        ("  qa–id ", "qa id"),
        ("Accuracy  (1–5)", "accuracy"),
        ("KG\u00a0Alignment (1-5)", "kg alignment"),
        ("ＡＮＳＷＥＲ", "answer"),
        ("(x)", ""),
    ],
)
def test_a_header_is_read_without_its_dress(written, found):
    assert plain(written) == found


@pytest.mark.parametrize(
    ("column", "written", "found"),
    [
        ("question_type", "relationship", "relational"),
        ("question_type", "RelQ", "relational"),
        ("question_type", "FactQ", "factual"),
        ("question_type", " Inferential ", "inferential"),
        ("shot_type", "few-shot", "few_shot"),
        ("shot_type", "basic", "zero_shot"),
    ],
)
def test_a_value_gets_the_protocols_spelling(column, written, found):
    assert fields(pd.DataFrame([{**RECORD, column: written}]))[0][column] == found


def test_an_unknown_value_is_refused_with_all_that_are_known():
    with pytest.raises(
        FileError,
        match=r"causal is not known. Use one of factual, relational, "
        "comparative, inferential",
    ):
        fields(pd.DataFrame([{**RECORD, "question_type": "causal"}]))


def test_lists_in_json_lines_become_lines_and_triples(tmp_path):
    record = {**RECORD, "source_kg": [["a", "b", "c"], ["d", "e", "f"]]}
    (tmp_path / "i.jsonl").write_text(json.dumps(record), encoding="utf-8")
    assert fields(tmp_path / "i.jsonl")[0]["source_kg"] == "a → b → c\nd → e → f"


def test_a_bad_triple_is_reported_by_row_and_line():
    record = {**RECORD, "source_kg": "1. a → b → c\n2. a → b\n\n3. x → → z"}
    with pytest.raises(FileError) as caught:
        fields(pd.DataFrame([record]))
    assert str(caught.value).splitlines() == [
        "table, row 2, column source_kg: line 2: 2. a → b is no triple, 2 parts instead of 3. "
        "Write subject → predicate → object.",
        "table, row 2, column source_kg: line 4: 3. x → → z is no triple, the predicate is empty. "
        "Write subject → predicate → object.",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "a → b → c",
        "1. a → b → c",
        "12) a -> b -> c",
        "- a | b | c",
        "(a -> b -> c)",
        "a --> b --> c",
        "a\tb\tc",
        "• a ⇒ b ⇒ c",
        "  a→b→c  ",
    ],
)
def test_triples_come_with_any_arrow_and_numbering(line):
    assert read_triples(line) == ([Triple("a", "b", "c")], [])


@pytest.mark.parametrize(
    ("line", "triple"),
    [
        ("2020 → had → 3.5% growth", ("2020", "had", "3.5% growth")),
        ("1. 16-19 funding → is_paid_by → ESFA", ("16-19 funding", "is_paid_by", "ESFA")),
        ("a|b → c → d", ("a|b", "c", "d")),
        ("U.S. → part_of → North America", ("U.S.", "part_of", "North America")),
    ],
)
def test_a_triple_keeps_what_only_looks_like_a_separator(line, triple):
    assert read_triples(line)[0] == [Triple(*triple)]


def test_further_columns_are_kept_and_named_in_order():
    table = read_items(pd.DataFrame([{**RECORD, "Chapter 2": "x", "role": "gold"}]), NEUREG)
    assert table.rows[0].fields["Chapter 2"] == "x"
    assert table.rows[0].role == "gold"
    assert table.columns == (*RECORD, "Chapter 2")


def test_bare_items_have_no_texts():
    table = read_items(pd.DataFrame([RECORD]), NEUREG, bare=True)
    assert set(table.rows[0].fields) == {"qa_id", "question_type", "shot_type", "source_context"}


def test_an_encoding_can_be_named(tmp_path):
    (tmp_path / "i.csv").write_bytes(
        pd.DataFrame([{**RECORD, "answer": "日本語の文章"}])
        .to_csv(index=False)
        .replace("→", "->")
        .encode("shift_jis")
    )
    assert fields(tmp_path / "i.csv", encoding="shift_jis")[0]["answer"] == "日本語の文章"
    with pytest.raises(FileError, match=r"no encoding is called 'latin-9000'"):
        fields(tmp_path / "i.csv", encoding="latin-9000")


@pytest.mark.parametrize(
    ("encoding", "data"), [("utf-7", b"+2AA-"), ("unicode_escape", b"\\ud800")]
)
def test_half_a_character_of_a_named_encoding_is_refused_with_its_line(tmp_path, encoding, data):
    (tmp_path / "i.csv").write_bytes(b"id,text\n1,whole\n2," + data + b"\n")
    with pytest.raises(FileError, match=r"i\.csv, line 3: half a character \(a lone surrogate\)"):
        fields(tmp_path / "i.csv", encoding=encoding)


def test_a_guessed_encoding_is_told(tmp_path):
    (tmp_path / "i.csv").write_bytes(
        pd.DataFrame([{**RECORD, "answer": "café"}])
        .to_csv(index=False)
        .replace("→", "->")
        .encode("cp1252")
    )
    table = read_items(tmp_path / "i.csv", NEUREG)
    assert table.rows[0].fields["answer"] == "café"
    assert table.notes == ("i.csv is not UTF-8; it was read as Windows-1252.",)


def test_a_bare_round_takes_its_items_from_a_file_of_ratings(tmp_path):
    """One item for all its rows; what differs between them is about ratings and is left out."""
    file = tmp_path / "ratings.csv"
    file.write_text(
        "qa_id,question_type,shot_type,chunk,rater,Accuracy,tokens\n"
        "a,factual,zero_shot,c1,r1,5,10\na,factual,zero_shot,c1,r2,4,12\n"
        "b,factual,one_shot,c1,r1,5,11\n"
    )
    table = read_items(file, load("neureg-qa"), bare=True)
    assert [row.key for row in table.rows] == ["a", "b"]
    assert table.rows[0].fields == {
        "qa_id": "a",
        "question_type": "factual",
        "shot_type": "zero_shot",
        "chunk": "c1",
    }


def test_a_bare_item_that_is_grouped_in_two_ways_is_refused(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("qa_id,question_type,shot_type\na,factual,zero_shot\na,factual,one_shot\n")
    with pytest.raises(FileError, match="row 3"):
        read_items(file, load("neureg-qa"), bare=True)
