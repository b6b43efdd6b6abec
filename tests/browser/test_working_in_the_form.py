"""What a rater does all day, by keys: change, flag, skip, look up, search, mark, pause."""

import json

import pytest

from raterbook.protocols import load
from raterbook.rounds import Round, RoundError
from tests.browser.conftest import sample_rows


def events(desk):
    return desk.rows(
        "SELECT question.name, part, status FROM answer_event "
        "JOIN question ON question.id = question_id ORDER BY seq"
    )


def test_changing_away_clears_what_is_no_longer_asked_and_logs_it(stem):
    stem.press("4")
    assert stem.at() == ("severity", 1)
    stem.press("1")
    assert stem.at() == ("accuracy", 2)
    stem.open_part(1).press("1").wait_for_state("saved")
    assert stem.form.locator("[data-question=severity][data-part='1']").count() == 0
    assert events(stem) == [
        ("accuracy", 1, "answered"),
        ("severity", 1, "answered"),
        ("accuracy", 1, "answered"),
        ("severity", 1, "retracted"),
    ]


def test_a_flag_a_question_left_open_and_one_that_does_not_apply_carry_their_reasons(bare_desk):
    desk = bare_desk("neureg-qa", 2)
    desk.press("f").write("The answer is cut off.").press("Enter")
    desk.press("c").write("The triples are in Welsh.").press("Enter")
    assert desk.at() == ("accuracy", 0)
    desk.press("5", "5", "5")
    assert desk.at() == ("kg_alignment", 0)
    desk.press("x", "Enter")  # the protocol offers its reason, no_kg, first
    desk.wait_for_state("saved")
    line = desk.form.locator(".rb-line[data-question=relevance]")
    assert "left open" in line.inner_text()
    assert "rb-done" not in line.get_attribute("class")  # no ✓: nobody answered it
    assert "Left open (1): Relevance" in " ".join(
        desk.form.locator(".rb-missing").inner_text().split()
    )
    desk.picture("left-open")
    desk.press("Control+Enter").wait_for_submitted(1)
    assert desk.marks() == [("flag", "The answer is cut off."), ("submit", None)]
    reasons = desk.rows("SELECT status, reason FROM answer_event WHERE status <> 'answered'")
    assert reasons == [("skipped", "The triples are in Welsh."), ("not_applicable", "no_kg")]


def test_what_is_missing_is_named_and_reached_by_a_key(stem):
    stem.open_part(3).press("1", "1")
    assert stem.at() == ("accuracy", 5)
    stem.press("Control+Enter")  # not submitted: it opens the first of what is missing
    assert stem.at() == ("accuracy", 1)
    assert "Still missing" in stem.notice()
    jump = stem.form.get_by_role("button", name="Sentence 1: Accuracy")
    assert jump.inner_text() == "1: Accuracy"
    assert jump.evaluate("node => node.scrollWidth <= node.clientWidth")
    stem.open_part(5).press("m")
    assert stem.at()[1] > 5
    assert stem.marks() == []


def test_items_are_reached_forward_back_and_by_number(stem):
    stem.press("]").wait_for_position(2).press("]").wait_for_position(3)
    stem.press("[").wait_for_position(2)
    stem.press("g").write("3").press("Enter")
    stem.wait_for_position(3)
    stem.press("g").write("9").press("Enter")
    assert "not an item from 1 to 3" in stem.notice()


def test_a_submitted_item_is_locked_until_the_rater_opens_it_again(bare_desk):
    desk = bare_desk("halo-support", 2)
    desk.press("1", "Control+Enter")
    desk.form.get_by_text("This item is submitted.").wait_for()
    desk.press("n", "2")
    assert "submitted" in desk.notice()
    desk.form.get_by_role("button", name="Change my answers").click()
    desk.form.locator(".rb-card").wait_for()
    desk.press("2").wait_for_state("saved")
    assert [kind for kind, _ in desk.marks()] == ["submit", "unsubmit"]
    assert list(desk.values().values()) == ["CONTRADICTED"]


def test_what_was_held_back_is_shown_after_submission_and_the_look_is_logged(bare_desk):
    rows = [
        {
            "id": "s1",
            "question": "How high?",
            "context": "It is 30 m high.",
            "model": "m",
            "generated_answer": "30 m.",
            "gold_answer": "Thirty metres.",
        }
    ]
    desk = bare_desk("halo-support", rows)
    assert "Thirty metres." not in desk.page.content()
    desk.press("1", "Control+Enter")
    desk.form.get_by_text("Show what was held back").click()
    desk.form.get_by_text("Thirty metres.").wait_for()
    assert [kind for kind, _ in desk.marks()] == ["submit", "reveal"]


def test_the_source_is_searched_and_evidence_in_it_is_marked(stem):
    stem.press("/").write("accuracy")
    box = stem.form.locator("input:focus")
    count = box.locator("xpath=following-sibling::span")
    assert count.inner_text().startswith("1 of ")
    stem.press("Enter")
    assert count.inner_text().startswith("2 of ")
    stem.press("Escape")
    assert stem.at() == ("accuracy", 1)  # back to work, and the keys with it
    stem.page.evaluate("""() => {
      const node = document.querySelector('.rb-block').firstChild;
      document.getSelection().setBaseAndExtent(node, 4, node, 17);
    }""")
    stem.press("e").wait_for_state("saved")
    ((kind, reason),) = stem.marks()
    assert kind == "note"
    place = json.loads(reason)["evidence"]
    assert place["quote"] == stem.form.locator(".rb-block").first.inner_text()[4:17]
    assert stem.page.evaluate("CSS.highlights.get('rb-evidence').size") == 1


def test_what_the_search_found_is_marked_without_a_mouse(stem):
    stem.press("/").write("accuracy").press("Enter", "Escape", "e").wait_for_state("saved")
    ((_, reason),) = stem.marks()
    place = json.loads(reason)["evidence"]
    assert place["quote"].lower() == "accuracy"
    assert stem.page.evaluate("CSS.highlights.get('rb-evidence').size") == 1


def test_a_quotation_goes_into_the_question_for_evidence_and_into_no_other(bare_desk):
    desk = bare_desk("feedback-quality", 1)
    assert desk.at() == ("first_impression", 0)
    desk.press("/").write("the").press("Escape", "e").wait_for_state("saved")
    assert desk.values() == {}
    assert [kind for kind, _ in desk.marks()] == ["note"]
    desk.press("Enter").write("Warm.").press("Control+Enter", *"4444444").press("n", "n")
    desk.press("/").write("the").press("Escape", "e").wait_for_state("saved")
    assert desk.values()["first_impression", 0] == "Warm."
    assert desk.values()["evidence", 0].lower() == "“the”"


def test_a_question_about_an_item_goes_with_it(stem):
    stem.press("f").write("About the first.")
    stem.form.get_by_role("button", name="Next").click()
    stem.wait_for_position(2)
    assert not stem.form.locator(".rb-ask").is_visible()
    stem.press("1").wait_for_state("saved")
    assert stem.marks() == []


def test_a_rater_who_is_writing_is_left_to_it_when_another_tab_changes_the_item(stem):
    stem.press("4", "1").open_part(1).press("n", "Enter").write("It is")
    card = stem.form.locator("textarea")
    assert stem.at() == ("accuracy_comment", 1)
    ref = stem.widget._sitting.turns[0].ref
    other = {
        "event_id": "other",
        "subject": ref,
        "part": 3,
        "question": "accuracy",
        "value": "accurate",
        "lamport": 1,
    }
    stem.from_elsewhere({"kind": "save", "tab": "other", "events": [other]})
    stem.form.locator(".rb-part", has_text="Sentence 3").get_by_text("Accurate").wait_for()
    stem.write(" 1 more").press("Control+Enter").wait_for_state("saved")
    assert card.count() == 0
    assert stem.values() == {
        ("accuracy", 1): "inaccurate",
        ("severity", 1): "severe",
        ("accuracy_comment", 1): "It is 1 more",
        ("accuracy", 3): "accurate",
    }


def test_triples_are_filtered(bare_desk):
    desk = bare_desk("neureg-qa", 1)
    rows = desk.form.locator(".rb-triples tbody tr")
    total = rows.count()
    desk.form.locator(".rb-triples input").fill("pays for")
    shown = [row for row in rows.all() if row.is_visible()]
    assert 0 < len(shown) < total
    assert all("pays for" in row.inner_text() for row in shown)


def test_the_sentence_asked_about_is_lit_in_its_response(stem):
    lit = "[...CSS.highlights.get('rb-lit')].map(range => range.toString())"
    for number in (1, 2, 3):
        text = stem.form.locator(".rb-open .rb-part-text").inner_text()
        assert stem.page.evaluate(lit) == [text], number
        stem.press("1")


def test_a_lit_sentence_is_whole_under_the_head_of_its_field(bare_desk):
    """Of two lines in a pane of four, of which the head covers nearly two."""
    long = " ".join(
        f"The sentence with the number {n} is a long one, and takes two lines." for n in range(9)
    )
    rows, _ = sample_rows(load("stem-sentences"), 1)
    row = {**rows[0], "article": rows[0]["article"] * 20, "response": long}
    desk = bare_desk("stem-sentences", [row], size=(1186, 512))
    place = """() => {
      const field = document.querySelector('.rb-pieces .rb-field');
      const head = field.querySelector('.rb-field-head').getBoundingClientRect();
      const [range] = CSS.highlights.get('rb-lit');
      const lit = range.getBoundingClientRect();
      const pane = field.closest('.rb-pane').getBoundingClientRect();
      return { above: lit.top - head.bottom, below: pane.bottom - lit.bottom };
    }"""
    for _ in range(9):
        found = desk.page.evaluate(place)
        assert found["above"] >= -1, found
        assert found["below"] >= -1, found
        desk.press("1")


def test_enter_writes_in_the_open_question_wherever_the_form_was_clicked(bare_desk):
    desk = bare_desk("halo-support", 1)
    desk.press("n")
    desk.form.locator(".rb-where").click()
    desk.press("Enter").write("ab")
    assert desk.form.locator(".rb-card .rb-entry").input_value() == "ab"


def test_help_is_one_key_away_and_gives_the_keyboard_back(bare_desk):
    desk = bare_desk("halo-support", 1)
    for key, title in (("i", "Instructions"), ("a", "Decision aid"), ("?", "Keys")):
        desk.press(key)
        desk.form.locator(f".rb-aside section[aria-label='{title}']").wait_for()
        desk.press("Escape")
        assert not desk.form.locator(".rb-aside").is_visible()
        assert desk.page.evaluate("document.activeElement.closest('.rb-card') !== null")
    desk.press("2").wait_for_state("saved")
    assert list(desk.values().values()) == ["CONTRADICTED"]


def test_a_pause_covers_the_item_and_stops_the_clock(stem):
    stem.page.clock.install()
    stem.press("1", "b")
    assert stem.form.get_by_text("Paused").is_visible()
    stem.page.clock.fast_forward("00:30")
    stem.press("1", "1", "b")
    assert stem.at() == ("accuracy", 2)
    stem.press("1").wait_for_state("saved")
    assert stem.rows("SELECT max(seconds) FROM answer_event")[0][0] < 10


def test_confidence_starts_unset_and_keys_are_off_while_typing(bare_desk):
    desk = bare_desk("feedback-quality", 1)
    desk.press("Enter").write("nupf 5?").press("Control+Enter")
    assert desk.at() == ("correctness", 0)
    desk.press("4", "4", "4", "4", "4", "4", "4")
    assert desk.at() == ("overall_reason", 0)
    desk.press("n")
    assert desk.at() == ("confidence", 0)
    field = desk.form.locator(".rb-number")
    assert field.input_value() == ""
    assert desk.form.locator(".rb-quick[aria-pressed=true]").count() == 0
    desk.press("1", "4", "0", "Enter")
    assert "outside 0–100" in desk.form.locator(".rb-problem").inner_text()
    field.fill("85")
    desk.press("Enter").wait_for_state("saved")
    assert desk.values()["confidence", 0] == 85
    assert desk.values()["first_impression", 0] == "nupf 5?"


@pytest.mark.parametrize(("typed", "stored"), [("0.5%", 0.5), ("0,5 %", 0.5), ("85 %", 85)])
def test_a_percentage_is_taken_as_it_is_typed(bare_desk, typed, stored):
    desk = confidence(bare_desk)
    desk.write(typed).press("Enter").wait_for_state("saved")
    assert desk.values()["confidence", 0] == stored
    assert desk.form.locator(".rb-trouble").inner_text() == ""


def test_a_percentage_that_could_mean_two_things_says_how_to_write_either(bare_desk):
    desk = confidence(bare_desk)
    desk.write("0.5").press("Enter")
    assert "write 50 or 0.5%" in desk.form.locator(".rb-problem").inner_text()
    desk.write("%").press("Enter").wait_for_state("saved")
    desk.open()
    desk.form.locator(".rb-line[data-question=confidence]").click()
    assert desk.form.locator(".rb-number").input_value() == "0.5%"


def test_what_was_read_on_the_way_to_a_number_that_is_none_does_not_stay(bare_desk):
    desk = confidence(bare_desk)
    desk.write("140").press("Escape", "n").wait_for_state("saved")
    assert ("confidence", 0) not in desk.values()


def confidence(bare_desk):
    """At the percentage of feedback-quality, its field open."""
    desk = bare_desk("feedback-quality", 1)
    desk.press("n", *"4444444", "n")
    assert desk.at() == ("confidence", 0)
    return desk.press("Enter")


def test_keys_faster_than_the_page_is_drawn_go_to_the_questions_they_were_meant_for(bare_desk):
    desk = bare_desk("feedback-quality", 1)
    desk.press("Enter").write("Fine so far.")
    desk.page.evaluate("""() => {
      const press = (key, ctrlKey = false) => document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }));
      press('Enter', true);  // ends the text, whose field is still there for the next key
      press('4');
      press('5');
    }""")
    desk.drawn().wait_for_state("saved")
    assert desk.at() == ("tone", 0)
    assert desk.values() == {
        ("first_impression", 0): "Fine so far.", ("correctness", 0): 4, ("clarity", 0): 5,
    }  # fmt: skip


def test_a_low_score_asks_for_its_comment_and_a_high_one_does_not(bare_desk):
    desk = bare_desk("feedback-quality", 1)
    desk.press("n", "2")
    assert desk.at() == ("correctness_comment", 0)
    desk.press("p", "4")
    assert desk.at() == ("clarity", 0)


def test_every_keystroke_of_a_text_is_in_the_browsers_storage_at_once(bare_desk):
    desk = bare_desk("halo-support", 1)
    desk.page.evaluate("window.__kernel.alive = false")
    desk.press("n", "Enter").write("ab")
    kept = "Object.values(localStorage).filter(text => text.includes('\"notes\"'))"
    (entry,) = desk.page.evaluate(kept)
    assert json.loads(entry)["event"]["value"] == "ab"
    desk.wait_for_state("silent")
    desk.page.evaluate("window.__kernel.alive = true")
    desk.wait_for_state("saved")
    assert desk.page.evaluate(kept) == []


def test_left_and_right_look_along_the_levels_and_only_space_answers(bare_desk):
    desk = bare_desk("neureg-qa", 1)
    desk.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert desk.count() == 0
    desk.press("Space").wait_for_state("saved")
    assert list(desk.values().values()) == [4]


def test_a_store_that_cannot_store_says_why_and_what_was_entered_is_kept(bare_desk, monkeypatch):
    desk = bare_desk("halo-support", 1)

    def full(*_):
        raise RoundError("The disk is full: make room, and the answers will be stored.")

    with monkeypatch.context() as broken:
        broken.setattr(Round, "save", full)
        desk.press("1").wait_for_state("silent")
        desk.form.get_by_text("The disk is full: make room").wait_for()
    desk.wait_for_state("saved")
    assert list(desk.values().values()) == ["SUPPORTED"]


def test_coming_back_opens_the_question_the_rater_was_at(stem):
    stem.press("1", "1")
    stem.open_part(2).press("n").wait_for_state("saved")
    assert stem.at() == ("accuracy_comment", 2)
    stem.open()
    assert stem.at() == ("accuracy_comment", 2)


def test_of_very_many_items_those_around_are_drawn_and_others_are_a_step_away(bare_desk):
    rows = [
        {"id": f"i{n}", "question": "?", "context": "c", "generated_answer": "a",
         "auto_label": "SUPPORTED"}
        for n in range(1000)
    ]  # fmt: skip
    desk = bare_desk("halo-support", rows)
    desk.press("l")
    steps = desk.form.locator(".rb-step")
    assert steps.count() == 400
    for _ in range(2):
        desk.form.get_by_role("button", name="Later items").click()
    assert steps.first.inner_text() == "801"
    assert steps.count() == 200
    assert desk.form.get_by_role("button", name="Later items").is_disabled()
    desk.picture("items-window")
    steps.last.click()
    desk.wait_for_position(1000)
    desk.press("l")
    assert desk.form.locator(".rb-step[aria-current]").inner_text() == "1000"
