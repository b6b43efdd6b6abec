"""What freezes when: an item with its parts at its first answer, everything at close."""

import pytest
from sqlalchemy.exc import IntegrityError

from raterbook.rounds import Event, ItemTable, PartRow, RoundError
from raterbook.rounds.store import schema
from tests.rounds.conftest import records

ON_A_FILE_ONLY = ("test_control_without_guards_history_can_be_rewritten",)


def more(protocol, cases=5, **change):
    rows = records(cases=cases)
    rows[0].update(change)
    return ItemTable.from_records(protocol, rows, "more.csv")


def test_items_added_later_follow_in_everybodys_order_and_change_nobodys_place(stored, protocol):
    before = [item.key for item in stored.queue("ana")]
    assert stored.add_items(more(protocol)) == ["q3/a", "q3/b", "q4/a", "q4/b"]
    after = [item.key for item in stored.queue("ana")]
    assert after[: len(before)] == before
    assert sorted(after[len(before) :]) == ["q3/a", "q3/b", "q4/a", "q4/b"]
    assert stored.add_items(more(protocol)) == []


def test_a_known_item_with_another_text_is_refused_unless_it_is_to_be_replaced(stored, protocol):
    changed = more(protocol, cases=3, text="Another text. With three. Sentences.")
    with pytest.raises(RoundError, match=r"row 1: 'q0/a' is in the round already, with another te"):
        stored.add_items(changed)
    stored.add_items(changed, replace=True)
    assert stored.items()[0].fields["text"].startswith("Another")


def test_an_item_is_frozen_with_its_first_answer_and_its_neighbours_are_not(stored, protocol, say):
    say("ana", "q0/a", "tone", 1)
    with pytest.raises(RoundError, match="has answers, and its text cannot change"):
        stored.add_items(more(protocol, cases=3, text="Another."), replace=True)
    with pytest.raises(RoundError, match="'q0/a' has answers, and its parts are frozen"):
        stored.set_parts("q0/a", [PartRow("q0/a", None, "One.")])
    stored.set_parts("q1/a", [PartRow("q1/a", None, "One.")])
    assert [part.text for part in stored.items()[2].parts] == ["One."]


def test_labels_that_came_with_the_items_freeze_nothing(stored):
    assert stored.items()[2].key == "q1/a"
    stored.set_parts("q1/a", [PartRow("q1/a", None, "Whole.")])


def test_numbers_of_retired_parts_are_never_used_again(stored, say):
    stored.set_parts("q0/a", [PartRow("q0/a", None, "A."), PartRow("q0/a", None, "B.")], "typo")
    assert [part.number for part in stored.items()[0].parts] == [3, 4]
    (ack,) = stored.save("ana", [Event("e", "q0/a", "correct", "right", part=1)])
    assert "there is no part 1" in ack.reason
    with pytest.raises(RoundError, match=r"are used once.*the next free one is 5"):
        stored.add_parts([PartRow("q0/a", 1, "C.")])
    assert stored.add_parts([PartRow("q0/a", None, "C.")]) == 1
    assert [part.number for part in stored.items()[0].parts] == [3, 4, 5]


def test_nothing_comes_into_a_closed_round_and_reopening_is_in_the_log(stored, protocol, say):
    say("ana", "q0/a", "tone", 1)
    stored.close("all done")
    event = Event("late", "q0/a", "tone", 2)
    (ack,) = stored.save("ana", [event])
    assert not ack.ok
    assert "round-01 was closed on" in ack.reason
    assert "raterbook reopen round-01" in ack.reason
    for change in (
        lambda: stored.add_rater("cem"),
        lambda: stored.add_items(more(protocol)),
        lambda: stored.add_parts([PartRow("q1/a", None, "C.")]),
        lambda: stored.set_parts("q1/a", []),
        lambda: stored.reassign("ana", "ben"),
    ):
        with pytest.raises(RoundError, match="was closed on"):
            change()
    assert not stored.mark("ana", "q0/a", "flag", "m1").ok
    stored.reopen("one was missing")
    assert stored.save("ana", [event])[0].ok
    assert [(entry["action"], entry["reason"]) for entry in stored.log()] == [
        ("open", None),
        ("close", "all done"),
        ("reopen", "one was missing"),
    ]


def test_a_retry_is_acknowledged_after_the_close(stored):
    event = Event("e", "q0/a", "tone", 1)
    stored.save("ana", [event])
    stored.close()
    assert stored.save("ana", [event])[0].ok


@pytest.mark.parametrize(
    "name",
    [
        each.name
        for each in schema.metadata.sorted_tables
        if each.name
        not in (
            *schema.ERASABLE,
            *schema.UNTIL_ANSWERED,
            *schema.MIGRATED,
            "part_retired",
            "erasure",
            "reply",
        )
    ],
)
def test_the_database_itself_refuses_to_change_remove_or_replace(stored, say, name):
    say("ana", "q0/a", "tone", 1)
    stored.mark("ana", "q0/a", "flag", "m")
    key = next(iter(schema.metadata.tables[name].primary_key)).name
    over = f"REPLACE INTO {name} SELECT * FROM {name} LIMIT 1"
    if stored.store.server is not None:
        over = f"TRUNCATE {name} CASCADE"
    for statement in (f"UPDATE {name} SET {key} = {key}", f"DELETE FROM {name}", over):
        with pytest.raises(RoundError, match=f"{name}: what is stored is never|parts are frozen"):
            write(stored, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE shown_value SET value = 'x'",
        "DELETE FROM shown_value",
        "REPLACE INTO hidden_value SELECT * FROM hidden_value",
        "INSERT INTO part (subject_id, number, position, text, added_at) "
        "SELECT id, 99, 99, 'x', 0 FROM subject WHERE key = 'q0/a'",
        "INSERT INTO part_retired (part_id, at) SELECT part.id, 0 FROM part JOIN subject "
        "ON subject.id = part.subject_id WHERE subject.key = 'q0/a'",
    ],
)
def test_the_database_itself_refuses_to_change_an_answered_item(stored, say, statement):
    say("ana", "q0/a", "tone", 1)
    if stored.store.server is not None:
        statement = statement.replace(
            "REPLACE INTO hidden_value SELECT", "DELETE FROM hidden_value"
        )
        statement = statement.removesuffix(" * FROM hidden_value")
    with pytest.raises(RoundError, match="frozen"):
        write(stored, statement)


def test_the_database_itself_refuses_values_off_the_scale(stored, say):
    say("ana", "q0/a", "tone", 1)
    copied = (
        "INSERT INTO answer_event (event_id, round_id, rater_id, subject_id, part, question_id, "
        "replicate, status, value_id, lamport, server_time) SELECT 'x', round_id, rater_id, "
        "subject_id, part, question_id, 1, {status}, {value}, 9, 0 FROM answer_event "
        "WHERE event_id = '0'"
    )
    foreign = "(SELECT id FROM allowed WHERE value = 'wrong')"
    wrong = (("'answered'", foreign), ("'answered'", "NULL"), ("'skipped'", "value_id"))
    for status, value in wrong:
        with pytest.raises(RoundError, match=r"constraint failed|violates \w+(?: key)? constraint"):
            write(stored, copied.format(status=status, value=value))


def write(stored, statement):
    with stored.store.write() as connection:
        connection.exec_driver_sql(statement)


def test_control_without_guards_history_can_be_rewritten(stored, say):
    """Whoever can write the file can drop them; they hold off accidents, not an owner."""
    say("ana", "q0/a", "tone", 1)
    write(stored, "DROP TRIGGER answer_event_no_update")
    write(stored, "UPDATE answer_event SET seconds = 1")
    with pytest.raises((RoundError, IntegrityError)):
        write(stored, "DELETE FROM answer_event")
