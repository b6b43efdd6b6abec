"""One rule what the current answer is: the frame, files, the form and the database's view."""

import random
import sqlite3
from contextlib import closing

from raterbook.rounds import Event
from raterbook.rounds.current import facts
from raterbook.rounds.snapshot import percentage, written

ON_A_FILE_ONLY = ("test_another_view_is_made_anew_when_the_file_is_opened_and_that_is_said",)

SAID = {
    "tone": [1, 2, 3],
    "overall": [1, 2.5, 4.125, 5, 3.3, 1.000000000000001],
    "sure": [80, "0.5%", "0.0000001%", 99.9, 0],
    "label": ["yes", "no"],
    "reference": ["42", "a – “b”"],
}
STATUSES = ["answered"] * 5 + ["skipped", "not_applicable", "retracted"]


def fill(stored, seed):
    draw = random.Random(seed)
    for number in range(150):
        question, status = draw.choice(list(SAID)), draw.choice(STATUSES)
        value = draw.choice(SAID[question]) if status == "answered" else None
        event = Event(
            f"e{number}",
            draw.choice(["q0/a", "q0/b", "q1/a"]),
            question,
            value,
            replicate=draw.choice([1, 1, 2]),
            status=status,
            reason=None if value else "unclear",
            lamport=draw.choice([None, 0, 3, 6]),
        )
        assert stored.save(draw.choice(["ana", "ben"]), [event])[0].ok


def test_every_reader_reads_the_same(store, stored):
    fill(stored, 5)
    with store.read() as connection:
        found = facts(connection, stored.look(connection), stored.questions(connection))
    files = {
        (fact.subject, fact.part, fact.rater, fact.question, fact.replicate): (
            fact.text or None,
            fact.status,
            fact.revision,
        )
        for fact in found
    }
    columns = "subject, part, rater, question, replicate, value, status, revision"
    with store.read() as connection:
        rows = connection.exec_driver_sql(f"SELECT {columns} FROM current_answer").all()
    assert {row[:5]: row[5:] for row in rows} == files
    frame = stored.frame(texts=True)
    subject = frame["item"].astype(object).where(frame["item"].notna(), frame["case"])
    value = frame["value"].astype(object).where(frame["value"].notna(), None)
    cells = zip(subject, frame["part"], frame["rater"], frame["question"], frame["replicate"])
    assert dict(zip(cells, zip(value, frame["status"], frame["revision"]))) == files
    key_of = {each.ref: each.key for each in (*stored.items(), *stored.cases())}
    form = {
        (key_of[ref], part, rater, question, 1): (answer.value, answer.status, answer.revision)
        for rater in ("ana", "ben")
        for (ref, part, question), answer in stored.current(rater).items()
    }
    assert {cell: (spelt(cell[3], value), *rest) for cell, (value, *rest) in form.items()} == {
        cell: said for cell, said in files.items() if cell[2] != "auto" and cell[4] == 1
    }


def spelt(question, value):
    if value is None or isinstance(value, str):
        return value
    return percentage(value) if question == "sure" else written(value)


def test_another_view_is_made_anew_when_the_file_is_opened_and_that_is_said(
    store, stored, say, capsys
):
    from raterbook.rounds import Store

    say("ana", "q0/a", "sure", 80)
    store.dispose()
    with closing(sqlite3.connect(store.path)) as database:
        database.execute("DROP VIEW current_answer")
        database.execute("CREATE VIEW current_answer AS SELECT 1 AS value")
    Store(store.path)
    assert (
        "the view current_answer was another than Raterbook's, and it is" in capsys.readouterr().err
    )
    Store(store.path)
    assert capsys.readouterr().err == ""
    with closing(sqlite3.connect(store.path)) as database:
        assert database.execute(
            "SELECT value FROM current_answer WHERE rater = 'ana'"
        ).fetchall() == [("80",)]
