"""Everybody can use it: no barrier that tools find, light and dark, on a phone, at 400 % zoom."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from raterbook.protocols import names
from raterbook.rounds import Store

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
