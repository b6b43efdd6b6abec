"""Any sequence of answers, corrections, retractions, retries, reorderings, closes and re-opens
gives the same current answers as a small model."""

import functools
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from raterbook.protocols import parse
from raterbook.rounds import Event, ItemTable, Store
from tests.rounds.conftest import SMALL, records

RATERS = ["ana", "ben"]
CELLS = [
    ("q0/a", 0, "tone"),
    ("q0/b", 0, "tone"),
    ("q0/a", 0, "overall"),
    ("q0/a", 1, "correct"),
    ("q0", 0, "reference"),
    ("q0/a", 0, "tone_comment"),
]
VALUES = {
    "tone": [1, 2, 3],
    "overall": [1, 2.5, 5],
    "correct": ["right", "wrong"],
    "reference": ["42", "none"],
    "tone_comment": ["short", "long – ☃"],
}

events = st.builds(
    lambda rater, cell, value, status, lamport, replicate: (
        rater,
        cell,
        VALUES[cell[2]][value % len(VALUES[cell[2]])],
        status,
        lamport,
        replicate,
    ),
    st.sampled_from(RATERS),
    st.sampled_from(CELLS),
    st.integers(0, 2),
    st.sampled_from(["answered"] * 4 + ["retracted", "skipped", "not_applicable"]),
    st.none() | st.integers(0, 6),
    st.sampled_from([1, 1, 1, 2]),
)


@functools.cache
def empty_round():
    """The bytes of a store with one round, made once."""
    protocol = parse(SMALL, source="small.yaml")
    table = ItemTable.from_records(protocol, records(cases=1))
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store.sqlite")
        store.open("r", protocol, table, raters=RATERS)
        store.dispose()
        return store.path.read_bytes()


class Rounds(RuleBasedStateMachine):
    """The store on one side; on the other a list of events that is searched through."""

    @initialize()
    def open(self):
        # In memory where there is such a place: nothing here depends on flushing.
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        (self.folder / "store.sqlite").write_bytes(empty_round())
        # Two clients of the same round, as two notebooks have.
        self.clients = [Store(self.folder / "store.sqlite").round("r") for _ in range(2)]
        one = self.clients[0]
        self.key_of = {each.ref: each.key for each in (*one.items(), *one.cases())}
        self.sent, self.kept, self.closed, self.count = [], [], False, 0

    def teardown(self):
        if hasattr(self, "folder"):
            for client in self.clients:
                client.store.dispose()
            shutil.rmtree(self.folder)

    def model_save(self, rater, event):
        """Whether it is acknowledged, and what is kept."""
        twins = [one for who, one, _ in self.kept if (who, one.event_id) == (rater, event.event_id)]
        if twins:
            return True
        if self.closed:
            return False
        lamport = event.lamport
        if lamport is None:
            here = [n for who, one, n in self.kept if (who, cell(one)) == (rater, cell(event))]
            lamport = max(here, default=0) + 1
        self.kept.append((rater, event, lamport))
        return True

    def send(self, client, rater, batch):
        acks = self.clients[client].save(rater, batch)
        assert [ack.ok for ack in acks] == [self.model_save(rater, event) for event in batch]

    def event(self, made):
        rater, (subject, part, question), value, status, lamport, replicate = made
        self.count += 1
        answered = status == "answered"
        event = Event(
            f"e{self.count}",
            subject,
            question,
            value if answered else None,
            part,
            replicate,
            status,
            None if answered else "because",
            lamport,
        )
        self.sent.append((rater, event))
        return rater, event

    @rule(client=st.integers(0, 1), made=events)
    def answer(self, client, made):
        rater, event = self.event(made)
        self.send(client, rater, [event])

    @rule(
        client=st.integers(0, 1),
        batch=st.lists(events, min_size=2, max_size=5),
        random=st.randoms(use_true_random=False),
    )
    def answer_several_out_of_order(self, client, batch, random):
        made = [self.event(one) for one in batch]
        random.shuffle(made)
        for rater in RATERS:
            self.send(client, rater, [event for who, event in made if who == rater])

    @precondition(lambda self: self.sent)
    @rule(client=st.integers(0, 1), data=st.data())
    def retry(self, client, data):
        rater, event = data.draw(st.sampled_from(self.sent))
        self.send(client, rater, [event, event])

    @rule(client=st.integers(0, 1))
    def close(self, client):
        self.clients[client].close("enough")
        self.closed = True

    @rule(client=st.integers(0, 1))
    def reopen(self, client):
        self.clients[client].reopen("more")
        self.closed = False

    @rule(client=st.integers(0, 1))
    def start_again(self, client):
        self.clients[client].store.dispose()
        self.clients[client] = Store(self.folder / "store.sqlite").round("r")

    def standing(self):
        """What the model says is current, by rater and cell."""
        latest = {}
        for order, (rater, event, lamport) in enumerate(self.kept):
            where = (rater, *cell(event))
            if where not in latest or (lamport, order) > latest[where][0]:
                latest[where] = ((lamport, order), event)
        return {
            where: (event.status, event.value)
            for where, (_, event) in latest.items()
            if event.status != "retracted"
        }

    @invariant()
    def both_clients_see_what_the_model_says(self):
        if not hasattr(self, "clients"):
            return
        expected = self.standing()
        for client in self.clients:
            found = {
                (rater, self.key_of[ref], part, question, 1): (answer.status, answer.value)
                for rater in RATERS
                for (ref, part, question), answer in client.current(rater).items()
            }
            assert found == {where: said for where, said in expected.items() if where[4] == 1}
            assert client.state == ("closed" if self.closed else "open")
        frame = self.clients[0].frame(texts=True)
        rows = {
            (
                row.rater,
                row.case if row.question == "reference" else row.item,
                row.part,
                row.question,
                row.replicate,
            ): (row.status, row.value)
            for row in frame[frame["rater"] != "auto"].itertuples()
        }
        assert set(rows) == set(expected)
        for where, (status, value) in expected.items():
            assert rows[where][0] == status
            assert status != "answered" or rows[where][1] == str(value)


def cell(event):
    return event.subject, event.part, event.question, event.replicate


def run(examples, steps, machine=Rounds):
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_any_sequence_gives_what_the_model_gives():
    run(20, 20)


@pytest.mark.long
def test_any_long_sequence_gives_what_the_model_gives():
    run(300, 50)


def test_control_a_model_that_lets_the_last_to_arrive_win_is_found_out(monkeypatch):
    def last_wins(self, rater, event):
        ok = true_model(self, rater, event)
        if self.kept and self.kept[-1][1] is event:
            self.kept[-1] = (rater, event, len(self.kept) + 1000)
        return ok

    true_model = Rounds.model_save
    monkeypatch.setattr(Rounds, "model_save", last_wins)
    machine = Rounds()
    machine.open()
    try:
        machine.answer(client=0, made=("ana", CELLS[0], 3, "answered", 5, 1))
        machine.both_clients_see_what_the_model_says()
        machine.answer(client=1, made=("ana", CELLS[0], 1, "answered", 4, 1))
        with pytest.raises(AssertionError):
            machine.both_clients_see_what_the_model_says()
    finally:
        machine.teardown()
