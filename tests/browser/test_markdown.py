"""A field with `show: markdown`: seen as what its markup means, built node by node."""

import json
from pathlib import Path

import pytest

from raterbook.protocols import load, parse
from tests.browser.test_reading_the_form import barriers

ANSWER = (
    """\
# Water

The mast is **10 metres** high. See [the *manual*](http://manual.example/p_(2)) for its guys.

1. Loosen `guy-1`
   - by hand
3. Fasten it: $F = m a$ and not $\\rule{9em}{9em}$

| Part | Weight |
|---|---|
| mast | 12 kg |

```python
<b onclick=run()>print("no markup")</b>
```
> Mind the wind.

$$ \\alpha^2 \\le \\frac{1}{2} $$

"""
    + "The guys are checked once a year by whoever climbs. " * 8
)
_LIT = "name => [...CSS.highlights.get(name) ?? []].map(range => range.toString())"


PROTOCOL = load(Path(__file__).parent / "markdown.yaml")
ITEMS = [{"id": "a1", "answer": ANSWER}]


@pytest.fixture
def desk(bare_desk):
    return bare_desk(PROTOCOL, ITEMS)


def shown(desk, selector):
    return desk.form.locator(f".rb-passage {selector}").all_inner_texts()


def test_headings_lists_tables_code_quotes_and_formulas_are_shown_as_such(desk):
    desk.picture("markdown")
    assert shown(desk, "h4") == ["Water"]
    assert shown(desk, "strong") == ["10 metres"]
    lines = desk.form.locator(".rb-passage ol > li > p").all_text_contents()
    assert lines == ["Loosen guy-1", "Fasten it: F=ma and not \\rule{9em}{9em}"]
    values = desk.form.locator("ol > li").evaluate_all("all => all.map(one => one.value)")
    assert values == [1, 3]
    assert shown(desk, "ol ul li") == ["by hand"]
    assert shown(desk, "th") + shown(desk, "td") == ["Part", "Weight", "mast", "12 kg"]
    assert shown(desk, "p code") == ["guy-1", "\\rule{9em}{9em}"]
    assert shown(desk, "pre code")[0].strip() == '<b onclick=run()>print("no markup")</b>'
    assert shown(desk, "blockquote") == ["Mind the wind."]


def test_a_formula_is_drawn_sign_by_sign_and_what_is_marked_in_it_is_its_source(desk):
    math = desk.form.locator(".rb-passage math")
    said = "all => all.map(one => one.namespaceURI + ' ' + one.textContent)"
    mathml = "http://www.w3.org/1998/Math/MathML"
    assert math.evaluate_all(said) == [f"{mathml} F=ma", f"{mathml} α2≤12"]
    assert math.last.get_attribute("display") == "block"
    sizes = math.last.locator("mfrac").bounding_box()
    assert sizes["height"] > 1.2 * math.last.locator("mi").first.bounding_box()["height"]
    desk.form.locator(".rb-passage").evaluate(
        "node => getSelection().setBaseAndExtent(node.querySelector('math[display] mi'), 0,"
        " node.querySelector('math[display] mfrac > mn'), 1)"
    )
    desk.press("e").wait_for_state("saved")
    place = json.loads(desk.marks()[0][1])["evidence"]
    assert place["quote"] == r"\alpha^2 \le \frac{1"
    assert desk.page.evaluate(_LIT, "rb-evidence") == ["α2≤1"]


def test_a_field_of_code_and_one_of_a_formula_are_shown_as_such(bare_desk):
    source = (Path(__file__).parent / "markdown.yaml").read_text(encoding="utf-8")
    text = source.replace(
        "    answer:",
        "    work: {label: Work, show: code}\n    sum: {label: Sum, show: formula}\n    answer:",
    )
    code = "for one in all:\n    print('<b>', one)  # $x$"
    sums = "$$\\frac{a}{b}$$\n\nx^2\n\n\\rule{9em}{9em}"
    desk = bare_desk(parse(text), [{**ITEMS[0], "work": code, "sum": sums}])
    desk.picture("code-and-formula")
    pre = desk.form.locator("pre.rb-code")
    assert pre.inner_text() == code
    assert pre.evaluate("one => getComputedStyle(one).fontFamily").endswith("monospace")
    drawn = desk.form.locator(".rb-passage[aria-label=Sum] math")
    assert drawn.all_text_contents() == ["ab", "x2"]
    as_written = desk.form.locator(".rb-passage[aria-label=Sum] .rb-given")
    assert as_written.all_text_contents() == ["\\rule{9em}{9em}"]
    desk.form.locator(".rb-passage[aria-label=Sum]").evaluate(
        "node => getSelection().setBaseAndExtent(node.querySelector('msup'), 0,"
        " node.querySelector('msup'), 2)"
    )
    desk.press("e").wait_for_state("saved")
    assert json.loads(desk.marks()[0][1])["evidence"]["quote"] == "x^2"


def test_a_sign_of_a_formula_is_found_and_marked_whole(desk):
    desk.press("/").write("α").press("Enter", "Escape", "e").wait_for_state("saved")
    place = json.loads(desk.marks()[0][1])["evidence"]
    assert place["quote"] == r"\alpha"


def test_a_link_is_its_text_and_its_address_and_leads_nowhere(desk):
    assert shown(desk, ".rb-link em") == ["manual"]
    assert shown(desk, ".rb-address") == ["(http://manual.example/p_(2))"]
    assert shown(desk, "a") + shown(desk, "img") == []


def test_a_search_finds_what_is_shown_and_evidence_is_a_place_in_the_text_as_it_came(desk):
    desk.press("/").write("is 10 metres high").press("Enter", "Escape", "e").wait_for_state("saved")
    assert desk.page.evaluate(_LIT, "rb-evidence") == ["is 10 metres high"]
    [(_, note)] = desk.marks()
    place = json.loads(note)["evidence"]
    assert place["quote"] == ANSWER[place["start"] : place["end"]] == "is **10 metres** high"
    desk.open()
    assert desk.page.evaluate(_LIT, "rb-evidence") == ["is 10 metres high"]


def test_what_is_selected_over_a_table_and_a_code_block_is_marked(desk):
    desk.form.locator(".rb-passage").evaluate(
        "node => getSelection().setBaseAndExtent(node.querySelector('table'), 0,"
        " node.querySelector('pre'), 1)"
    )
    desk.press("e").wait_for_state("saved")
    place = json.loads(desk.marks()[0][1])["evidence"]
    assert place["quote"] == "Part | Weight |\n|---|---|\n| mast | 12 kg |\n\n```python"


def test_the_sentence_that_is_asked_about_is_lit_and_picked_by_a_click(desk):
    assert desk.page.evaluate(_LIT, "rb-lit") == ["Water"]
    desk.form.locator(".rb-passage p strong").click()
    assert desk.page.evaluate(_LIT, "rb-lit") == ["The mast is 10 metres high."]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_barrier_in_markdown(bare_desk, theme):
    desk = bare_desk(PROTOCOL, ITEMS, theme=theme)
    desk.picture(f"markdown-{theme}")
    assert barriers(desk) == []
