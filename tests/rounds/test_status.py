"""Status, codebook and replies: what is stored, and what it means."""

from raterbook.files.handbook import codebook, write_codebook
from raterbook.reporting.shown import Status
from raterbook.rounds import Store
from raterbook.rounds.frame import COLUMNS
from tests.rounds.test_marks import complete


def test_status_says_what_is_stored_by_whom_and_what_is_missing(stored, say):
    complete(say)
    stored.mark("ana", "q0/a", "submit", "m1")
    say("ben", "q0/b", "tone", 1)
    stored.mark("ben", "q0/b", "flag", "m2", reason="odd")
    status = stored.status()
    assert (status["state"], status["items"], status["cases"]) == ("open", 6, 3)
    assert status["parts"] == 12
    ana, ben, auto = status["raters"]
    assert (ana["assigned"], ana["complete"], ana["submitted"], ana["begun"]) == (6, 1, 1, 0)
    assert (ana["missing"], ana["unfinished"], ana["answers"]) == (5 * 3, 5, 3)
    assert (ben["complete"], ben["begun"], ben["flagged"], ben["missing"]) == (0, 1, 1, 18)
    assert (auto["kind"], auto["assigned"], auto["answers"]) == ("automatic", 0, 4)
    assert status["flagged"] == [{"item": "q0/b", "rater": "ben", "reason": "odd"}]
    assert (status["missing"], status["complete"]) == (33, False)


def test_what_was_skipped_is_no_answer(stored, say):
    say("ana", "q0/a", "tone", status="skipped", reason="unclear")
    assert [rater["answers"] for rater in stored.status()["raters"]][:2] == [0, 0]


def test_a_round_is_complete_when_all_who_count_have_answered_all(stored, say):
    for item in stored.queue("ana"):
        complete(say, "ana", item.ref)
    assert not stored.status()["complete"]
    stored.exclude("ben", why="left")
    assert stored.status()["complete"]
    assert stored.status()["missing"] == 0


def test_a_round_nobody_was_asked_about_is_not_complete(store, protocol, table):
    """Labels that came with the items are nobody's work."""
    unasked = store.open("unasked", protocol, table)
    assert [rater["kind"] for rater in unasked.status()["raters"]] == ["automatic"]
    assert not unasked.status()["complete"]
    assert "nobody has been asked yet" in str(Status(unasked.status()))
    unasked.add_rater("ana")
    unasked.exclude("ana", why="left")
    assert "nobody counts: all were excluded" in str(Status(unasked.status()))


def test_open_since_is_when_the_round_was_opened_or_opened_again(place, protocol, table):
    clock = iter(range(0, 10**6, 60))  # a minute passes at every look
    store = Store(place(), clock=lambda: float(next(clock)))
    stored = store.open("r", protocol, table)
    turns = [stored.status()]
    for turn in (stored.close, stored.close, stored.reopen, stored.reopen):
        turn()
        turns.append(stored.status())
    log = {entry["action"]: entry["at"] for entry in stored.log()}
    assert [(each["state"], each["since"]) for each in turns] == [
        ("open", log["open"]),
        ("closed", log["close"]),
        ("closed", log["close"]),
        ("open", log["reopen"]),
        ("open", log["reopen"]),
    ]
    assert log["open"] < log["close"] < log["reopen"]
    said = str(Status(turns[-1])).splitlines()[0]
    assert said == f"r: small, open since {log['reopen'][:16].replace('T', ' ')} (UTC)"


def test_the_codebook_explains_every_column_question_and_value(stored, say, tmp_path):
    say("ana", "q0/a", "tone", 3)
    text = codebook(stored)
    for name in (*COLUMNS, "model", "domain"):
        assert f"| {name} |" in text
    for question in stored.protocol.questions:
        assert f"### {question.id}" in text
        for option in question.options:
            assert f"| {option.value} |" in text
    assert "Values 1 to 5." in text
    assert "ana" not in text.split("## Raters")[1]
    assert write_codebook(stored, tmp_path / "book.md").read_text() == text


def test_replies_are_kept_by_key_and_the_latest_counts(stored):
    replies = stored.replies
    assert replies.get("k") is None
    replies.put("k", "not JSON", status="parse_error", tokens=12)
    replies.put("k", '{"tone": 3}', status="ok")
    assert replies.get("k").text == '{"tone": 3}'
    assert replies.get("k").detail == {"status": "ok"}
    assert "k" in replies
    assert "other" not in replies
    assert len(replies) == 1
