"""A layout and a format are registered, and then they are everywhere: files, commands, help."""

from pathlib import Path

import pandas as pd
import pytest

from raterbook.cli import main, parser
from raterbook.files import read_items
from raterbook.files.formats import FORMATS, Format
from raterbook.files.layouts import LAYOUTS
from raterbook.files.layouts.layout import FEATURES, Layout, carries
from raterbook.files.table import Table
from raterbook.rounds import Event, FileError
from raterbook.rounds.model import Given
from raterbook.workspace import Workspace

from .protocols import EVERYTHING, SLOTS

ITEMS = {"id": ["c1", "c1"], "model": ["a", "b"], "text": ["One.", "Two."]}
COMMANDS = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")


def write_cards(out):
    rows = [
        [f"{fact.subject} · {fact.question} · {fact.rater}", fact.text]
        for fact in out.facts
        if fact.status == "answered"
    ]
    return CARDS.encoded(out, Table(out.name, ["card", "says"], rows)), len(rows)


def read_cards(given):
    found = []
    for row, (card, says) in zip(given.table.numbers, given.table.rows):
        item, question, rater = card.split(" · ")
        found.append(Given(row, "says", item, question, says, rater, kind=given.kind))
    return found, [f"{given.table.name}: read as cards."]


CARDS = Layout(
    "cards",
    "one card per answer",
    ("texts",),
    write_cards,
    carries(named=("skipped", "seconds"), refused=("answers about parts",)),
    lambda file, protocol: isinstance(file, Table) and file.columns == ["card", "says"],
    read_cards,
)


def read_bars(data, name, encoding):
    columns, *rows = [line.split("|") for line in data.decode().splitlines()]
    return Table(name, columns, rows, range(2, len(rows) + 2))


def write_bars(table):
    return "".join("|".join(row) + "\n" for row in [table.columns, *table.rows]).encode()


@pytest.fixture
def rounds(tmp_path, monkeypatch):
    """Two rounds of the same items, the first with answers, where cards and bars are known."""
    monkeypatch.setitem(LAYOUTS, "cards", CARDS)
    monkeypatch.setitem(FORMATS, ".bars", Format("bars", read_bars, write_bars))
    monkeypatch.chdir(tmp_path)
    workspace = Workspace(tmp_path)
    first, second = (workspace.open(name, EVERYTHING, pd.DataFrame(ITEMS)) for name in "ab")
    first.add_rater("ana")
    first.save("ana", [Event(None, "c1/a", "tone", 4), Event(None, "c1/b", "tone", 2)])
    return first, second


@pytest.mark.parametrize("file", ["out.csv", "out.jsonl", "out.xlsx", "out.bars"])
def test_a_layout_of_a_test_is_exported_and_imported_by_a_round(rounds, file):
    first, second = rounds
    assert str(first.export(file, "cards")) == f"{file}: 2 answers, layout cards"
    assert str(second.add(file)).startswith("2 answers added")
    assert second.answers()["value"].tolist() == ["4", "2"]
    assert f"{file}: read as cards." in str(second.add(file))


def test_a_layout_of_a_test_is_exported_and_imported_by_the_commands(rounds, capsys):
    assert main(["export", "a", "out.bars", "--layout", "cards"]) == 0
    assert main(["import", "b", "out.bars"]) == 0
    assert "2 answers added, 0 unchanged (ana)" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    said = capsys.readouterr().out
    assert "cards         one card per answer (.csv, .tsv, .jsonl, .xlsx, .bars)" in said


def test_what_a_layout_of_a_test_cannot_carry_is_named_or_refused_as_its_data_say(rounds):
    first, _ = rounds
    first.save("ana", [Event(None, "c1/a", "remark", None, status="skipped", seconds=2)])
    assert str(first.export("o.csv", "cards")).endswith("; not in this file: skipped, seconds")
    parts = first.workspace.open("c", EVERYTHING, pd.DataFrame(ITEMS), parts=parts_file())
    parts.add_rater("ana")
    (ack,) = parts.save("ana", [Event(None, "c1/a", "claim", "holds", 1)])
    assert ack.ok
    with pytest.raises(FileError, match=r"The layout cards cannot carry answers about parts. Use"):
        parts.export("o.csv", "cards")


def parts_file():
    Path("parts.csv").write_text("item,part,text\nc1/a,1,One.\n", encoding="utf-8")
    return "parts.csv"


def test_messages_name_what_is_registered(rounds):
    first, _ = rounds
    with pytest.raises(FileError, match=r"broad is no layout. Use one of .*marks, cards"):
        first.export("o.csv", "broad")
    with pytest.raises(FileError, match=r"o.ods: the layout cards is .*Excel or bars. .*\.bars"):
        first.export("o.ods", "cards")
    Path("i.ods").write_text("id", encoding="utf-8")
    with pytest.raises(FileError, match=r"format '.ods' is not known. Use .*\.bars"):
        read_items("i.ods", EVERYTHING)


def test_items_come_in_a_format_of_a_test(rounds):
    Path("i.bars").write_text("id|text\ns1|One.\n", encoding="utf-8")
    assert [row.key for row in read_items("i.bars", SLOTS).rows] == ["s1"]


def test_help_and_docs_list_every_layout_and_format(capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["export", "--help"])
    said = capsys.readouterr().out
    section = COMMANDS.split("### raterbook export\n")[1].split("\n### ")[0]
    for name, layout in LAYOUTS.items():
        assert f"  {name} " in said
        assert layout.title in said
        assert name in section
    for ending in FORMATS:
        assert f"  {ending} " in said
        assert ending in section
    for feature in FEATURES:
        assert f"\n  {feature.name} " in said
