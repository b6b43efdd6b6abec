"""An item's text is shown letter for letter, and nothing in it runs."""

from pathlib import Path
from urllib.parse import urlsplit

from raterbook.protocols import load
from raterbook.rounds import Store
from tests.browser.hostile import TEXTS

# What the form itself is made of: anything else in it came from a text.
_OWN = """() => [...document.querySelectorAll('.rb *')].map(e => e.localName).filter(name => ![
  'header', 'div', 'strong', 'progress', 'span', 'button', 'kbd', 'section', 'h3', 'h4', 'input',
  'table', 'thead', 'tbody', 'tr', 'th', 'td', 'p', 'ul', 'ol', 'li', 'footer', 'aside', 'dl',
  'dt', 'dd', 'textarea', 'h4', 'em', 'del', 'code', 'pre', 'hr', 'blockquote'].includes(name))"""
_SHOWN = """name => [...document.querySelectorAll('.rb-field')]
  .filter(field => field.querySelector('.rb-label').textContent === name)
  .map(field => [...field.querySelectorAll('.rb-block')].map(b => b.textContent).join('\\n'))[0]"""

_AS_MARKUP = """text => {
  delete window.__ran;
  const markup = document.createRange().createContextualFragment(text);
  document.querySelector('.rb-block').replaceChildren(markup);
}"""


def hostile():
    protocol = load(Path(__file__).parent / "hostile.yaml")
    rows = [
        {
            "id": f"h{n:02}",
            "shown": text,
            "source": text,
            "markdown": text,
            "triples": f"{text}\na → {text} → c",
            "response": text,
        }
        for n, text in enumerate(TEXTS)
    ]
    parts = [(row["id"], 1, row["shown"], {}) for row in rows]
    return protocol, rows, parts


def test_forty_hostile_texts_in_every_field_run_nothing_and_break_nothing(sit_down):
    desk = sit_down(*hostile())
    requests = []
    desk.page.on("request", lambda request: requests.append(request.url))
    desk.page.on("dialog", lambda dialog: desk.errors.append(f"a dialog: {dialog.message}"))
    stored = Store(desk.database).round("round-01")
    queue = stored.queue("ana")
    assert len(queue) == len(TEXTS) == 40
    for position, item in enumerate(queue, start=1):
        desk.wait_for_position(position)
        for label, name in (("Text", "shown"), ("Source", "source"), ("Response", "response")):
            # A text has no line ends but \\n in the page; the store keeps what came.
            assert desk.page.evaluate(_SHOWN, label) == item.fields[name], item.key
        assert desk.page.evaluate(_OWN) == [], item.key
        written = item.fields["shown"].replace("\x00", "")
        desk.form.locator("textarea").fill(written)
        desk.press("Escape", "n")
        assert desk.at() == ("good", 0), item.key
        desk.press("1")
        assert desk.at() == ("piece_good", 1), item.key
        desk.press("2", "Control+Enter")
    desk.wait_for_state("saved")
    assert desk.page.evaluate("window.__ran") is None
    assert {urlsplit(url).netloc for url in requests} <= {urlsplit(desk.lab.url).netloc, ""}
    answers = stored.current("ana")
    for item in queue:
        expected = item.fields["shown"].replace("\r\n", "\n").replace("\r", "\n")
        assert answers[item.ref, 0, "comment"].value.strip() == expected.strip(), item.key
        assert answers[item.ref, 0, "good"].value == "yes"
        assert answers[item.ref, 1, "piece_good"].value == "no"


def test_the_control_the_same_texts_taken_as_markup_run_and_are_found(bare_desk):
    desk = bare_desk(*hostile())
    for text in (TEXTS[0], TEXTS[2], TEXTS[7]):  # a script, an image, a frame
        desk.page.evaluate(_AS_MARKUP, text)
        desk.page.wait_for_function("window.__ran !== undefined")
        assert desk.page.evaluate(_OWN) != [], text


def test_an_answer_no_file_can_hold_is_rejected_with_its_reason_and_kept_for_the_rater(bare_desk):
    desk = bare_desk(*hostile())
    desk.form.locator("textarea").evaluate(
        "field => { field.value = 'a\\0b'; field.dispatchEvent(new Event('input')); }"
    )
    desk.wait_for_state("rejected")
    trouble = desk.form.locator(".rb-trouble")
    assert "NUL" in trouble.inner_text()
    desk.open().wait_for_state("rejected")  # after a reload it is still there, and still explained
    trouble.get_by_text("Dismiss").click()
    trouble.get_by_text("Dismiss").wait_for(state="detached")
    desk.form.locator("textarea").fill("ab")
    desk.wait_for_state("saved")
    answers = Store(desk.database).round("round-01").current("ana")
    assert [answer.value for answer in answers.values()] == ["ab"]
