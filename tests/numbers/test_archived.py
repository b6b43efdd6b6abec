"""The numbers of an archive that an engine counts: those of the round, or the reason."""

import pandas as pd
import pytest

import raterbook.numbers.archived as archived
from raterbook.files.archive import write_archive
from raterbook.numbers.archived import numbers_of
from tests.files.archived_round import by_address, opened

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


def held_to(theirs, own):
    for key, row in theirs.items():
        for name, value in row.items():
            expected = own[key][name]
            if isinstance(value, float):
                expected = pytest.approx(expected, abs=1e-10, rel=0)
            assert value == expected, (key, name)


def test_a_round_comes_back_from_its_archive_with_all_its_numbers(round, archive, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", archive.rows)
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
    held_to(counted, own)


def test_a_number_the_engine_cannot_count_has_its_reason(archive, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    found = by_address(numbers_of(archive))
    missing = {name for (name, *_), row in found.items() if row["reason"] == "needs_each_answer"}
    assert missing == {"overall_mean", "difference", "difference_overall"}
    counts = ("n_items", "n_raters", "n_ratings")
    rows = [row for row in found.values() if row["reason"] == "needs_each_answer"]
    assert {row[name] for row in rows for name in counts} == {0}


def test_targets_are_judged_by_what_the_engine_counted(round, archive, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    (own,), (found,) = round.numbers().targets, numbers_of(archive).targets
    assert (found["met"], found["verdict"]) == (own["met"], own["verdict"])
    assert found["value"] == pytest.approx(own["value"], abs=1e-10)


def test_an_engine_counts_those_a_report_names_at_its_coverage(round, archive, monkeypatch):
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    given = {"raters": ["bot", "ana"], "coverage": 0.8}
    own, theirs = by_address(round.numbers(**given)), by_address(numbers_of(archive, **given))
    counted = {key: row for key, row in theirs.items() if row["reason"] != "needs_each_answer"}
    assert len(counted) == 10
    held_to(counted, own)


def test_answers_asked_for_again_drafts_and_practice_count_for_nothing(round, archive, monkeypatch):
    """What a round's numbers leave out, an engine leaves out: the table with more rows."""
    monkeypatch.setattr(archived, "IN_MEMORY", 0)
    plain = by_address(numbers_of(archive))
    table = archive.frame()
    again = table[table["question"].astype(str).eq("tone")].head(40)
    more = [
        again.assign(replicate=2, number=3.0, value="3"),
        again.assign(status="skipped", item="x/m1", case="x"),
        again.assign(role="training", item="y/m1", case="y"),
        again.assign(value="", number=float("nan"), item="z/m1", case="z"),
    ]
    ibis = pytest.importorskip("ibis")
    held = ibis.memtable(pd.concat([table, *more], ignore_index=True).convert_dtypes())
    monkeypatch.setattr(type(archive), "table", lambda self: held)
    assert by_address(numbers_of(archive)) == plain
