"""Rounds that are empty, tiny, huge or hostile get an honest page, never an error."""

import html
import re

import pytest

from raterbook.numbers.compute import numbers
from raterbook.protocols import load
from raterbook.reporting import Report
from raterbook.rounds import Event, Store
from tests.reporting.conftest import SAMPLES
from tests.reporting.rounds import (
    asking,
    choice,
    measured,
    opened,
    page_of,
    records,
    words_of,
)

PROTOCOLS = ("halo-support", "neureg-qa", "feedback-quality")
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&lt; $x^2$ \\frac{1}{2} {{ body }} "
    "\u202eesrever\u202c \x07 % _ # 汉字 👩‍🔬 `code` [a](javascript:x) -->"
)


def first_question(protocol):
    asked = next(q for q in load(protocol).questions if q.type in ("scale", "choice"))
    return asked.id, asked.values


def text_of(page):
    body = re.sub(r"<style.*?</style>", "", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).replace("\u00a0", " ").split())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_answers_the_page_says_so(by_hand, protocol):
    stored = by_hand(protocol, records(protocol, 3))
    page = text_of(page_of(stored))
    assert "Nobody has answered yet, so there is nothing to report." in page
    found = numbers(stored)
    assert all(row["estimate"] is None and row["reason"] for row in found.rows)
    assert not any(target["met"] for target in found.targets)


def test_labels_without_a_checker_have_their_kappa_and_targets_without_a_value(by_hand):
    items = [
        {k: v for k, v in each.items() if k != "auto_label"} for each in records("halo-support", 12)
    ]
    labels = load("halo-support").question("label").values
    said = [
        (rater, f"i{n:03d}", "label", labels[(n + (n == turn)) % 3])
        for turn, rater in enumerate(("ana", "ben"))
        for n in range(12)
    ]
    stored = by_hand("halo-support", items, said)
    found = {target["name"]: target for target in numbers(stored).targets}
    assert found["Match with the automatic label"]["value"] is None
    assert found["κ among people"]["value"] > 0.7
    assert "κ among people" in text_of(page_of(stored))


def test_a_label_that_came_with_the_items_cannot_be_named_among_those_who_count(workspace):
    stored = workspace.store.round("halo-sample")
    with pytest.raises(ValueError, match="auto is of the kind automatic"):
        numbers(stored, raters=["r2", "auto"])


def test_an_estimate_that_one_rater_moves_past_its_target_is_told(workspace):
    page = text_of(page_of(workspace.store.round("halo-sample")))
    assert "by its interval, but the estimate alone goes to the other side of a target" in page


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_rater_cannot_be_checked_and_is_told_so(by_hand, protocol):
    question, values = first_question(protocol)
    items = records(protocol, 12)
    said = [("ana", f"i{n:03d}", question, values[n % len(values)]) for n in range(12)]
    page = text_of(page_of(by_hand(protocol, items, said)))
    assert "One rater answered, so nothing can be said about agreement" in page
    assert "Let a second rater answer part of the items" in page


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_item_gives_a_page_without_intervals(by_hand, protocol):
    question, values = first_question(protocol)
    said = [(rater, "i000", question, values[place]) for place, rater in enumerate(("ana", "ben"))]
    stored = by_hand(protocol, records(protocol, 1), said)
    assert "1 item" in text_of(page_of(stored))
    assert all(target["verdict"] == "undecided" for target in numbers(stored).targets)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_round_in_which_everything_was_skipped_gives_a_page(tmp_path, protocol):
    question, _ = first_question(protocol)
    stored = opened(tmp_path, protocol, records(protocol, 4))
    stored.add_rater("ana")
    stored.save(
        "ana", [Event(f"e{n}", f"i{n:03d}", question, None, status="skipped") for n in range(4)]
    )
    assert "Nobody has answered yet" in text_of(page_of(stored))


def test_when_everybody_says_the_same_alpha_is_undefined_and_the_page_says_why(by_hand):
    items = records("halo-support", 20)
    said = [
        (r, f"i{n:03d}", "label", "SUPPORTED") for r in ("ana", "ben", "eva") for n in range(20)
    ]
    stored = by_hand("halo-support", items, said)
    page = text_of(page_of(stored))
    assert "undefined, because every rating is the same value" in page
    assert "Label: no α, as every rating is the same value, so chance agreement cannot be" in page
    assert "“SUPPORTED” is 100 % of a rater’s answers, of which each gave 20." in page
    assert "give the others’ answer in 100 % of common answers" in words_of(page_of(stored))
    assert "Raters gave the same answers throughout: no item stands out." in page
    target = {target["name"]: target for target in numbers(stored).targets}["κ among people"]
    assert target["value"] is None
    assert target["met"] is False


def test_raters_who_differ_on_percentages_are_not_said_to_give_the_same(by_hand):
    text = asking({"share": {"type": "percent"}}, [measured("mean", "share")])
    items = [{"id": f"i{n}", "text": f"Text {n}."} for n in range(3)]
    said = [("ana", "i0", "share", 90), ("ben", "i0", "share", 25)]
    said += [("ana", "i1", "share", 50), ("ben", "i1", "share", 50)]
    page = text_of(page_of(by_hand(text=text, items=items, answers=said)))
    assert "Raters gave the same answers throughout" not in page
    assert "Raters differ on 1 item" in page
    same = [one for one in said if one[1] == "i1"]
    page = text_of(page_of(by_hand(text=text, items=items, answers=same)))
    assert "Raters gave the same answers throughout: no item stands out." in page


def test_confidence_alone_is_nothing_to_differ_on(by_hand):
    text = asking(
        {"label": choice("y", "n"), "sure": {"type": "percent", "covers": ["label"]}},
        [measured("mean", "sure")],
    )
    items = [{"id": f"i{n}", "text": f"Text {n}."} for n in range(3)]
    said = [("ana", "i0", "sure", 90), ("ben", "i0", "sure", 20), ("ana", "i1", "label", "y")]
    page = text_of(page_of(by_hand(text=text, items=items, answers=said)))
    assert "Raters gave the same answers throughout" not in page
    assert "Raters differ on" not in page


def test_two_hundred_raters_still_fit_on_the_page(by_hand):
    items = records("neureg-qa", 8)
    raters = [f"rater-{n:03d}" for n in range(200)]
    said = [
        (rater, f"i{n:03d}", "accuracy", 1 + (place * 7 + n * n) % 5)
        for place, rater in enumerate(raters)
        for n in range(8)
        if (place + n) % 3
    ]
    page = page_of(by_hand("neureg-qa", items, said))
    assert len(page.encode()) < 500_000
    assert "200 raters give the others’ answer" in text_of(page)


def test_a_text_of_a_megabyte_is_cut_and_its_length_told(by_hand):
    items = records("halo-support", 4)
    items[0]["generated_answer"] = "endless " * 131_072
    labels = ["SUPPORTED", "CONTRADICTED", "NO EVIDENCE", "SUPPORTED"]
    said = [
        (r, f"i{n:03d}", "label", labels[(n + p) % 4])
        for p, r in enumerate("abc")
        for n in range(4)
    ]
    page = page_of(by_hand("halo-support", items, said))
    assert len(page.encode()) < 500_000
    assert "characters in all]" in page


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_hostile_texts_stay_texts_everywhere(tmp_path, protocol):
    """In every visible field, in item names, raters, systems, groups and comments."""
    asked = load(protocol)
    question, values = first_question(protocol)
    comment = next(q.id for q in asked.questions if q.type == "text" and q.of == "item")
    items = records(protocol, 6)
    for number, item in enumerate(items):
        for name, field in asked.item.fields.items():
            if field.visible and name not in ("source_kg", "question_type", "shot_type"):
                item[name] = HOSTILE + str(number)
        item["model"] = f"<b>sys{number % 2}</b> $a_b$"
    stored = opened(tmp_path, protocol, items)
    keys = [item.key for item in stored.items()]
    for place, rater in enumerate(("<i>r1</i> $", "r_2 & co", "汉字")):
        stored.add_rater(rater)
        stored.save(
            rater,
            [
                Event(f"{place}-{n}-{q}", key, q, v)
                for n, key in enumerate(keys)
                for q, v in ((question, values[(n * place) % len(values)]), (comment, HOSTILE))
            ],
        )
    page = page_of(stored)
    for tag in ("<script>alert", "<img src=x", "<i>r1", "<b>sys", "{{ body }}<", "\x07", "\u202e"):
        assert tag not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    Report(stored).numbers.to_json()


def test_a_protocol_of_ones_own_gets_a_page_without_code(tmp_path, root):
    text = (root / "tests" / "sixth" / "pairwise.yaml").read_text("utf-8")
    from raterbook.protocols import parse

    asked = parse(text, source="pairwise.yaml")
    key = asked.item.key[0]
    question = next(q for q in asked.questions if q.type == "choice")
    items = [{name: f"{name} {n}" for name in asked.item.fields} | {key: f"i{n}"} for n in range(8)]
    stored = opened(tmp_path, text=text, items=items)
    keys = [item.key for item in stored.items()]
    for place, rater in enumerate(("ana", "ben", "eva")):
        stored.add_rater(rater)
        stored.save(
            rater,
            [
                Event(f"{place}-{n}", item, question.id, question.values[(n * (place + 1)) % 3])
                for n, item in enumerate(keys)
            ],
        )
    page = text_of(page_of(stored))
    assert asked.title in page
    assert "Can the raters be trusted?" in page


def test_models_count_where_no_person_answered(by_hand):
    items = records("neureg-qa", 30)
    said = [
        (r, f"i{n:03d}", "accuracy", 1 + (n + p) % 5)
        for p, r in enumerate(("m1", "m2"))
        for n in range(30)
    ]
    page = text_of(page_of(by_hand("neureg-qa", items, said, kinds={"m1": "model", "m2": "model"})))
    assert "2 models" in page
    assert "Machines against people" not in page


def test_models_alone_get_advice_though_nobody_took_their_time(by_hand):
    """One of them apart from the others, which is where times of answers would be looked up."""
    items = records("neureg-qa", 30)
    apart = {"m1": lambda n: n % 15 == 0, "m2": lambda n: n % 10 == 3, "m3": lambda n: n % 2}
    said = [
        (model, f"i{n:03d}", question, 1 + (n + apart[model](n)) % 5)
        for model in ("m1", "m2", "m3")
        for n in range(30)
        for question in ("accuracy", "fluency", "completeness")
    ]
    kinds = dict.fromkeys(("m1", "m2", "m3"), "model")
    page = text_of(page_of(by_hand("neureg-qa", items, said, kinds=kinds)))
    assert "m3 agrees with the others less than they with one another" in page
    assert "of the usual time" not in page


def test_a_model_beside_people_is_compared_and_never_counted(by_hand):
    items = records("neureg-qa", 30)
    said = [(r, f"i{n:03d}", "accuracy", 1 + n % 5) for r in ("ana", "ben") for n in range(30)]
    said += [("judge-1", f"i{n:03d}", "accuracy", 1 + (n % 5 + 1) % 5) for n in range(30)]
    stored = by_hand("neureg-qa", items, said, kinds={"judge-1": "model"})
    page = text_of(page_of(stored))
    assert "2 people" in page
    assert "judge-1, the model" in page
    assert numbers(stored).get("mean", "accuracy")["n_raters"] == 2


def test_answers_given_twice_and_a_key_are_reported(tmp_path):
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 15))
    for rater, kind in (("ana", "human"), ("ben", "human"), ("gold", "key")):
        stored.add_rater(rater, kind=kind)
        events = [Event(f"{rater}{n}", f"i{n:03d}", "accuracy", 1 + n % 5) for n in range(15)]
        if rater == "ana":
            events += [
                Event(f"again{n}", f"i{n:03d}", "accuracy", 1, replicate=2) for n in range(15)
            ]
        stored.save(rater, events)
    page = text_of(page_of(stored))
    assert "ana: 20 % the same answer again, of 15 answers." in page
    assert "Against the key" in page
    assert numbers(stored).get("mean", "accuracy")["n_ratings"] == 30


def test_parameters_narrow_the_page(workspace):
    found = workspace.round("neureg-sample").numbers(
        raters="r1,r2", questions=["accuracy"], groups="model"
    )
    assert {row["question"] for row in found.rows} <= {"accuracy", None}
    rows = [row for row in found.rows if row["group"] is None]
    # Half points are asked for, and no model answered.
    assert {row["statistic"] for row in rows if row["reason"] == "no_comparison"} == {
        "exact_halves",
        "macro_f1_halves",
    }
    assert {row["n_raters"] for row in rows if row["reason"] != "no_comparison"} == {2}


def test_every_sample_page_is_made_without_a_kernel_too(workspace):
    for name in SAMPLES[:1]:
        stored = Store(workspace.db).round(name)
        assert "<h1>" in page_of(stored, seed=5)
