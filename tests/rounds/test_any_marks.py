"""Any sequence of marks among answers, with retries and late messages, gives what a model gives."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from raterbook.protocols.questions import SETTLED
from raterbook.rounds import Round
from tests.rounds.test_any_sequence import RATERS, Rounds, run

ITEM = "q0/a"
NEEDED = [(ITEM, 0, "tone"), (ITEM, 1, "correct"), (ITEM, 2, "correct")]
ANSWERS = {"tone": 3, "correct": "right"}
PAIRS = {"flag": "flag", "unflag": "flag", "submit": "submit", "unsubmit": "submit"}

marks = st.tuples(
    st.sampled_from(RATERS), st.sampled_from(sorted(PAIRS)), st.none() | st.integers(0, 6)
)


class Marks(Rounds):
    """The same store and answers; marks are kept in a list of their own and searched through."""

    @initialize()
    def open(self):
        super().open()
        self.ref = next(ref for ref, key in self.key_of.items() if key == ITEM)
        self.marks_sent, self.marks_kept = [], []

    def about(self, rater):
        return [(mark, lamport) for who, mark, lamport in self.marks_kept if who == rater]

    def complete(self, rater):
        """By what stands: all that is needed is said or cannot be judged, a bad tone explained."""
        said = self.standing()
        needed = list(NEEDED)
        if said.get((rater, *NEEDED[0], 1)) == ("answered", 1):
            needed.append((ITEM, 0, "tone_comment"))
        return all(
            said.get((rater, *where, 1), ("", None))[0] in (*SETTLED, "skipped") for where in needed
        )

    def model_mark(self, rater, mark):
        event_id, kind, lamport = mark
        about = self.about(rater)
        if event_id in [one[0] for one, _ in about]:
            return True
        if self.closed:
            return False
        newer = [
            one
            for one, count in about
            if lamport is not None and PAIRS[one[1]] == "submit" and count > lamport
        ]
        if kind == "submit" and not newer and not self.complete(rater):
            return False
        if lamport is None:
            lamport = max((count for _, count in about), default=0) + 1
        self.marks_kept.append((rater, mark, lamport))
        return True

    def send_mark(self, client, rater, mark):
        event_id, kind, lamport = mark
        ack = self.clients[client].mark(rater, ITEM, kind, event_id, lamport=lamport)
        assert ack.ok is self.model_mark(rater, mark), ack.reason

    @rule(client=st.integers(0, 1), made=marks)
    def mark(self, client, made):
        rater, kind, lamport = made
        self.count += 1
        mark = (f"m{self.count}", kind, lamport)
        self.marks_sent.append((rater, mark))
        self.send_mark(client, rater, mark)

    @precondition(lambda self: self.marks_sent)
    @rule(client=st.integers(0, 1), data=st.data())
    def retry_a_mark(self, client, data):
        self.send_mark(client, *data.draw(st.sampled_from(self.marks_sent)))

    @rule(client=st.integers(0, 1), rater=st.sampled_from(RATERS))
    def complete_the_item(self, client, rater):
        for subject, part, question in NEEDED:
            made = (rater, (subject, part, question), ANSWERS[question], "answered", None, 1)
            self.send(client, rater, [self.event(made)[1]])

    @invariant()
    def both_clients_see_the_marks_the_model_sees(self):
        if not hasattr(self, "marks_kept"):
            return
        for rater in RATERS:
            expected = {"flag": False, "submit": False}
            for mark, _ in sorted(self.about(rater), key=lambda one: one[1]):
                expected[PAIRS[mark[1]]] = not mark[1].startswith("un")
            for client in self.clients:
                found = client.marks(rater).get(self.ref)
                stands = (found.flagged, found.submitted) if found else (False, False)
                assert stands == (expected["flag"], expected["submit"])


def test_any_sequence_of_marks_gives_what_the_model_gives():
    run(20, 20, Marks)


@pytest.mark.long
def test_any_long_sequence_of_marks_gives_what_the_model_gives():
    run(300, 50, Marks)


def test_control_a_store_that_lets_the_last_mark_to_come_stand_is_found_out(monkeypatch):
    mark = Round.mark
    monkeypatch.setattr(Round, "mark", lambda *said, lamport=None: mark(*said))
    machine = Marks()
    machine.open()
    try:
        machine.mark(client=0, made=("ana", "flag", 5))
        machine.both_clients_see_the_marks_the_model_sees()
        machine.mark(client=1, made=("ana", "unflag", 4))
        with pytest.raises(AssertionError):
            machine.both_clients_see_the_marks_the_model_sees()
    finally:
        machine.teardown()
