"""Time stamps: within 1970–2199 at every door, and what came before that rule still opens."""

import json
from unittest.mock import patch

import pytest

from raterbook.cli import main
from raterbook.files import FileError, export_answers, import_answers
from raterbook.rating import Form
from raterbook.reporting.shown import Status
from raterbook.rounds import Event

FIRST = "0001-01-01T00:00:00+14:00"  # further back than any calendar of ours goes
OUTSIDE = (FIRST, "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", -1, 7_258_118_400_000, 10**400)


@pytest.mark.parametrize("time", OUTSIDE[:-1])
def test_an_answer_and_a_mark_of_another_age_are_refused(stored, time):
    ack = stored.save("ana", [Event("e", "q0/a", "tone", 1, client_time=time)])[0]
    assert not ack.ok
    assert "outside the years 1970–2199" in ack.reason
    assert not stored.mark("ana", "q0/a", "flag", "m1", client_time=time).ok
    submitted = stored.mark("ana", "q0/a", "submit", "m2", client_time=time)
    assert "outside the years 1970–2199" in submitted.reason


def test_a_number_too_large_for_any_clock_is_no_time(stored):
    ack = stored.save("ana", [Event("e", "q0/a", "tone", 1, client_time=OUTSIDE[-1])])[0]
    assert "is not a time" in ack.reason


@pytest.mark.parametrize("time", OUTSIDE[:3])
def test_a_file_is_refused_by_the_same_rule(stored, tmp_path, time):
    file = tmp_path / "a.csv"
    file.write_text(f"item,rater,question,value,answered_at\nq0/a,ana,tone,1,{time}\n")
    with pytest.raises(FileError, match=r"a.csv, row 2, column answered_at: .* outside the years"):
        import_answers(stored, file)


@pytest.mark.parametrize("time", ["1970-01-01T00:00:00Z", "2199-12-31T23:59:59Z"])
def test_the_first_and_the_last_moment_are_taken(stored, time):
    assert stored.save("ana", [Event("e", "q0/a", "tone", 1, client_time=time)])[0].ok


@pytest.fixture
def earlier(stored):
    """A round that took such times, as it did before the rule."""
    ref = stored.items()[0].ref
    with patch("raterbook.rounds.answers.microseconds", lambda time: -62_135_647_200_000_000):
        assert stored.save("ana", [Event("e", "q0/a", "tone", 3, client_time=FIRST)])[0].ok
    parts = [Event(f"p{n}", "q0/a", "correct", "right", n) for n in (1, 2)]
    assert all(ack.ok for ack in stored.save("ana", parts))
    with patch("raterbook.rounds.marks.microseconds", lambda time: 2**62):
        assert stored.mark("ana", ref, "flag", "m1", client_time=FIRST).ok
        assert stored.mark("ana", ref, "submit", "m2", client_time=FIRST).ok
    return stored


def test_status_names_who_has_such_times(earlier):
    status = earlier.status()
    assert status["untimely"] == {"ana": 3}
    assert "ana: 3 time stamps outside the years 1970–2199; the time of arrival" in str(
        Status(status)
    )


def test_the_command_says_so_and_goes_on(earlier, capsys):
    earlier.store.dispose()
    assert main(["--db", str(earlier.store.path), "status"]) == 0
    assert "ana: 3 time stamps outside the years 1970–2199" in capsys.readouterr().out


def test_the_form_opens_again(earlier):
    form = Form(earlier, "ana")
    assert form.answer({"kind": "open", "tab": "t"})["kind"] == "round"
    said = [form.answer({"kind": "item", "tab": "t", "position": n}) for n in range(1, 7)]
    assert '"value": 3' in json.dumps(said)
    form.close()


@pytest.mark.parametrize("layout", ["long", "parquet"])
def test_an_export_has_the_time_of_arrival(earlier, tmp_path, layout):
    file = tmp_path / f"a{'.parquet' if layout == 'parquet' else '.csv'}"
    export_answers(earlier, file, layout)
    arrived = earlier.frame().query("rater == 'ana'")["answered_at"].iloc[0]
    assert arrived.year > 2020
    assert import_answers(earlier, file).added == 0
