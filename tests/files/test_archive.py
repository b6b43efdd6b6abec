"""An archive of rounds: Parquet with schema and hashes, and numbers counted where it lies."""

import json

import pyarrow.parquet as pq
import pytest

import raterbook.numbers.archived as archived
from raterbook import Workspace
from raterbook.cli import main
from raterbook.files import import_answers
from raterbook.files.archive import SEAL, open_archive, rounds_of, seal, write_archive
from raterbook.numbers.archived import numbers_of
from raterbook.rounds.model import FileError

pytest.importorskip("ibis")
pytestmark = [
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*infer_string:DeprecationWarning"),
]
PROTOCOL = """
name: tone
title: Tone of answers
about: For tests.
instructions: [Rate.]
item:
  key: [qid, model]
  case: qid
  cluster: topic
  system: model
  fields:
    qid: {label: Id, show: none}
    model: {label: Model, show: hidden}
    topic: {label: Topic, show: none, of: case}
    text: {label: Text, show: long}
questions:
  - id: tone
    prompt: How is its tone?
    type: scale
    levels:
      - {value: 1, name: bad, description: Bad.}
      - {value: 2, name: fair, description: Fair.}
      - {value: 3, name: good, description: Good.}
  - id: label
    prompt: Which?
    type: choice
    options:
      - {value: "yes", label: "Yes", description: Yes.}
      - {value: "no", label: "No", description: No.}
      - {value: unsure, label: Unsure, description: Unsure.}
  - id: sure
    prompt: How sure?
    type: percent
    covers: [tone]
measures:
  - {statistic: mean, question: [tone], by: [[model]]}
  - {statistic: median, question: [tone]}
  - {statistic: weighted_mean, question: [tone]}
  - {statistic: alpha_ordinal, question: [tone]}
  - {statistic: kappa_raters, question: [label]}
  - {statistic: alpha_nominal, question: [label], recode: {known: {yes: [yes, no], no: [unsure]}}}
  - {statistic: alpha_ordinal, question: [tone], recode: {two: {low: [1], high: [2, 3]}}}
  - {statistic: proportion_yes, question: [label], is: [yes], of: [yes, no]}
  - {statistic: overall_mean, question: [tone, sure]}
  - {statistic: difference, question: [tone]}
targets:
  - {name: Reliable, statistic: alpha_ordinal, question: tone, at_least: 0.5}
"""


@pytest.fixture
def round(tmp_path):
    """Thirty questions to two models, three people and a model as raters."""
    place = Workspace(tmp_path / "place")
    file = tmp_path / "tone.yaml"
    file.write_text(PROTOCOL, encoding="utf-8")
    keys = [(f"q{i}", model) for i in range(30) for model in ("m1", "m2")]
    items = [{"qid": q, "model": m, "topic": f"t{int(q[1:]) % 9}", "text": "…"} for q, m in keys]
    lines = ["item,rater,question,value,rater_kind"]
    for n, (q, m) in enumerate(keys):
        for k, rater in enumerate(("ana", "ben", "cem", "bot")):
            if (n + k) % 7 == 0:
                continue
            kind = "model" if rater == "bot" else "human"
            told = {
                "tone": 1 + (n // 4 + k * (n % 3 == 0)) % 3,
                "label": ("yes", "no", "unsure")[(n // 3 + (k * n) % 2) % 3],
                "sure": 40 + (n * 7 + k * 11) % 60,
            }
            lines += [f"{q}/{m},{rater},{name},{value},{kind}" for name, value in told.items()]
    answers = tmp_path / "answers.csv"
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = tmp_path / "items.jsonl"
    rows.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    place.open("pilot", file, rows)
    import_answers(place.round("pilot"), answers)
    return place.round("pilot")


@pytest.fixture
def archive(round, tmp_path):
    return write_archive(round, tmp_path / "archive")


def by_address(numbers):
    return {
        (row["statistic"], row["question"], json.dumps(row["group"]), row["aggregate"]): row
        for row in numbers.rows
    }


def test_a_round_comes_back_from_its_archive_with_all_its_numbers(round, archive):
    own, theirs = by_address(round.numbers()), by_address(numbers_of(archive))
    missing = set(own) - set(theirs)
    assert {name for name, *_ in missing} == {"completeness"}
    assert [key for key in theirs if theirs[key] != own[key]] == []


def test_what_an_engine_counts_of_an_archive_is_what_the_round_has(round, archive, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    own, theirs = by_address(round.numbers()), by_address(numbers_of(archive))
    counted = {key: row for key, row in theirs.items() if row["reason"] != "needs_each_answer"}
    assert {name for name, *_ in counted} == {
        *("mean", "median", "weighted_mean", "alpha_ordinal", "kappa_raters", "alpha_nominal"),
        "proportion_yes",
    }
    for key, row in counted.items():
        for name, value in row.items():
            if isinstance(value, float):
                assert value == pytest.approx(own[key][name], abs=1e-10, rel=0), (key, name)
            else:
                assert value == own[key][name], (key, name)


def test_a_number_the_engine_cannot_count_has_its_reason(archive, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    found = by_address(numbers_of(archive))
    missing = {name for (name, *_), row in found.items() if row["reason"] == "needs_each_answer"}
    assert missing == {"overall_mean", "difference", "difference_overall"}


def test_targets_are_judged_by_what_the_engine_counted(round, archive, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    (own,), (found,) = round.numbers().targets, numbers_of(archive).targets
    assert (found["met"], found["verdict"]) == (own["met"], own["verdict"])
    assert found["value"] == pytest.approx(own["value"], abs=1e-10)


def test_a_changed_file_is_named(archive, tmp_path):
    file = archive.files[0]
    table = pq.read_table(file)
    pq.write_table(table.slice(1), file)
    with pytest.raises(FileError, match=r"answers-0.parquet was changed after it was sealed"):
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
