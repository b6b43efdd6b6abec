"""What a browser, or somebody in its place, can send a sitting.

Whatever it is: it is acknowledged or refused with a word that can be sent back, the item and the
round go on, the rater's next answer is stored, and nothing is told that is hidden.
"""

import json
import time
from contextlib import contextmanager
from unittest import mock

from raterbook.protocols import parse
from raterbook.rating import Form
from raterbook.rating.sitting import Sitting
from raterbook.rounds import ItemTable, Store
from raterbook.rounds.snapshot import Snapshot
from tests.hostile.probe import Probe
from tests.rating.conftest import Browser
from tests.rating.test_blindness import LATER, STAGED
from tests.rounds.conftest import SMALL, records


@contextmanager
def sitting(folder, text=SMALL, rows=None, raters=("ana", "ben"), **how):
    """A round, a browser of ana's, and the first page she is sent."""
    protocol = parse(text, source="hostile.yaml")
    store = Store(folder / "raterbook.sqlite")
    table = ItemTable.from_records(protocol, rows or records())
    round = store.open("round-01", protocol, table, raters=raters, **how)
    form = Form(round, "ana")
    try:
        ana = Browser(form)
        ana.say("open")
        yield round, ana, ana.say("item", position=1)["item"]
    finally:
        form.close()
        store.dispose()


def unheard(answer, sent=0):
    """What is wrong with what came back, in words."""
    if answer is None:
        return "nothing came back"
    try:
        json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:
        return f"what came back cannot be sent: {error}"
    if answer["kind"] != "acks":
        told = answer["kind"] in ("round", "item") or answer["text"]
        return None if told else "no word came back"
    if len(answer["acks"]) != sent:
        return f"{len(answer['acks'])} acknowledgements of {sent}"
    for ack in answer["acks"]:
        if not ack["ok"] and not ack["reason"]:
            return "refused without a word"
        if "could not be stored" in (ack["reason"] or ""):
            return f"nobody foresaw it: {ack['reason']}"
    return None


def stopped(round, ana):
    """Whether the item, the round or the rater's next answer does not go on, in words."""
    told = ana.form.answer({"kind": "item", "tab": "t", "position": 1})
    if told["kind"] != "item":
        return f"the item does not come: {told['text']}"
    if broken := unheard(told):
        return broken
    round.status()
    round.frame(texts=True)
    round.marked()
    count = told["lamport"] + 1
    event = ana.event(told["item"]["ref"], "tone", 2, event_id="honest", lamport=count)
    (ack,) = ana.save([event])
    return None if ack["ok"] else f"the next answer is refused: {ack['reason']}"


def events(*hostile):
    """Hostile events sent with an honest one between them, which is stored whatever they are.

    Each is the fields to change, or a function of the page.
    """

    def attack(folder):
        with sitting(folder) as (round, ana, page):
            changed = [each(page) if callable(each) else each for each in hostile]
            plain = [
                ana.marking("flag", page["ref"], "Odd.")
                if "mark" in change
                else ana.event(page["ref"], "tone", 2)
                for change in changed
            ]
            sent = [{**event, **change} for event, change in zip(plain, changed, strict=True)]
            sent.insert(1, ana.event(page["ref"], "label", "yes", event_id="between"))
            answer = ana.form.answer({"kind": "save", "tab": "t", "events": sent})
            if broken := unheard(answer, len(sent)):
                return broken
            between = [ack["ok"] for ack in answer["acks"] if ack["event_id"] == "between"]
            if between != [True]:
                return "the honest answer beside it was not stored"
            return stopped(round, ana)

    return attack


def message(**said):
    def attack(folder):
        with sitting(folder) as (round, ana, page):
            answer = ana.form.answer({"tab": "t", "ref": page["ref"], **said})
            return unheard(answer, len(said.get("events") or ())) or stopped(round, ana)

    return attack


def nested(depth=100_000):
    """Deeper than anything that walks it can go."""
    found = []
    for _ in range(depth):
        found = [found]
    return found


HALF = "half \ud800 a letter"
EVENTS = {
    "an id that is a number": {"event_id": 7},
    "no id at all": {"event_id": None},
    "an empty id": {"event_id": ""},
    "half a letter in the id": {"event_id": HALF},
    "a NUL in the id": {"event_id": "a\0b"},
    "an id of 100,000 letters": {"event_id": "x" * 100_000},
    "a subject that is a list": {"subject": ["q0/a"]},
    "the item by its key": {"subject": "q0/a"},
    "no subject": {"subject": None},
    "a question that is not asked anywhere": {"question": "salary"},
    "a question that is a list": {"question": ["tone"]},
    "half a letter for a question": {"question": HALF},
    "a value that is no number": {"value": float("nan")},
    "a value without end": {"value": float("inf")},
    "a value of 400 digits": {"value": 10**400},
    "a value of 5,000 digits": {"value": 10**5000},
    "true for a score": {"value": True},
    "a value nested 100,000 deep": {"value": nested()},
    "an object for a value": {"value": {"__proto__": 1}},
    "half a letter in a text": {"question": "why_not", "value": HALF},
    "a NUL in a text": {"question": "tone_comment", "value": "a\0b"},
    "a million letters for a choice": {"question": "label", "value": "x" * 1_000_000},
    "a part of 5,000 digits": {"question": "correct", "part": 10**5000},
    "a part below 0": {"question": "correct", "part": -1},
    "a part in words": {"question": "correct", "part": "one"},
    "true for a part": {"question": "correct", "part": True},
    "a part of a whole": {"part": 1},
    "a status nobody knows": {"status": "x" * 10_000},
    "a status that is a list": {"status": ["answered"]},
    "a value beside skipped": {"status": "skipped", "value": 1},
    "half a letter in a reason": {"status": "skipped", "value": None, "reason": HALF},
    "a reason that is a number": {"reason": 5},
    "a time of the year 1": {"client_time": "0001-01-01T00:00:00+14:00"},
    "a time of the year 9999": {"client_time": "9999-12-31T23:59:59-14:00"},
    "a time of 100,000 letters": {"client_time": "2" * 100_000},
    "a count at the end of counting": {"lamport": 2**53},
    "a count of 5,000 digits": {"lamport": 10**5000},
    "a count below 0": {"lamport": -1},
    "a count that is no whole number": {"lamport": 1.5},
    "seconds that are no number": {"seconds": float("nan")},
    "seconds of 400 digits": {"seconds": 10**400},
    "seconds without end": {"seconds": 1e308},
    "seconds below 0": {"seconds": -1},
}
MARKS = {
    "a mark nobody knows": {"mark": "x" * 10_000},
    "a mark that is an object": {"mark": {"flag": 1}},
    "half a letter in a flag's reason": {"mark": "flag", "reason": HALF},
    "a flag's reason of two million letters": {"mark": "flag", "reason": "x" * 2_000_000},
    "a flag on the case": lambda page: {"mark": "flag", "subject": page["case"]},
    "a flag of the year 1": {"mark": "flag", "client_time": "0001-01-01T00:00:00+14:00"},
    "a submission of the year 1": {"mark": "submit", "client_time": "0001-01-01T00:00:00+14:00"},
    "a flag at the end of counting": {"mark": "flag", "lamport": 2**53},
    "a note of 100,000 brackets": {"mark": "note", "reason": "[" * 100_000},
    "a note of 100,000 objects": {"mark": "note", "reason": '{"evidence":' * 100_000},
    "evidence in a field that is a list": {
        "mark": "note",
        "reason": '{"evidence": {"field": [], "start": 0, "end": 1, "quote": "x"}}',
    },
    "evidence at no number": {
        "mark": "note",
        "reason": '{"evidence": {"field": "text", "start": NaN, "end": 1, "quote": "x"}}',
    },
    "evidence that is a text": {"mark": "note", "reason": '{"evidence": "field"}'},
    "half a letter in a quotation": {
        "mark": "note",
        "reason": '{"evidence": {"field": "text", "start": 0, "end": 1, "quote": "\\ud800"}}',
    },
}
MESSAGES = {
    "a message of no kind": {"kind": None},
    "a kind nested 100,000 deep": {"kind": nested()},
    "a kind of a million letters": {"kind": "x" * 1_000_000},
    "events that are no list": {"kind": "save", "events": {"0": 1}},
    "an event nested 100,000 deep": {"kind": "save", "events": [nested()]},
    "events of every wrong type": {"kind": "save", "events": [None, 1, "x", [], {}, True]},
    "half a letter for a tab": {"kind": "item", "tab": HALF},
    "a tab that is an object": {"kind": "open", "tab": {"a": nested()}},
    "a place of 400 digits": {"kind": "item", "position": 10**400},
    "a place that is no number": {"kind": "item", "position": float("nan")},
    "a step out of the world": {"kind": "item", "step": -(10**400)},
    "an item named 100,000 deep": {"kind": "item", "ref": nested()},
    "an item named by its key": {"kind": "item", "ref": "q0/a"},
}


# What was said before, said again or said otherwise.


def replayed(folder):
    """One answer a thousand times, and then another one under its id."""
    with sitting(folder) as (round, ana, page):
        event = ana.event(page["ref"], "tone", 2)
        acks = ana.save([event] * 1000)
        (other,) = ana.save([{**event, "value": 3}])
        (held,) = round.current("ana").values()
        if not all(ack["ok"] for ack in acks) or other["ok"]:
            return "a replay was refused, or another answer taken under its id"
        return None if (held.value, held.revision) == (2, 1) else f"{held.value}, {held.revision}"


def said_often(folder):
    """30,000 answers to one question at once, as a file of unsaved answers may have them."""
    with sitting(folder) as (_, ana, page):
        often = [ana.event(page["ref"], "tone", 1 + n % 3, event_id=f"n{n}") for n in range(30_000)]
        (folder / "unsaved.json").write_text(
            json.dumps({"round": "round-01", "rater": "ana", "answers": often})
        )
        before = time.process_time()
        said = ana.form.add_unsaved(folder / "unsaved.json")
        took = time.process_time() - before
        if took > 3:
            return f"the store was held for {took:.1f} s"
        return None if said == "30000 answers are in the store." else said


def too_many(folder):
    """More in one message than any form sends: nobody else waits while they are stored."""
    with sitting(folder) as (round, ana, page):
        many = [ana.event(page["ref"], "tone", 2, event_id=f"n{n}") for n in range(1_001)]
        told = ana.form.answer({"kind": "save", "tab": "t", "events": many})
        if told["kind"] != "trouble" or "1,000 answers" not in told["text"] or round.current("ana"):
            return f"{told}"
        return stopped(round, ana)


def one_id_twice(folder):
    with sitting(folder) as (round, ana, page):
        twice = [ana.event(page["ref"], "tone", value, event_id="one") for value in (2, 3)]
        said = [ack["ok"] for ack in ana.save(twice)]
        (held,) = round.current("ana").values()
        return None if (said, held.value) == ([True, False], 2) else f"{said}, {held.value}"


def mark_under_another(folder):
    with sitting(folder) as (round, ana, page):
        flag = ana.marking("flag", page["ref"], "Odd.")
        ana.save([flag])
        (ack,) = ana.save([{**flag, "mark": "unflag"}])
        return None if not ack["ok"] and round.marks("ana")[page["ref"]].flagged else "it was taken"


def of_another(folder):
    """An item of ben's, by the name that ben's browser has for it."""
    with sitting(folder, per_item=1) as (round, ana, _):
        theirs = {one.ref for one in round.queue("ben")} - {one.ref for one in round.queue("ana")}
        said = [ana.answer(ref, "tone", 2)["ok"] for ref in theirs]
        said += [ana.mark("flag", ref)["ok"] for ref in theirs]
        pages = [ana.say("item", ref=ref)["item"]["ref"] for ref in theirs]
        if any(said) or theirs.intersection(pages):
            return "ana reached an item of ben's"
        return None if said and not round.current("ben") else "there was nothing to reach"


def closed_while_open(folder):
    with sitting(folder) as (round, ana, page):
        round.close()
        acks = [ana.answer(page["ref"], "tone", 2), ana.mark("flag", page["ref"])]
        words = [ack["reason"] or "" for ack in acks]
        return None if all("was closed" in each for each in words) else str(words)


def counted_up(folder):
    """As far ahead as is taken, a thousand times: the rater still counts on."""
    with sitting(folder) as (round, ana, page):
        from raterbook.rating.sitting import AHEAD

        for _ in range(1000):
            far = round.store.now() // 1000 + AHEAD
            ana.save([ana.marking("flag", page["ref"]) | {"lamport": far}])
        return stopped(round, ana)


# What must not be known.


def later(check):
    """An attack on a round whose parts are cut from a field of its second step."""

    def attack(folder):
        with sitting(folder, LATER, STAGED) as (round, ana, page):
            return check(round, ana, page)

    return attack


def told(ana, *words):
    text = json.dumps(ana.heard, ensure_ascii=False)
    return next((f"“{word}” was told" for word in words if word in text), None)


def parts_early(round, ana, page):
    for position in (1, 2):
        ana.say("item", position=position)
    return told(ana, "Sentence one", "Sentence two")


def parts_counted(round, ana, page):
    """Answers and skips to parts 0 to 9 are refused alike, whether there is such a part or not."""
    acks = [ana.answer(page["ref"], "correct", "right", part) for part in range(10)]
    acks += [ana.answer(page["ref"], "correct", None, part, status="skipped") for part in range(10)]
    words = {ack["reason"] for ack in acks}
    return None if len(words) == 1 and None not in words else f"told apart by {words}"


def parts_by_submission(round, ana, page):
    words = ana.mark("submit", page["ref"])["reason"]
    return None if words and "part" not in words else f"it says {words}"


def parts_taken_back(round, ana, page):
    """Once the first step is open again, what it may not see is not sent again."""
    ana.answer(page["ref"], "hard", "yes")
    ana.answer(page["ref"], "hard", None, status="retracted")
    return "parts came" if ana.say("item", ref=page["ref"])["item"]["parts"] else None


def evidence_ahead(round, ana, page):
    """A stretch of a text to come is not sent back, as if it could be looked up by marking it."""
    note = {"evidence": {"field": "text", "start": 0, "end": 9, "quote": "guess"}}
    ana.mark("note", page["ref"], json.dumps(note))
    return "evidence came" if ana.say("item", ref=page["ref"])["item"]["evidence"] else None


def key_in_a_refusal(round, ana, page):
    ana.answer(page["ref"], "hard", "yes")
    for part in (0, 7, 99):
        ana.answer(page["ref"], "correct", "right", part)
        ana.answer(page["case"], "correct", "right", part)
        ana.answer(page["case"], "hard", "yes", part)
    return told(ana, "atlas", "q0/", "q1/")


def gold_early(round, ana, page):
    """Revealed before it is submitted, by marks in every order."""
    for marks in (["reveal"], ["unsubmit", "reveal"], ["submit", "reveal"]):
        for mark in marks:
            ana.mark(mark, page["ref"])
        ana.say("item", ref=page["ref"])
    return told(ana, "gold 0", "gold 1")


def gold_of_the_other(round, ana, page):
    """Who submitted one item sees what is held back of that one."""
    ana.answer(page["ref"], "hard", "yes")
    for part in (1, 2):
        ana.answer(page["ref"], "correct", "right", part)
    for mark in ("submit", "reveal"):
        ana.mark(mark, page["ref"])
    ana.say("item", position=1)
    ana.say("item", position=2)
    text = json.dumps(ana.heard)
    return None if ("gold 0" in text) != ("gold 1" in text) else "not one of the two was told"


def unasked(status):
    """An answer to a question whose condition does not hold, or is not answered."""

    def attack(folder):
        with sitting(folder) as (round, ana, page):
            if status:
                ana.answer(page["ref"], "label", status)
            ack = ana.answer(page["ref"], "why_not", "so")
            there = "why_not" in set(round.frame(texts=True)["question"])
            return "it is in the numbers" if ack["ok"] or there else None

    return attack


def later_step(round, ana, page):
    ana.answer(page["ref"], "correct", "right", 1)
    return "an answer to a later step was stored" if round.current("ana") else None


def after_reveal(**how):
    """An answer changed once the expected one was seen is reported, whatever its count and time."""

    def check(round, ana, page):
        ana.answer(page["ref"], "hard", "yes")
        for part in (1, 2):
            ana.answer(page["ref"], "correct", "wrong", part)
        for mark in ("submit", "reveal", "unsubmit"):
            ana.mark(mark, page["ref"])
        ana.save(
            [
                ana.event(page["ref"], "correct", "right", 2, **how),
                ana.marking("submit", page["ref"]),
            ]
        )
        late = [each["questions"] for each in round.status()["after_reveal"]]
        marks = [row["mark"] for row in round.marked()]
        return None if late == [["correct"]] and marks == ["after_reveal"] else f"{late}, {marks}"

    return check


HIDDEN = {
    "parts of a later step": later(parts_early),
    "how many parts are to come, asked one by one": later(parts_counted),
    "how many parts are to come, by submitting": later(parts_by_submission),
    "parts once the first step is taken back": later(parts_taken_back),
    "evidence in a text to come": later(evidence_ahead),
    "the item's key, by a part that is not there": later(key_in_a_refusal),
    "the expected answer before submission": later(gold_early),
    "the expected answer of another item": later(gold_of_the_other),
    "an answer to a later step": later(later_step),
    "an answer to what is asked otherwise": unasked("yes"),
    "an answer to what may be asked later": unasked(None),
    "an answer after a reveal": later(after_reveal()),
    "an answer after a reveal, dated before": later(
        after_reveal(client_time="2020-01-01T00:00:00Z")
    ),
}
AGAIN = {
    "an answer replayed a thousand times": replayed,
    "one id for two answers in one message": one_id_twice,
    "30,000 answers to one question": said_often,
    "1,001 answers in a message": too_many,
    "one id for two marks": mark_under_another,
    "an item of another rater": of_another,
    "answers into a closed round": closed_while_open,
    "counting as far ahead as goes": counted_up,
}

PROBES = [
    *(Probe(name, events(change), "X12") for name, change in {**EVENTS, **MARKS}.items()),
    *(Probe(name, message(**said), "X12") for name, said in MESSAGES.items()),
    *(Probe(name, attack, "X10") for name, attack in HIDDEN.items()),
    *(Probe(name, attack, "X12") for name, attack in AGAIN.items()),
]


def without(guard, attack, instead):
    """The same attack with a guard taken away; what it then throws is what broke."""

    def control(folder):
        with mock.patch(guard, instead):
            try:
                return attack(folder)
            except (ValueError, TypeError, RecursionError) as error:
                return f"{type(error).__name__} went through"

    return control


def careless(notes):
    """Evidence as it was read once: by whoever trusts a note."""
    return [json.loads(note)["evidence"] for note in notes]


CONTROLS = [
    Probe(
        "half a letter, unchecked",
        without(
            "raterbook.rounds.marks.storable",
            events(MARKS["half a letter in a flag's reason"]),
            lambda text, what: text,
        ),
    ),
    Probe(
        "brackets, read with trust",
        without(
            "raterbook.rating.sheet.evidence", events(MARKS["a note of 100,000 brackets"]), careless
        ),
    ),
    Probe(
        "a count without a limit",
        without(
            "raterbook.rating.sitting.AHEAD",
            events(EVENTS["a count at the end of counting"]),
            2**60,
        ),
    ),
    Probe(
        "parts with the first message",
        without("raterbook.rating.sheet.parts_until", later(parts_early), lambda *_: True),
    ),
    Probe(
        "steps in any order",
        without(f"{Sitting.__module__}.Sitting._early", later(parts_counted), lambda *_: None),
    ),
    Probe(
        "refusals that name the item",
        without(
            "raterbook.rounds.snapshot.Snapshot.refuse_part",
            later(key_in_a_refusal),
            lambda self, name, *more, plain=Snapshot.refuse_part: plain(self, "", *more),
        ),
    ),
    Probe(
        "reveals that nobody looks at",
        without(
            "raterbook.rounds.marks.answered_after_reveal", later(after_reveal()), lambda *_: {}
        ),
    ),
]
