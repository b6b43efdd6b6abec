"""An archive of rounds: Parquet with schema and hashes, and numbers counted where it lies."""

import json

import pyarrow.parquet as pq
import pytest

import raterbook.numbers.archived as archived
from raterbook.cli import main
from raterbook.files.archive import SEAL, open_archive, rounds_of, seal, write_archive
from raterbook.rounds.model import FileError
from tests.files.archived_round import opened

pytest.importorskip("ibis")
pytestmark = [
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*infer_string:DeprecationWarning"),
]


@pytest.fixture
def round(tmp_path):
    return opened(tmp_path)


@pytest.fixture
def archive(round, tmp_path):
    return write_archive(round, tmp_path / "archive")


def test_a_changed_file_is_named(archive, tmp_path):
    file = archive.files[0]
    table = pq.read_table(file)
    pq.write_table(table.take(list(range(len(table)))[::-1]), file)
    with pytest.raises(FileError, match=r"answers-0.parquet was changed after it was sealed"):
        open_archive(tmp_path / "archive", "pilot")
    pq.write_table(table.slice(1), file)
    with pytest.raises(FileError, match=r"answers-0.parquet has 620 rows, and its seal says 621"):
        open_archive(tmp_path / "archive", "pilot")


def test_a_missing_a_strange_and_an_odd_file_are_named(archive, tmp_path):
    file, folder = archive.files[0], tmp_path / "archive"
    other = file.with_name("more.parquet")
    other.write_bytes(file.read_bytes())
    with pytest.raises(FileError, match=r"more.parquet is not in archive.json"):
        open_archive(folder, "pilot")
    file.rename(other)
    with pytest.raises(FileError, match=r"answers-0.parquet is missing"):
        open_archive(folder, "pilot")
    pq.write_table(pq.read_table(other).drop_columns("rater"), file)
    other.unlink()
    with pytest.raises(FileError, match="the column rater is missing, and the seal says string"):
        open_archive(folder, "pilot")


def test_another_protocol_under_the_same_hash_is_refused(archive, tmp_path):
    file = archive.folder / SEAL
    sealed = json.loads(file.read_text("utf-8"))
    asked = sealed["protocol"]
    asked["text"] = asked["text"].replace("at_least: 0.5", "at_least: 0.1")
    file.write_text(json.dumps(sealed), encoding="utf-8")
    with pytest.raises(FileError, match="the protocol is not the one its hash is of"):
        open_archive(tmp_path / "archive", "pilot")


def test_files_that_others_wrote_can_be_sealed(archive, tmp_path):
    table, protocol = pq.read_table(archive.files[0]), archive.protocol
    folder = tmp_path / "other" / "round=joined"
    folder.mkdir(parents=True)
    pq.write_table(table.slice(0, 100), folder / "a.parquet")
    pq.write_table(table.slice(100), folder / "b.parquet")
    seal(folder, "joined", protocol)
    joined = open_archive(tmp_path / "other", "joined")
    assert joined.rows == archive.rows
    assert rounds_of(tmp_path / "other") == ["joined"]


def test_an_archive_is_there_whole_or_not_at_all(round, archive, tmp_path, monkeypatch):
    with pytest.raises(FileError, match="is there already"):
        write_archive(round, tmp_path / "archive")

    def broken(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("raterbook.files.archive.seal", broken)
    with pytest.raises(FileError, match="No space left"):
        write_archive(round, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []


def test_the_commands_write_an_archive_and_report_on_it(round, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    place, folder = ["--workspace", str(round.workspace.path)], str(tmp_path / "archive")
    assert main([*place, "archive", "pilot", folder]) == 0
    assert main([*place, "report", "--archive", folder, "pilot"]) == 0
    page = round.workspace.reports / "pilot" / "index.html"
    assert str(page) in capsys.readouterr().out
    text = page.read_text("utf-8")
    assert "Without a value: " in text
    assert "take them into a workspace" in text
    assert json.loads((page.parent / "numbers.json").read_text("utf-8"))["round"] == "pilot"


def test_a_page_of_the_workspace_is_not_replaced_by_one_with_less_on_it(
    round, archive, tmp_path, capsys
):
    made = round.workspace.reports / "pilot"
    made.mkdir(parents=True)
    (made / "report.ipynb").write_text("{}", encoding="utf-8")
    place = ["--workspace", str(round.workspace.path)]
    words = ["report", "--archive", str(tmp_path / "archive"), "pilot"]
    assert main([*place, *words]) == 2
    assert "keep the archive's apart with --reports DIR" in capsys.readouterr().err
    assert main([*place, "--reports", str(tmp_path / "apart"), *words]) == 0


def test_a_round_that_is_not_in_the_archive_is_named_with_those_that_are(archive, tmp_path, capsys):
    words = ["--workspace", str(tmp_path / "place"), "report", "--archive"]
    assert main([*words, str(tmp_path / "archive"), "final"]) == 2
    assert "it has pilot" in capsys.readouterr().err
