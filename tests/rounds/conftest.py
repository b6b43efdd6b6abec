"""A small protocol with one of everything, and rounds on it."""

import pytest

from raterbook.protocols import parse
from raterbook.rounds import Event, ItemTable, PartRow, Store

SMALL = """
name: small
title: One of everything
about: For tests.
instructions: [Rate.]
item:
  key: [qid, model]
  case: qid
  cluster: topic
  system: model
  groups: [domain]
  fields:
    qid: {label: Id, show: none}
    model: {label: Model, show: hidden}
    domain: {label: Domain, of: case}
    topic: {label: Topic, show: none, of: case}
    question: {label: Question, of: case}
    text: {label: Text, show: long}
    gold: {label: Gold, show: after, required: false}
    auto: {label: Automatic, show: hidden, required: false,
           answers: {rater: auto, kind: automatic, question: label}}
parts: {of: item, from: text, split: sentences, label: Sentence}
questions:
  - id: tone
    prompt: How is its tone?
    type: scale
    levels:
      - {value: 1, name: bad, description: Bad.}
      - {value: 2, name: fair, description: Fair.}
      - {value: 3, name: good, description: Good.}
    comment: {prompt: "Why?", required: {tone: [1]}}
  - id: label
    prompt: Which?
    type: choice
    options: [{value: "yes", description: Yes.}, {value: "no", description: No.}]
    required: false
  - id: why_not
    prompt: Why not?
    type: text
    when: {label: ["no"]}
  - id: overall
    prompt: Overall?
    type: scale
    min: 1
    max: 5
    step: 0
    required: false
  - id: sure
    prompt: How sure?
    type: percent
    covers: [tone, label]
    required: false
  - id: correct
    prompt: Is the sentence correct?
    type: choice
    per: part
    options: [{value: right, description: Right.}, {value: wrong, description: Wrong.}]
  - id: reference
    prompt: What is the answer?
    type: answer
    of: case
    required: false
"""


@pytest.fixture(scope="session")
def protocol():
    return parse(SMALL, source="small.yaml")


def records(cases=3, models=("a", "b")):
    """Items with two sentences each: q0/a, q0/b, q1/a …"""
    return [
        {
            "qid": f"q{case}",
            "model": model,
            "domain": f"d{case % 2}",
            "topic": f"t{case}",
            "question": f"Question {case}?",
            "text": f"First of {case}{model}. Second.",
            "gold": f"gold {case}",
            "auto": "yes" if case else "",
        }
        for case in range(cases)
        for model in models
    ]


@pytest.fixture
def table(protocol):
    return ItemTable.from_records(protocol, records(), source="items.csv")


@pytest.fixture
def store(place):
    made = Store(place())
    yield made
    made.dispose()


@pytest.fixture
def stored(store, protocol, table):
    return store.open("round-01", protocol, table, raters=["ana", "ben"], seed=7)


@pytest.fixture
def say(stored):
    """Save one answer, and insist that it was taken."""
    count = iter(range(10**6))

    def one(rater, subject, question, value=None, **more):
        (ack,) = stored.save(rater, [Event(f"{next(count)}", subject, question, value, **more)])
        assert ack.ok, ack.reason
        return ack

    return one


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """A database in which every table of events has rows, that nobody has open."""
    path = tmp_path_factory.mktemp("kept") / "raterbook.sqlite"
    store = Store(path)
    protocol = parse(SMALL, source="small.yaml")
    first = ItemTable.from_records(protocol, records(), source="items.csv")
    round = store.open("round-01", protocol, first, raters=["ana", "ben", "cem"], seed=7)
    other = [{**each, "gold": "another"} for each in records()]
    round.add_items(ItemTable.from_records(protocol, other, source="new.csv"), replace=True)
    round.set_parts("q1/a", [PartRow("q1/a", None, "One."), PartRow("q1/a", None, "Two.")])
    for number, (rater, value) in enumerate([("ana", 2), ("ana", 3), ("ben", 2), ("cem", 2)]):
        assert round.save(rater, [Event(f"e{number}", "q0/a", "tone", value)])[0].ok
    assert round.save("ben", [Event("e4", "q0/b", "overall", 4.5, seconds=2.25)])[0].ok
    round.mark("ana", "q0/a", "flag", "m1", reason="odd")
    round.mark("ben", "q0/a", "flag", "m2", reason="long")
    round.reassign("cem", "ana", "ill")
    store.erase("cem")
    store.erase("ben")
    store.replies.put("key", "Tone: 3")
    store.replies.put("other", "Tone: 2")
    store.open("round-02", protocol, first, raters=["ana"])
    store.dispose()
    return path
