"""Whatever raters must not know makes no difference to anything the browser is sent."""

import json
import secrets

import pytest

from raterbook.protocols import load, names
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
