"""Opening a round: everything is checked and written, or nothing is."""

from hashlib import sha256

import pytest

from raterbook.rounds import Event, ItemTable, PartRow, RoundError, Store
from raterbook.rounds.plan import Mix
from raterbook.rounds.store import schema
from tests.rounds.conftest import records


def test_a_round_is_there_again_after_a_restart(stored, store):
    again = Store(store.path).round("round-01")
    assert again.protocol == stored.protocol
    assert again.items() == stored.items()
    assert [item.key for item in again.queue("ana")] == [item.key for item in stored.queue("ana")]


def test_items_know_their_case_groups_cluster_and_parts(stored):
    item = stored.items()[3]
    assert (item.key, item.case, item.role, item.cluster) == ("q1/b", "q1", "main", "t1")
    text = "First of 1b. Second."
    assert item.fields == {"domain": "d1", "question": "Question 1?", "text": text}
    assert item.groups == {"model": "b", "domain": "d1"}
    numbered = [(part.number, part.text) for part in item.parts]
    assert numbered == [(1, "First of 1b."), (2, "Second.")]
    assert [case.key for case in stored.cases()] == ["q0", "q1", "q2"]
    assert stored.cases()[1].fields == {"domain": "d1", "question": "Question 1?"}


def test_what_raters_must_not_know_is_in_no_item_of_a_queue(stored):
    for item in stored.queue("ana"):
        text = repr((item.ref, item.fields, item.groups, item.cluster, item.parts))
        assert "gold" not in text
        assert item.groups == {"domain": item.fields["domain"]}
        assert stored.hidden(item.ref)["gold"].startswith("gold")
    assert all(item.key not in item.ref and len(item.ref) >= 12 for item in stored.items())


def test_refs_tell_nothing_and_differ_between_rounds(store, stored, protocol, table):
    other = store.open("round-02", protocol, table)
    assert not {item.ref for item in stored.items()} & {item.ref for item in other.items()}


def test_the_expected_answer_is_shown_after_submitting_and_to_who_submitted(stored, say):
    ref = stored.items()[0].ref
    for question, value in (("tone", 2), ("sure", 50)):
        say("ana", ref, question, value)
    for part in (1, 2):
        say("ana", ref, "correct", "right", part=part)
    assert stored.after("ana", ref) == {}
    assert stored.mark("ana", ref, "submit", "m1").ok
    assert stored.after("ana", ref) == {"gold": "gold 0"}
    assert stored.after("ben", ref) == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows.append(dict(rows[0])), "row 7: key 'q0/a' is already that of row 1"),
        (lambda rows: rows[0].update(qid="", model=""), "row 1: the item has no key"),
        (
            lambda rows: rows[1].update(question="Other?"),
            "row 2, column question: 'Other?' is not what items.csv, row 1 says of the same case",
        ),
        (lambda rows: rows[0].update(role="mian"), "row 1: role 'mian' is not one of main, train"),
        (
            lambda rows: rows[2].update(auto="maybe"),
            "row 3, column auto: 'maybe' is not one of yes, no",
        ),
        (
            lambda rows: (
                rows[0].update(qid="x", model="y/z"),
                rows[1].update(qid="x/y", model="z"),
            ),
            "joined from",
        ),
        (lambda rows: rows.clear(), "has no items"),
    ],
)
def test_items_that_cannot_be_are_refused_by_row_and_nothing_is_stored(
    store, protocol, change, words
):
    rows = records()
    change(rows)
    with pytest.raises(RoundError) as caught:
        store.open("r", protocol, ItemTable.from_records(protocol, rows, "items.csv"))
    assert words in str(caught.value)
    assert store.rounds() == []


@pytest.mark.parametrize("name", ["", "../x", "a b", "-x", "x" * 65, "r\n", "ä"])
def test_round_names_are_plain(store, protocol, table, name):
    with pytest.raises(RoundError, match="is not a round name"):
        store.open(name, protocol, table)


@pytest.mark.parametrize("name", ["", " ana", "a\tb", "x" * 129, "a\u202eb"])
def test_rater_names_are_printable(store, protocol, table, name):
    with pytest.raises(RoundError, match="is not a rater name"):
        store.open("r", protocol, table, raters=[name])


def test_a_name_is_taken_once(store, stored, protocol, table):
    with pytest.raises(RoundError, match="There is a round 'round-01'"):
        store.open("round-01", protocol, table)
    with pytest.raises(RoundError, match=r"There is no round 'round-9' .* rounds: round-01"):
        store.round("round-9")


def test_the_order_depends_on_seed_and_names_alone(place, protocol):
    orders = []
    for path, rows in ((place("a"), records()), (place("b"), records())):
        stored = Store(path).open(
            "r", protocol, ItemTable.from_records(protocol, rows), raters=["ana"], seed=5
        )
        orders.append([item.key for item in stored.queue("ana")])
    by_hash = sorted(
        (row["qid"] + "/" + row["model"] for row in records()),
        key=lambda key: sha256("\x1f".join(("5", "order", "ana", key)).encode()).digest()[:7],
    )
    assert orders[0] == orders[1] == by_hash


def test_with_k_raters_per_item_each_item_goes_to_k_and_work_is_balanced(store, protocol):
    table = ItemTable.from_records(protocol, records(cases=6))
    stored = store.open("r", protocol, table, raters=["a", "b", "c"], per_item=2)
    queues = {rater: [item.key for item in stored.queue(rater)] for rater in "abc"}
    assert [len(queue) for queue in queues.values()] == [8, 8, 8]
    every = sorted(key for queue in queues.values() for key in queue)
    assert every == sorted([row.key for row in table.rows] * 2)


def test_a_sample_keeps_its_chances(store, protocol):
    table = ItemTable.from_records(protocol, records(cases=6))
    stored = store.open("r", protocol, table, sample=4, by=["domain"], seed=1)
    assert len(stored.items()) == 4
    with store.read() as connection:
        chances = (
            connection.exec_driver_sql(
                "SELECT DISTINCT probability FROM subject WHERE kind = 'item'"
            )
            .scalars()
            .all()
        )
    assert chances == [pytest.approx(4 / 12)]
    with pytest.raises(RoundError, match="a sample of 99"):
        store.open("s", protocol, table, sample=99)


def test_training_comes_first_and_checks_go_to_everybody(store, protocol):
    rows = records(cases=6)
    for row, role in ((rows[0], "training"), (rows[1], "gold")):
        row["role"] = role
    table = ItemTable.from_records(protocol, rows)
    stored = store.open("r", protocol, table, raters=["a", "b"], per_item=1, mix=Mix(gold=0.25))
    for rater in "ab":
        queue = stored.queue(rater)
        assert queue[0].role == "training"
        assert [item.role for item in queue].count("gold") == 1
        assert len(queue) == 7
    assert set(stored.frame()["role"].cat.categories) == {"main", "gold", "training"}


def test_parts_can_come_from_a_file_with_what_raters_must_not_know(store):
    from raterbook.protocols import load

    protocol = load("rag-questeval")
    spec = protocol.parts
    assert spec.of == "case"
    names = [*protocol.item.key, protocol.item.case, *protocol.item.fields]
    record = dict.fromkeys(names, "x")
    table = ItemTable.from_records(protocol, [record])
    case = table.rows[0].case
    hidden = next(name for name, field in spec.fields.items() if not field.visible)
    parts = [PartRow(case, 7, "Who?", {hidden: "secret"}), PartRow(case, None, "When?")]
    stored = store.open("r", protocol, table, raters=["ana"], parts=parts)
    (item,) = stored.queue("ana")
    assert [(part.number, part.text) for part in item.parts] == [(7, "Who?"), (8, "When?")]
    assert "secret" not in repr(item)


def test_a_bare_round_keeps_keys_and_groups_and_no_texts(store, protocol, table):
    stored = store.open("r", protocol, table, raters=["ana"], bare=True)
    assert stored.bare
    assert stored.save("ana", [Event("e", "q0/a", "tone", 1)])[0].ok
    assert stored.frame()["model"].tolist() == ["a", "a", "b", "a", "b"]
    with store.read() as connection:
        texts = connection.scalars(
            schema.shown_value.select().with_only_columns(schema.shown_value.c.value)
        ).all()
    assert [text for text in texts if "First of" in text] == []


def test_a_group_that_is_also_a_column_of_the_frame_is_refused(store, protocol, table):
    from raterbook.protocols import parse

    text = protocol.text.replace("domain", "status")
    other = parse(text, source="other.yaml")
    rows = [dict(row, status=row.pop("domain")) for row in records()]
    with pytest.raises(RoundError, match="group column 'status'"):
        store.open("r", other, ItemTable.from_records(other, rows))


@pytest.mark.parametrize(
    "how", [{"seed": 10**30}, {"seed": -(10**30)}, {"per_item": 10**30, "raters": ["ana"]}]
)
def test_a_number_the_database_cannot_hold_is_refused_by_name(store, protocol, table, how):
    with pytest.raises(RoundError, match=r"000 is too large: use at most 9223372036854775807"):
        store.open("r", protocol, table, **how)
    assert store.rounds() == []


def test_one_rater_in_two_spellings_is_refused_at_open_as_at_import(store, protocol, table):
    with pytest.raises(RoundError, match="Ana and ana are spelt like one rater"):
        store.open("r", protocol, table, raters=["ana", "Ana"])
    store.open("r", protocol, table, raters=["ana", "ana"])
    with pytest.raises(RoundError, match="ANA and ana are spelt like one rater"):
        store.open("other", protocol, table, raters=["ANA"])
