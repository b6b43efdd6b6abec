"""Everybody can use it: no barrier that tools find, light and dark, on a phone, at 400 % zoom."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from raterbook.protocols import load, names
from raterbook.rounds import Store
from tests.browser.conftest import sample_rows

PROTOCOLS = names()
SMALL = {"phone": (360, 640), "1280 × 1024 at 400 %": (320, 256)}
# Wider than the form, and not inside something that scrolls by itself.
_OVERFLOWING = """() => [...document.querySelectorAll('.rb *')].filter(node =>
  node.getBoundingClientRect().right > document.documentElement.clientWidth + 1
  && node.getClientRects().length && !node.closest('.rb-scroll')).map(node => node.className)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_axe_finds_no_barrier(bare_desk, protocol, theme):
    desk = bare_desk(protocol, 1, theme=theme)
    desk.picture(f"{protocol}-{theme}")
    for keys in ((), ("n",), ("?",)):
        desk.press(*keys)
        assert barriers(desk) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_barrier_in_what_opens_on_demand(bare_desk, theme):
    desk = bare_desk("halo-support", 1, theme=theme)
    desk.page.evaluate("window.__kernel.alive = false")
    desk.press("/").write("the").press("Escape", "e")
    desk.form.locator(".rb-quote").wait_for()
    for keys in (("f",), ("Escape", "s"), ("Escape", "b"), ("b", "g"), ("Escape", "1")):
        desk.press(*keys)
        assert barriers(desk) == [], keys
    desk.wait_for_state("silent")
    assert barriers(desk) == []
    desk.page.evaluate("window.__kernel.alive = true")
    desk.wait_for_state("saved").press("Control+Enter")
    desk.form.get_by_text("This item is submitted.").wait_for()
    assert barriers(desk) == []


def barriers(desk):
    found = Axe().run(desk.page, ".rb").response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_fits_a_narrow_page_and_is_answered_there(bare_desk, protocol, size):
    desk = bare_desk(protocol, 1, size=SMALL[size])
    desk.picture(f"{protocol}-{size[:5]}")
    assert desk.page.evaluate(_OVERFLOWING) == []
    if protocol == "feedback-quality":
        desk.press("n")
    choice = desk.form.locator(".rb-choice").first
    choice.scroll_into_view_if_needed()
    choice.click()
    desk.wait_for_state("saved")
    assert len(Store(desk.database).round("round-01").current("ana")) == 1


def test_the_focus_is_always_to_be_seen(bare_desk):
    desk = bare_desk("neureg-qa", 1)
    for _ in range(100):
        desk.press("Tab")
        outline = desk.page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement);"
            " return [s.outlineStyle, parseFloat(s.outlineWidth)]; })()"
        )
        if not desk.page.evaluate("document.activeElement.closest('.rb') !== null"):
            break
        assert outline[0] == "solid"
        assert outline[1] >= 2


# What scrolls up and down of its own.
_SCROLLERS = """() => [...document.querySelectorAll('.rb *')].filter(node =>
  ['auto', 'scroll'].includes(getComputedStyle(node).overflowY) && node.clientHeight > 0
  && node.scrollHeight > node.clientHeight + 1).map(node => node.className)"""
# The lines of a field's text that its pane, the form and the window let through.
_LINES = """label => {
  const fields = [...document.querySelectorAll('.rb-field')];
  const field = fields.find((one) => one.querySelector('.rb-label').textContent === label);
  const text = field.querySelector('.rb-passage');
  let { top, bottom } = text.getBoundingClientRect();
  top = Math.max(top, field.querySelector('.rb-field-head')?.getBoundingClientRect().bottom ?? 0);
  for (let node = text.parentElement; node; node = node.parentElement) {
    if (!node.matches('.rb, .rb *, .jp-WindowedPanel-outer')) continue;
    if (getComputedStyle(node).overflowY === 'visible') continue;
    const frame = node.getBoundingClientRect();
    [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
  }
  bottom = Math.min(bottom, window.innerHeight);
  return Math.max(bottom - top, 0) / parseFloat(getComputedStyle(text).lineHeight);
}"""
_SENTENCE = "Colleges keep attendance records for every learner, and send them in by 31 July. "
LONG_PAIR = {
    "qa_id": "p1",
    "question_type": "factual",
    "shot_type": "zero_shot",
    "question": _SENTENCE * 2,
    "answer": _SENTENCE * 6,
    "source_context": _SENTENCE * 40,
    "source_kg": "\n".join(f"Office {n} → checks_the_records_of → College {n}" for n in range(25)),
}


# A long item of each, and what is read there most.
LONG = {
    "neureg-qa": ("Source text", LONG_PAIR),
    "rag-questeval": (
        "Reference",
        {"id": "c1", "model": "birch", "ground_truth": _SENTENCE * 40, "generated": _SENTENCE * 9},
    ),
    "feedback-quality": (
        "Feedback",
        {"id": "f1", "text": _SENTENCE * 20, "domain": "Law", "criteria": _SENTENCE * 40},
    ),
    "halo-support": (
        "Context",
        {
            "id": "h1",
            "question": _SENTENCE * 2,
            "context": _SENTENCE * 40,
            "generated_answer": _SENTENCE * 6,
            "auto_label": "SUPPORTED",
        },
    ),
    "stem-sentences": (
        "Article",
        {
            "question_id": "q1",
            "question": _SENTENCE * 2,
            "article_id": "a1",
            "article": _SENTENCE * 40,
            "response": _SENTENCE * 6,
        },
    ),
    "ai-detection": (
        "Text",
        {"id": "t1", "label": "human", "prediction": "ai", "model": "d", "text": _SENTENCE * 40},
    ),
}
PARTS = {"rag-questeval": [("c1", 1, "What do colleges keep?", {"key_info": "records"})]}


@pytest.mark.parametrize("protocol", LONG)
def test_a_laptop_shows_eight_lines_of_the_source_under_question_and_answer(sit_down, protocol):
    label, row = LONG[protocol]
    desk = sit_down(protocol, [row], PARTS.get(protocol), run=False)
    desk.page.set_viewport_size({"width": 1366, "height": 650})
    desk.run()
    desk.form.evaluate("form => form.scrollIntoView({ block: 'end' })")
    fits = "form => form.offsetHeight <= form.closest('.jp-WindowedPanel-outer').clientHeight"
    assert desk.form.evaluate(fits)
    desk.picture(f"{protocol}-in-lab-1366")
    assert desk.page.evaluate(_LINES, label) >= 8
    if "question" in row:
        assert desk.page.evaluate(_LINES, "Question") >= 2


def test_a_step_is_called_after_what_is_asked_in_it(bare_desk):
    desk = bare_desk("feedback-quality", 1)
    assert desk.form.locator(".rb-stage").all_inner_texts() == [
        "Step 1 of 3 · First impression",
        "Step 2 of 3 · Correctness, Clarity, Tone …",
    ]


# The last two are what Lab leaves of 1366 × 650 at 200 % and of 500 pixels.
@pytest.mark.parametrize("size", [(1366, 650), (500, 800), (683, 325), (567, 354), (384, 660)])
def test_the_bar_says_round_and_rater_and_how_far_whatever_the_width(bare_desk, size):
    desk = bare_desk("neureg-qa", [LONG_PAIR], size=size)
    for words in ("round-01 · ana", "Item 1 of 1 · 0 submitted"):
        said = desk.form.locator(".rb-bar").get_by_text(words)
        assert said.is_visible()
        assert said.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert desk.page.evaluate(_OVERFLOWING) == []
    lines = "bar => new Set([...bar.children].filter(one => one.offsetHeight).map(_ROW)).size"
    row = "one => Math.round((2 * one.offsetTop + one.offsetHeight) / 20)"
    bar = desk.form.locator(".rb-bar-row")
    assert bar.evaluate(lines.replace("_ROW", row)) <= 2  # no button has a line to itself


@pytest.mark.parametrize("size", [(500, 800), (384, 700), (567, 400)])
def test_what_a_narrow_form_says_covers_no_button_and_is_gone_with_the_next_answer(bare_desk, size):
    desk = bare_desk("halo-support", 1, size=size)
    desk.press("Control+Enter")
    assert desk.notice() == "Still missing: 1."
    said = desk.form.locator(".rb-notice").bounding_box()
    for button in desk.form.locator("button").all():
        box = button.bounding_box()
        apart = (
            box is None
            or box["y"] >= said["y"] + said["height"]
            or box["y"] + box["height"] <= said["y"]
        )
        assert apart, button.inner_text()
    desk.press("1")
    assert desk.notice() == ""


def test_question_and_answer_stay_in_view_while_the_source_is_read_to_its_end(bare_desk):
    desk = bare_desk("neureg-qa", [LONG_PAIR], size=(1366, 650))
    assert desk.page.evaluate(_SCROLLERS)[0] == "rb-pane rb-material"
    desk.form.locator(".rb-material").hover()
    desk.page.mouse.wheel(0, 20_000)
    desk.form.get_by_text("Office 24").wait_for()
    desk.page.wait_for_function(
        "(node => node.scrollTop > 0 && node.scrollTop + node.clientHeight > node.scrollHeight - 2)"
        "(document.querySelector('.rb-material'))"
    )
    assert desk.page.evaluate(_LINES, "Question") >= 2
    assert desk.page.evaluate(_LINES, "Answer") >= 5


def test_the_divider_is_drawn_by_mouse_and_keys_and_found_again_where_it_was_left(bare_desk):
    desk = bare_desk("neureg-qa", [LONG_PAIR], size=(1366, 650))

    def share():
        """Per cent of the width that the source has, as said and as seen."""
        said = int(desk.form.locator(".rb-divider").get_attribute("aria-valuenow"))
        whole = desk.form.locator(".rb-main").bounding_box()
        seen = desk.form.locator(".rb-material").bounding_box()
        assert 100 * seen["width"] / whole["width"] == pytest.approx(said, abs=2)
        return said

    usual = share()
    whole = desk.form.locator(".rb-main").bounding_box()
    at = desk.form.locator(".rb-divider").bounding_box()
    height = at["y"] + at["height"] / 2
    desk.page.mouse.move(at["x"] + at["width"] / 2, height)
    desk.page.mouse.down()
    desk.page.mouse.move(whole["x"] + 0.4 * whole["width"], height, steps=5)
    desk.page.mouse.up()
    assert share() == pytest.approx(40, abs=1) != usual
    drawn = share()
    desk.open()
    assert share() == drawn
    desk.form.locator(".rb-divider").press("ArrowRight")
    desk.open()
    assert share() == drawn + 2
    desk.form.locator(".rb-divider").dblclick()
    desk.open()
    assert share() == usual


def test_another_item_is_read_from_its_beginning(bare_desk):
    desk = bare_desk("neureg-qa", [LONG_PAIR, {**LONG_PAIR, "qa_id": "p2"}], size=(1366, 650))
    desk.form.locator(".rb-material").evaluate("pane => (pane.scrollTop = 300)")
    desk.press("]").wait_for_position(2)
    assert desk.form.locator(".rb-material").evaluate("pane => pane.scrollTop") == 0


@pytest.mark.parametrize(
    "size", [(500, 800), (683, 325)], ids=["500 pixels", "1366 × 650 at 200 %"]
)
@pytest.mark.parametrize("protocol", ["neureg-qa", "stem-sentences", "halo-support"])
def test_a_narrow_form_has_one_scrollbar(bare_desk, protocol, size):
    rows, parts = sample_rows(load(protocol), 1)
    long = {
        name: " ".join([text] * 40)
        for name, text in rows[0].items()
        if name in ("source_context", "context", "article")
    }
    desk = bare_desk(protocol, [{**rows[0], **long}], parts, size=size)
    assert desk.page.evaluate(_SCROLLERS) == ["rb-main"]
