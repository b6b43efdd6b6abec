"""Sheets: a rater's items to fill in away from Jupyter, and taken back as answers."""

import csv

import pytest

from raterbook import Workspace
from raterbook.cli import main
from raterbook.files import FileError
from tests.conftest import ROOT

SAMPLES = ROOT / "data" / "samples"


@pytest.fixture
def opened(tmp_path):
    def opened(name, *raters):
        items = SAMPLES / name / "items.csv"
        return Workspace(tmp_path).open("round-01", name, items, raters=raters, sample=3)

    return opened


def rows_of(file):
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_a_sheet_has_a_row_a_sentence_and_comes_back(opened, tmp_path):
    stored = opened("stem-sentences", "ana", "ben")
    file = stored.sheet("ana", tmp_path / "sheet.csv")
    rows = rows_of(file)
    assert [row["item"] for row in rows if row["part"] == "1"] == [
        item.ref for item in stored.queue("ana")
    ]
    assert len(rows) == stored.status()["parts"]
    for row in rows:
        row["accuracy"] = "accurate"
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert stored.add(file).added == len(rows)
    assert set(stored.answers()["value"].astype(str)) == {"accurate"}


@pytest.mark.parametrize("name", ["halo-support", "neureg-qa", "stem-sentences"])
def test_nothing_that_raters_must_not_know_is_in_a_sheet(opened, tmp_path, name):
    stored = opened(name, "ana")
    fields = stored.protocol.item.fields
    written = stored.sheet("ana", tmp_path / "sheet.csv").read_text(encoding="utf-8")
    secret = {name for name, field in fields.items() if field.show in ("hidden", "after")}
    head = written.splitlines()[0].split(",")
    assert secret.isdisjoint(set(head) - {question.id for question in stored.protocol.questions})
    assert not [item.key for item in stored.items() if item.key in written]
    systems = {item.groups.get("model") for item in stored.items()} - {None, ""}
    assert not [system for system in systems if system in written]


@pytest.mark.parametrize("name", ["feedback-quality", "rag-questeval"])
def test_what_is_shown_one_after_the_other_has_no_sheet(opened, tmp_path, name):
    with pytest.raises(FileError, match="Its raters work in the form"):
        opened(name, "ana").sheet("ana", tmp_path / "sheet.csv")
    assert not (tmp_path / "sheet.csv").exists()


def test_the_command_writes_one_for_people_alone(opened, tmp_path, capsys):
    stored = opened("halo-support", "ana")
    words = ["--workspace", str(tmp_path), "sheet", "round-01"]
    assert main([*words, "ana", str(tmp_path / "sheet.csv")]) == 0
    assert len(rows_of(tmp_path / "sheet.csv")) == 3
    assert main([*words, "auto", str(tmp_path / "none.csv")]) == 2
    assert "auto is automatic: a sheet is for people who rate." in capsys.readouterr().err
    assert main([*words, "anna", str(tmp_path / "none.csv")]) == 2
    assert "anna" in capsys.readouterr().err
    stored.assign(per_item=1)
    stored.add_rater("cem")
    assert main([*words, "cem", str(tmp_path / "none.csv")]) == 2
    said = capsys.readouterr().err
    assert (
        "cem has no items in round-01: give some by `raterbook reassign round-01 FROM cem`" in said
    )
    assert not (tmp_path / "none.csv").exists()
    assert stored.status()["answers"] == 3  # those that came with the items


@pytest.mark.parametrize("name", ["sheet.parquet", "sheet.ods"])
def test_another_ending_than_a_tables_is_refused(opened, tmp_path, name):
    with pytest.raises(FileError, match=r"Use \.csv, \.tsv or \.xlsx"):
        opened("halo-support", "ana").sheet("ana", tmp_path / name)
