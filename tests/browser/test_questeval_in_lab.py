"""People do the whole of RAGQuestEval: they write the questions, answer them twice, and compare."""

import json

import pytest

from raterbook.protocols import UNANSWERABLE, load
from raterbook.rounds import Store
from tests.browser.conftest import open_round
from tests.browser.desk import Desk, write_notebook

TEXTS = {
    "c1": (
        "The tower was lit in 1862. It is 30 m high.",
        {"a": "It was lit in 1862.", "b": "A tower of stone, 20 m high."},
    ),
    "c2": (
        "The canal opened in 2016 and cost 5 billion dollars.",
        {"a": "Opened in 2016, it cost five billion dollars.", "b": "It is a canal."},
    ),
    "c3": ("The bridge is of steel.", {"a": "It is of steel.", "b": "It is of wood."}),
}
# What a rater finds: question → keep or drop, answer from the reference, and from each text.
FOUND = {
    "c1": {
        "When was the tower lit?": ("keep", "1862", {"a": "1862", "b": UNANSWERABLE}),
        "How high is the tower?": ("keep", "30 m", {"a": UNANSWERABLE, "b": "20 m"}),
    },
    "c2": {
        "When did the canal open?": ("keep", "2016", {"a": "2016", "b": UNANSWERABLE}),
        "Is it a good canal?": ("drop", UNANSWERABLE, {"a": UNANSWERABLE, "b": UNANSWERABLE}),
        "What did it cost?": ("keep", "5 billion dollars", {"a": "five billion", "b": "0 $"}),
    },
    "c3": {"What is the bridge of?": ("keep", "steel", {"a": "steel", "b": "wood"})},
}
MATCH = {
    ("1862", "1862"): "same",
    ("30 m", "20 m"): "different",
    ("2016", "2016"): "same",
    ("5 billion dollars", "five billion"): "partly",
    ("5 billion dollars", "0 $"): "different",
    ("steel", "steel"): "same",
    ("steel", "wood"): "different",
}
KEYS = {"keep": "1", "drop": "2", "same": "1", "partly": "2", "different": "3"}
_SHOWS = "text => document.querySelector('.widget-vbox textarea[disabled]')?.value === text"
_SAID = """end => [...document.querySelectorAll('.widget-vbox input')]
  .some(one => one.value.startsWith('Saved') && one.value.endsWith(end))"""


def expected():
    """(case, system or None, part, question) → value; what is asked of the case stands once."""
    rows = {}
    for case, questions in FOUND.items():
        for part, (keep, reference, generated) in enumerate(questions.values(), start=1):
            rows[case, None, part, "keep"] = keep
            rows[case, None, part, "reference_answer"] = reference
            for system, answer in generated.items():
                rows[case, system, part, "generated_answer"] = answer
                if UNANSWERABLE not in (reference, answer):
                    rows[case, system, part, "match"] = MATCH[reference, answer]
    return rows


@pytest.fixture
def desk(lab, context, folder):
    """A notebook with the panel above the form, on a round that has no questions yet."""
    rows = [
        {"id": case, "model": system, "ground_truth": reference, "generated": text}
        for case, (reference, texts) in TEXTS.items()
        for system, text in texts.items()
    ]
    open_round(folder, load("rag-questeval"), rows)
    path = write_notebook(folder, "round-01", "ana")
    notebook = json.loads(path.read_text())
    panel = "from raterbook import Workspace\nWorkspace().round(round_name).parts_panel()"
    notebook["cells"].insert(-1, {**notebook["cells"][1], "id": "panel", "source": [panel]})
    path.write_text(json.dumps(notebook))
    desk = Desk(lab, context.new_page(), path)
    yield desk.open()
    desk.page.close(run_before_unload=False)
    lab.end_kernels()
    assert desk.errors == []


def write_questions(desk):
    """In the panel: the case, its questions one a line, Save."""
    panel = desk.page.locator(".widget-vbox").first
    chosen = panel.locator("select")
    for case, questions in FOUND.items():
        chosen.select_option(case)
        desk.page.wait_for_function(_SHOWS, arg=TEXTS[case][0])
        panel.locator("textarea:not([disabled])").focus()
        desk.write("\n".join(questions)).press("Tab", "Enter")
        desk.page.wait_for_function(_SAID, arg=f"of {case}.")


def answer_what_opens(desk):
    """As a rater would: reads the question and the text beside it, and answers with keys."""
    asked = desk.form.locator(".rb-open .rb-part-text").inner_text()
    case = next(case for case, questions in FOUND.items() if asked in questions)
    keep, reference, generated = FOUND[case][asked]
    question, _ = desk.at()
    beside = desk.form.locator(".rb-source").inner_text()
    if question == "keep":
        desk.press(KEYS[keep])
    elif question == "match":
        both = next(
            pair
            for pair in MATCH
            if pair[0] == reference
            and pair[1] in generated.values()
            and f"text\n{pair[1]}" in beside
        )
        desk.press(KEYS[MATCH[both]])
    else:
        texts = TEXTS[case][1]
        if question == "reference_answer":
            assert all(text not in beside for text in texts.values())
            answer = reference
        else:
            assert TEXTS[case][0] not in beside
            answer = next(generated[system] for system in texts if texts[system] in beside)
        if answer == UNANSWERABLE:
            desk.press("0")
        else:
            desk.press("Enter").write(answer).press("Enter")


def test_three_cases_of_two_systems_from_the_questions_to_submission(desk):
    desk.form.get_by_text("This item has no questions yet.").wait_for()
    desk.press("Control+Enter")
    assert "nothing to submit" in desk.notice()
    desk.picture("questeval-no-questions")
    write_questions(desk)
    desk.picture("questeval-panel")
    desk.form.get_by_role("button", name="Look again").focus()
    desk.press("Enter")
    for position in range(1, 7):
        desk.wait_for_position(position).form.locator(".rb-part").first.wait_for()
        while desk.there_is_a_question():
            answer_what_opens(desk)
        desk.press("Control+Enter")
    desk.wait_for_submitted(6)
    desk.picture("questeval-done")
    desk.wait_for_state("saved")
    stored = Store(desk.database).round("round-01")
    frame = stored.frame(texts=True)
    found = {
        (
            row.case,
            None if row.item is None else row.item.split("/")[1],
            row.part,
            row.question,
        ): row.value
        for row in frame.astype(object).where(frame.notna(), None).itertuples()
    }
    assert found == expected()
    assert desk.count() == len(found)  # and nothing was said twice
    assert sum(mark.submitted for mark in stored.marks("ana").values()) == 6
