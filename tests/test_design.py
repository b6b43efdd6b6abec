"""The design's tokens: readable by day and by night, and the only colours by name there are."""

import re
from pathlib import Path

import pytest

from raterbook.design import DARK, LIGHT, PREFIX, TOKENS, css
from raterbook.rating import front

ROOT = Path(__file__).parents[1] / "raterbook"
SHEETS = [ROOT / "rating" / "form.css", *(ROOT / "reporting" / "templates").glob("*.css")]
WRITTEN = ("ink", "soft", "accent", "met", "missed", "undecided")


def light_of(colour):
    """Relative luminance as WCAG 2 has it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    darker, lighter = sorted((light_of(one), light_of(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["day", "night"])
@pytest.mark.parametrize("ground", ["paper", "sheet"])
def test_what_is_written_can_be_read(colours, ground):
    assert {name for name in WRITTEN if contrast(colours[name], colours[ground]) < 4.5} == set()
    assert contrast(colours["line"], colours[ground]) < 4.5  # a rule is none of these


def test_a_style_sheet_names_only_tokens_and_variables_of_its_own():
    for sheet in SHEETS:
        text = sheet.read_text(encoding="utf-8")
        used = set(re.findall(rf"var\({PREFIX}([a-z]+)", text))
        own = set(re.findall(rf"{PREFIX}([a-z]+):", text))
        assert used - own - {"share", "pane", "font"} <= set(TOKENS), sheet.name


def test_the_form_and_the_page_begin_with_the_same_tokens():
    assert front.style().startswith(css(".rb"))
    assert f"{PREFIX}met: {LIGHT['met']};" in css(".rb-page")
