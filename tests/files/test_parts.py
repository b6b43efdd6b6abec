"""Parts as a file: read, written, edited until the first answer, never numbered twice alike."""

import pytest

from raterbook.files import export_parts, import_parts, read_parts
from raterbook.protocols import load
from raterbook.rounds import Event, ItemTable, PartRow, RoundError, Store

from .rounds import protocol_round


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def stem(tmp_path):
    return protocol_round(tmp_path, "stem-sentences", models=("m1",))


def test_sentences_go_out_and_come_back_unchanged(stem, tmp_path):
    assert export_parts(stem, tmp_path / "parts.csv") == 4
    assert lines(tmp_path / "parts.csv")[:3] == [
        "item,part,text",
        "c1/m1,1,The model wins.",
        "c1/m1,2,It uses 0.5 of the data.",
    ]
    assert str(import_parts(stem, tmp_path / "parts.csv")) == "0 split anew, 2 as before"


def test_an_edited_split_gets_numbers_that_were_never_used(stem, tmp_path):
    export_parts(stem, tmp_path / "parts.csv")
    text = (tmp_path / "parts.csv").read_text(encoding="utf-8")
    (tmp_path / "parts.csv").write_text(
        text.replace("c1/m1,2,It uses 0.5", "c1/m1,2,It uses\nc1/m1,3,0.5"), encoding="utf-8"
    )
    assert import_parts(stem, tmp_path / "parts.csv", "one claim each").changed == 1
    parts = {item.key: [(part.number, part.text) for part in item.parts] for item in stem.items()}
    assert parts["c1/m1"] == [(3, "The model wins."), (4, "It uses"), (5, "0.5 of the data.")]
    assert [number for number, _ in parts["c2/m1"]] == [1, 2]


def test_an_item_with_answers_is_frozen_and_the_whole_file_refused(stem, tmp_path):
    export_parts(stem, tmp_path / "parts.csv")
    stem.add_rater("ana")
    stem.save("ana", [Event(None, "c2/m1", "accuracy", "accurate", 1)])
    text = (tmp_path / "parts.csv").read_text(encoding="utf-8").replace("wins", "loses")
    (tmp_path / "parts.csv").write_text(text, encoding="utf-8")
    with pytest.raises(RoundError, match="c2/m1' has answers, and its parts are frozen"):
        import_parts(stem, tmp_path / "parts.csv")
    assert stem.items()[0].parts[0].text == "The model wins."


def test_questions_of_a_case_bring_their_hidden_key_info(tmp_path):
    protocol = load("rag-questeval")
    items = ItemTable.from_records(
        protocol,
        [{"id": "c1", "ground_truth": "t", "generated": "g", "model": model} for model in "ab"],
    )
    (tmp_path / "parts.csv").write_text(
        "case,part,question,key_info\nc1,2,How long?,42 km\nc1,1,Where?,\n", encoding="utf-8"
    )
    rows = read_parts(tmp_path / "parts.csv", protocol, items)
    assert rows[0] == PartRow("c1", 2, "How long?", {"key_info": "42 km"}, 2)
    stored = Store(tmp_path / "r.sqlite").open("r", protocol, items, parts=rows)
    export_parts(stored, tmp_path / "out.csv")
    assert sorted(lines(tmp_path / "out.csv")) == sorted(
        ["item,part,text,key_info", "c1,2,How long?,42 km", "c1,1,Where?,"]
    )
    assert import_parts(stored, tmp_path / "out.csv").changed in (0, 1)


def test_a_protocol_without_parts_takes_none(tmp_path):
    stored = protocol_round(tmp_path, "halo-support")
    with pytest.raises(RoundError, match="halo-support asks about whole items"):
        export_parts(stored, tmp_path / "parts.csv")
