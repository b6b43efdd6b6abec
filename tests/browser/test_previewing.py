"""The preview of a protocol, looked at in Chromium: it is the form, and it can be worked in."""

from pathlib import Path

import pytest

from raterbook.cli import main
from raterbook.protocols import names


@pytest.fixture
def look(context, tmp_path, monkeypatch):
    """look(protocol) opens its preview."""
    monkeypatch.chdir(tmp_path)
    pages, errors = [], []

    def look(name):
        assert main(["protocols", name, "--preview", "--no-open"]) == 0
        page = context.new_page()
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / f"{Path(name).stem}.preview.html").as_uri())
        page.locator(".rb-questions > *").first.wait_for()
        return page

    yield look
    for page in pages:
        page.close(run_before_unload=False)
    assert errors == []


@pytest.mark.parametrize("name", names())
def test_the_form_of_every_protocol_is_seen(look, name):
    page = look(name)
    assert page.get_by_text("Item 1 of 2").is_visible()
    assert page.locator(".rb-questions").inner_text().strip()


def test_an_item_can_be_rated_and_submitted_and_the_next_one_comes(look):
    assert main(["protocols", "--new", "mine", "--ask", "Is it right? = yes, no"]) == 0
    page = look("mine.yaml")
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Item 2 of 2 · 1 submitted").wait_for(timeout=5_000)


def test_what_is_held_back_comes_once_an_item_is_submitted(look):
    page = look("halo-support")
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Show what was held back").click(timeout=5_000)
    page.get_by_text("Expected answer", exact=True).wait_for(timeout=5_000)


def test_all_items_are_listed_as_each_stands(look):
    page = look("halo-support")
    page.keyboard.press("1")
    page.keyboard.press("l")
    page.get_by_role("button", name="Item 1, begun").wait_for(timeout=5_000)
    assert page.get_by_role("button", name="Item 2, to do").is_visible()
