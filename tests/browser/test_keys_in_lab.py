"""Lab's command-mode keys destroy cells; while the form has the focus they destroy nothing."""

import pytest

DESTRUCTIVE = ["x", "c v", "d d", "z", "y", "m", "r", "a", "b", "0 0", "i i", "Shift+M", "2"]
_CELLS = """() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.widgets
  .map(cell => [cell.model.type, cell.model.sharedModel.getSource()]))"""
_COMMAND = "name => window.jupyterapp.commands.execute(name)"
_PLACES = {
    "a level": ".rb-choice",
    "a question's line": ".rb-line",
    "a button": ".rb-footer .rb-button",
    "the source": ".rb-passage",
    "the triples": ".rb-scroll",
    "the empty form": None,
}


@pytest.fixture
def desk(sit_down):
    return sit_down("neureg-qa", 2)


def test_thirteen_destructive_keys_destroy_nothing_wherever_the_form_has_the_focus(desk):
    cells = desk.page.evaluate(_CELLS)
    kernel = desk.kernel_number()
    for place, selector in _PLACES.items():
        for keys in DESTRUCTIVE:
            if selector is None:
                desk.form.evaluate("root => root.focus()")
            else:
                desk.form.locator(selector).first.evaluate("node => node.focus()")
            desk.press(*keys.split())
            desk.press("Escape")  # what x and others open in the form itself
            assert desk.page.evaluate(_CELLS) == cells, f"{keys} on {place}"
            assert desk.form.is_visible(), f"{keys} on {place}"
    assert desk.page.locator(".jp-Dialog").count() == 0
    assert desk.kernel_number() == kernel
    # The control: the same keys, a finger's width beside the form.
    desk.page.locator(".jp-InputPrompt").nth(1).click()
    desk.press("d", "d")
    assert desk.page.evaluate(_CELLS) != cells


def test_ctrl_z_takes_back_in_the_form_and_nothing_in_the_notebook(desk):
    before = desk.page.evaluate(_CELLS)
    desk.page.evaluate(_COMMAND, "notebook:insert-cell-above")
    cells = desk.page.evaluate(_CELLS)
    assert cells != before
    desk.form.evaluate("root => root.focus()")
    desk.press("5")
    assert desk.at() == ("accuracy", 0)
    desk.press("Control+z", "Control+z").wait_for_state("saved")
    assert desk.at() == ("relevance", 0)
    assert desk.notice() == "Nothing to undo."
    assert desk.page.evaluate(_CELLS) == cells
    # The control: what the notebook itself would have taken back.
    desk.page.evaluate(_COMMAND, "notebook:undo-cell-action")
    assert desk.page.evaluate(_CELLS) == before


def test_a_click_on_plain_text_leaves_the_keys_with_the_form(desk):
    cells = desk.page.evaluate(_CELLS)
    desk.form.locator(".rb-label").first.click()
    desk.form.locator(".rb-prompt").first.click()
    desk.form.locator(".rb-source").click(position={"x": 5, "y": 5})
    desk.press("d", "d", "x", "Escape")
    assert desk.page.evaluate(_CELLS) == cells
    assert desk.page.evaluate("document.activeElement.closest('.rb') !== null")


def test_in_labs_own_style_every_label_of_an_example_stands_above_what_it_labels(desk):
    desk.press("i").form.locator(".rb-example").first.wait_for()
    askew = desk.form.evaluate("""root => [...root.querySelectorAll('.rb-aside dd')].filter(dd => {
      const above = dd.previousElementSibling.getBoundingClientRect();
      const here = dd.getBoundingClientRect();
      return here.top < above.bottom - 1 || Math.abs(here.left - above.left) > 1;
    }).length""")
    assert askew == 0


def test_every_element_that_can_have_the_focus_tells_lab_to_keep_off(bare_desk):
    desk = bare_desk("neureg-qa", 2)
    desk.press("?", "f")
    unquiet = desk.form.evaluate(
        """root => [root, ...root.querySelectorAll(
             'button, input, textarea, select, summary, a, [tabindex]')]
           .filter(node => !node.hasAttribute('data-lm-suppress-shortcuts'))
           .map(node => node.outerHTML)"""
    )
    assert unquiet == []
