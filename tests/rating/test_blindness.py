"""Whatever raters must not know makes no difference to anything the browser is sent."""

import json
import secrets

import pytest

from raterbook.protocols import load, names, parse
from raterbook.rounds import PartRow
from tests.browser.conftest import sample_rows
from tests.rating.conftest import HALO, QUESTEVAL, QUESTIONS


@pytest.fixture(autouse=True)
def one_secret(monkeypatch):
    """Both rounds get the same secret: opaque names then differ only if something leaks."""
    monkeypatch.setattr(secrets, "token_hex", lambda size: "5" * 2 * size)
    monkeypatch.setattr(secrets, "token_bytes", lambda size: b"5" * size)


def session(browser):
    """A whole sitting: every item opened, answered and submitted."""
    browser.say("open")
    total = browser.say("item")["place"]["total"]
    for position in range(1, total + 1):
        page = browser.say("item", position=position)["item"]
        for question in browser.heard[0]["protocol"]["questions"]:
            subject = page["case"] if question["of"] == "case" else page["ref"]
            parts = [part["number"] for part in page["parts"]]
            for part in parts if question["per"] == "part" else [0]:
                browser.answer(subject, question["id"], allowed(question), part)
            browser.say("item", position=position)
        browser.mark("submit", page["ref"])
        browser.say("item", ref=page["ref"])
    state = dict(browser.form.get_state())
    layout = state.pop("layout")  # names of the widget's own parts, drawn at random
    assert layout.startswith("IPY_MODEL_")
    state.pop("tooltip", None)
    return json.dumps([browser.heard, state], ensure_ascii=False, sort_keys=True)


def allowed(question):
    """An answer that is taken, whatever is asked."""
    offered = [*question["options"], *question["levels"]]
    if offered:
        return offered[0]["value"]
    return 50 if question["type"] == "percent" else "something"


def rotated(rows, columns):
    """The same rows with the values of these columns moved on by one row."""
    return [
        {**row, **{name: rows[place - 1][name] for name in columns}}
        for place, row in enumerate(rows)
    ]


def test_permuted_hidden_values_give_byte_identical_traffic(open_round, browser):
    labels = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE", "SUPPORTED"]
    rows = [
        {**row, "auto_label": label, "human_label": label, "notes": f"hidden note {label}"}
        for row, label in zip(HALO, labels, strict=True)
    ]
    permuted = rotated(rows, ["gold_answer", "auto_label", "human_label", "notes"])
    one = session(browser(open_round("halo-support", rows, folder="one")))
    two = session(browser(open_round("halo-support", permuted, folder="two")))
    assert one == two
    assert "something" in one


def test_permuted_shot_types_give_byte_identical_traffic(open_round, browser):
    rows, _ = sample_rows(load("neureg-qa"), 4)
    assert rows[1]["shot_type"] != rows[3]["shot_type"]
    permuted = [
        {**row, "shot_type": rows[place - 2]["shot_type"]} for place, row in enumerate(rows)
    ]
    one = session(browser(open_round("neureg-qa", rows, folder="one")))
    two = session(browser(open_round("neureg-qa", permuted, folder="two")))
    assert one == two


@pytest.mark.parametrize("protocol", names())
def test_another_model_name_changes_nothing_but_the_items_opaque_name(
    protocol, open_round, browser
):
    """The model's name is part of the item's key, and the opaque name is made from the key."""
    rows, parts = sample_rows(load(protocol), 1)
    heard = []
    for model in ("atlas-2", "zz-top-9"):
        named = [PartRow(key.replace("atlas-2", model), *rest) for key, *rest in parts or []]
        round = open_round(protocol, [{**rows[0], "model": model}], named or None, folder=model)
        (item,) = round.queue("ana")
        said = session(browser(round))
        assert json.loads(said)[0][-1]["item"]["submitted"]
        assert item.ref in said
        heard.append(said.replace(item.ref, "REF"))
    assert heard[0] == heard[1]


def test_hidden_facts_of_generated_questions_give_byte_identical_traffic(open_round, browser):
    other = [
        PartRow(part.subject, part.number, part.text, {"key_info": "another"}) for part in QUESTIONS
    ]
    one = session(browser(open_round("rag-questeval", QUESTEVAL, QUESTIONS, folder="one")))
    two = session(browser(open_round("rag-questeval", QUESTEVAL, other, folder="two")))
    assert one == two


def test_no_hidden_value_and_no_key_is_in_the_traffic(open_round, browser):
    rows = [{**row, "id": f"key-{row['id']}"} for row in HALO]
    traffic = session(browser(open_round("halo-support", rows, folder="one")))
    traffic += session(browser(open_round("rag-questeval", QUESTEVAL, QUESTIONS, folder="two")))
    assert "20 metres." in traffic
    for secret in ("hidden-model", "gold-", "hidden-a", "hidden-b", "hidden-fact", "key-s"):
        assert secret not in traffic


def test_the_control_a_visible_value_does_change_the_traffic(open_round, browser):
    one = session(browser(open_round("halo-support", HALO, folder="one")))
    two = session(browser(open_round("halo-support", rotated(HALO, ["context"]), folder="two")))
    assert one != two


# What a later step shows is in no message before it.

LATER = """
name: later-parts
title: Parts from a later step
about: For tests.
instructions: [Rate.]
item:
  key: [qid, model]
  case: qid
  system: model
  fields:
    qid: {label: Id, show: none}
    model: {label: Model, show: hidden}
    question: {label: Question, of: case}
    text: {label: Text, show: long}
    gold: {label: Gold, show: after}
parts: {of: item, from: text, split: sentences, label: Sentence}
questions:
  - {id: hard, prompt: Is it a hard question?, type: choice, shows: [question],
     options: [{value: "yes", description: Hard.}, {value: "no", description: Easy.}]}
  - {id: correct, prompt: Is it correct?, type: choice, per: part, shows: [part, text],
     options: [{value: right, description: Right.}, {value: wrong, description: Wrong.}]}
stages: [[hard], [correct]]
"""
STAGED = [
    {
        "qid": f"q{n}",
        "model": "atlas",
        "question": f"Question {n}?",
        "text": f"Sentence one of {n}. Sentence two.",
        "gold": f"gold {n}",
    }
    for n in range(2)
]


def marked(protocol, rows):
    """Rows whose every free text says which field it is of."""
    fields = {name for name, field in protocol.item.fields.items() if not field.values}
    fixed = {*protocol.item.key, protocol.item.case, protocol.item.cluster}
    fixed |= {name for name, field in protocol.item.fields.items() if field.answers}
    return [
        {name: f"{text} mark:{name}." if name in fields - fixed and text else text
         for name, text in row.items()}
        for row in rows
    ]  # fmt: skip


def allowed_fields(protocol, stage):
    """The fields the protocol lets be seen in this step, read from its questions alone."""
    shown = set()
    for name in (name for asked in protocol.stages[: stage + 1] for name in asked):
        fields = protocol.question(name).shows or list(protocol.item.fields)
        shown |= {each for each in fields if each in protocol.item.fields}
    return {
        name for name in shown if protocol.item.fields[name].show in ("text", "long", "triples")
    }


def stage_of(protocol, done):
    """The first step with a question that is not answered yet."""
    open_ = (n for n, names in enumerate(protocol.stages) if not done.issuperset(names))
    return next(open_, len(protocol.stages) - 1)


def told_early(protocol, browser):
    """Fields whose text was in a message before the step that shows them, through a sitting."""
    browser.say("open")
    early, of_case = set(), {}
    for position in range(1, browser.say("item")["place"]["total"] + 1):
        browser.heard.clear()
        page = browser.say("item", position=position)["item"]
        done = set(of_case.get(page["case"], ()))  # answered with another item of its case

        def look(done=done):
            allowed = allowed_fields(protocol, stage_of(protocol, done))
            text = json.dumps(browser.heard, ensure_ascii=False)
            early.update(
                name for name in protocol.item.fields if f"mark:{name}." in text
                and name not in allowed
            )  # fmt: skip

        browser.mark("submit", page["ref"])
        look()
        for names_ in protocol.stages:
            for name in names_:
                question = protocol.question(name)
                asked = next(q for q in protocol.for_form()["questions"] if q["id"] == name)
                subject = page["case"] if question.of == "case" else page["ref"]
                numbers = (
                    [one["number"] for one in page["parts"]] if question.per == "part" else [0]
                )
                for part in numbers:
                    browser.answer(subject, name, allowed(asked), part)
                    look()
                done.add(name)
                if question.of == "case":
                    of_case.setdefault(page["case"], set()).add(name)
            page = browser.say("item", position=position)["item"]
            look()
        assert browser.mark("submit", page["ref"])["ok"]
        look()
    return early


@pytest.mark.parametrize("name", [*names(), "later-parts"])
def test_nothing_is_told_before_its_step(name, open_round, browser):
    if name == "later-parts":
        protocol, rows, parts = parse(LATER, source="later.yaml"), STAGED, None
    else:
        protocol = load(name)
        rows, parts = sample_rows(protocol, 2)
        parts = [PartRow(*row) for row in parts or []] or None
    round = open_round(protocol, marked(protocol, rows), parts)
    assert told_early(round.protocol, browser(round)) == set()


def test_the_control_parts_sent_with_the_first_message_are_found(open_round, browser, monkeypatch):
    monkeypatch.setattr("raterbook.rating.sheet.parts_until", lambda *_: True)
    protocol = parse(LATER, source="later.yaml")
    round = open_round(protocol, marked(protocol, STAGED))
    assert told_early(protocol, browser(round)) == {"text"}


@pytest.fixture
def later(open_round, browser):
    round = open_round(parse(LATER, source="later.yaml"), STAGED)
    ana = browser(round)
    ana.say("open")
    return round, ana, ana.say("item", position=1)["item"]


def test_parts_come_with_the_step_that_shows_them(later):
    _, ana, first = later
    assert (first["parts"], first["withheld"]) == ([], True)
    ana.answer(first["ref"], "hard", "yes")
    then = ana.say("item", ref=first["ref"])["item"]
    assert ([part["number"] for part in then["parts"]], then["withheld"]) == ([1, 2], False)


def test_how_many_parts_are_to_come_is_in_no_refusal(later):
    _, ana, first = later
    words = {ana.answer(first["ref"], "correct", "right", part)["reason"] for part in (1, 2, 3, 99)}
    assert words == {"“Correct” is asked in a later step: answer what comes before it"}
    assert (
        ana.mark("submit", first["ref"])["reason"] == "not complete yet: its next step is to come"
    )


def test_no_refusal_names_the_item_by_its_key(later):
    _, ana, first = later
    ana.answer(first["ref"], "hard", "yes")
    ack = ana.answer(first["ref"], "correct", "right", 9)
    assert ack["reason"] == "there is no part 9 here"


def test_an_answer_to_a_later_step_is_not_stored(later):
    round, ana, first = later
    assert not ana.answer(first["ref"], "correct", "right", 1)["ok"]
    assert round.current("ana") == {}


def test_an_answer_whose_question_rests_on_one_that_is_not_here_comes_again(open_round, browser):
    """Nothing is stored that is not asked, and nothing is lost that was sent in an odd order."""
    from tests.rounds.conftest import SMALL, records

    round = open_round(parse(SMALL, source="small.yaml"), records())
    ana = browser(round)
    ana.say("open")
    ref = ana.say("item")["item"]["ref"]
    rests, early = ana.event(ref, "label", "no"), ana.event(ref, "why_not", "so")
    (ack,) = ana.save([early])
    assert (ack["ok"], ack["again"]) == (False, True)
    assert round.current("ana") == {}
    assert [ack["ok"] for ack in ana.save([rests, early])] == [True, True]
    assert len(round.current("ana")) == 2


# What was answered after the expected answer had been seen is told.


@pytest.fixture
def seen_through(halo, browser):
    """ana submits her first item, sees what was expected, and opens it again."""
    ana = browser(halo)
    ana.say("open")
    ref = ana.say("item", position=1)["item"]["ref"]
    ana.answer(ref, "label", "CONTRADICTED")
    for mark in ("submit", "reveal"):
        assert ana.mark(mark, ref)["ok"]
    assert ana.say("item", ref=ref)["item"]["after"]
    return halo, ana, ref


def test_an_answer_after_a_reveal_is_told_by_status_and_in_the_marks(seen_through):
    halo, ana, ref = seen_through
    assert halo.status()["after_reveal"] == []
    ana.mark("unsubmit", ref)
    assert ana.answer(ref, "label", "SUPPORTED")["ok"]
    ana.mark("submit", ref)
    key = next(item.key for item in halo.items() if item.ref == ref)
    assert halo.status()["after_reveal"] == [{"item": key, "rater": "ana", "questions": ["label"]}]
    (row,) = halo.marked()
    assert (row["item"], row["mark"], row["reason"]) == (key, "after_reveal", "label")


def test_neither_a_low_count_nor_a_later_clock_hides_it(seen_through):
    halo, ana, ref = seen_through
    ana.mark("unsubmit", ref)
    late = ana.event(ref, "notes", "I knew.", lamport=0, client_time="2020-01-01T00:00:00Z")
    assert ana.save([late])[0]["ok"]
    assert halo.status()["after_reveal"][0]["questions"] == ["notes"]


def test_what_is_held_back_cannot_be_asked_for_before_submission(halo, browser):
    ana = browser(halo)
    ana.say("open")
    ref = ana.say("item", position=1)["item"]["ref"]
    assert "submit it" in ana.mark("reveal", ref)["reason"]
