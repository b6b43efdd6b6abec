"""How much is read of a file: limits that can be raised, and files near them that are read."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from raterbook.files import FileError, content
from raterbook.files.formats import read_file
from raterbook.files.names import Misplaced, Subjects
from raterbook.rounds.model import MOST_PROBLEMS, Problems


def parquet(folder, columns, **how):
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, **how)
    (folder / "a.parquet").write_bytes(stream.getvalue())
    return read_file(folder / "a.parquet")


def test_the_environment_raises_every_limit(tmp_path, monkeypatch):
    file = tmp_path / "a.csv"
    file.write_text(",".join(f"c{n}" for n in range(2_001)) + "\n")
    with pytest.raises(FileError, match=r"a.csv, row 1 has 2,001 columns; 2,000 is the most"):
        read_file(file)
    monkeypatch.setenv("RATERBOOK_LIMITS", "2")
    assert len(read_file(file).columns) == 2_001


def test_a_file_that_is_too_large_is_refused_with_the_way_to_raise_the_limit(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("a\n1\n")
    monkeypatch.setattr(content, "LARGEST", 3)
    with pytest.raises(FileError, match=r"a.csv is larger than .*raise the limits \(RATERBOOK_LIM"):
        read_file(tmp_path / "a.csv")
    monkeypatch.setenv("RATERBOOK_LIMITS", "2")
    assert read_file(tmp_path / "a.csv").rows == [["1"]]


@pytest.mark.parametrize("times", ["0", "many", "-1", "1e3", "９"])
def test_a_limit_that_is_no_number_is_refused(tmp_path, monkeypatch, times):
    (tmp_path / "a.csv").write_text("a\n1\n")
    monkeypatch.setenv("RATERBOOK_LIMITS", times)
    with pytest.raises(FileError, match=r"RATERBOOK_LIMITS is .* whole number from 1 to 10000"):
        read_file(tmp_path / "a.csv")


def test_columns_of_lists_and_bytes_are_left_out_of_parquet_and_named(tmp_path):
    found = parquet(tmp_path, {"a": ["x"], "b": [[1, 2]], "c": [b"\xff"], "d": [{"e": 1}]})
    assert (found.columns, found.rows) == (["a"], [["x"]])
    assert found.notes == ["a.parquet: not read, as it holds lists, objects or bytes: b, c, d."]


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_texts_of_every_encoding_are_read(tmp_path, encoding):
    texts = ["alpha", "alphabet", None, "", "alpha"] * 500
    how = {"use_dictionary": False, "column_encoding": {"a.b": encoding}}
    found = parquet(tmp_path, {"a.b": texts, "a": [1] * 2_500}, **how, data_page_size=64)
    assert found.column(0) == [text or "" for text in texts]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("packed", ["none", "snappy", "gzip", "zstd"])
def test_cells_of_every_type_are_the_same_in_every_page(tmp_path, version, packed):
    columns = {
        "text": pa.array(["a", None, "é"] * 400),
        "kind": pa.array(["x", "y", None] * 400).dictionary_encode(),
        "whole": pa.array([1, None, 3] * 400),
        "part": pa.array([1.0, 2.5, None] * 400),
        "truth": pa.array([True, False, None] * 400),
        "nothing": pa.nulls(1_200),
        "day": pa.array([0, None, 1] * 400, pa.date32()),
    }
    found = parquet(tmp_path, columns, data_page_version=version, compression=packed)
    first = ["a", "x", "1", "1", "true", "", "1970-01-01"]
    second = ["", "y", "", "2.5", "false", "", ""]
    assert found.rows[:2] == [first, second]
    assert found.rows == found.rows[:3] * 400


def test_a_name_is_looked_for_among_those_that_begin_or_end_alike():
    subjects = Subjects((f"q{n:05d}/model-a", f"q{n:05d}") for n in range(5_000))
    for name, meant in (
        ("q01234/modl-a", "q01234/model-a"),
        ("Q01234/model-a", "q01234/model-a"),
        ("x01234/model-a", "q01234/model-a"),
    ):
        with pytest.raises(Misplaced, match=f"Did you mean {meant}"):
            subjects.find(name, False)


def test_after_many_problems_the_rest_is_not_looked_at():
    problems = Problems("a.csv")
    for row in range(1, MOST_PROBLEMS):
        problems.add("5 is no label. Use yes or no.", row, "label")
    with pytest.raises(FileError, match=r"after 2,000 problems the rest was not looked at"):
        problems.add("5 is no label. Use yes or no.", MOST_PROBLEMS, "label")
