"""docs/items.md: every column of every protocol, and examples that open."""

import re
from pathlib import Path

import pytest

from raterbook.protocols import load, names
from raterbook.workspace import Workspace

PAGE = (Path(__file__).parents[2] / "docs" / "items.md").read_text(encoding="utf-8")
SECTIONS = {part.split("\n", 1)[0].strip(): part for part in PAGE.split("\n## ")[1:]}


def blocks(section, kind):
    return re.findall(rf"```{kind}\n(.*?)```", section, re.S)


def test_every_protocol_has_its_section():
    assert sorted(SECTIONS) == sorted(names())


@pytest.mark.parametrize("name", names())
def test_every_column_is_named_with_what_it_needs(name):
    rows = {}
    for line in SECTIONS[name].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for column in re.findall(r"`(\w+)`", cells[0]) if line.startswith("| `") else ():
            rows[column] = cells[1:]
    fields = load(name).item.fields
    assert list(rows) == list(fields) or set(rows) == set(fields)
    for column, cells in rows.items():
        field = fields[column]
        told = cells[0]
        assert ("required" in told) == (field.required and not field.exchange), column
        assert ("of the case" in told) == (field.of == "case"), column
        assert ("hidden" in told) == (field.show == "hidden"), column


@pytest.mark.parametrize("name", names())
def test_the_example_opens_as_it_is(tmp_path, name):
    (example,) = blocks(SECTIONS[name], "csv")
    (tmp_path / "items.csv").write_text(example, encoding="utf-8")
    parts = blocks(SECTIONS[name], "csv parts")
    for text in parts:
        (tmp_path / "parts.csv").write_text(text, encoding="utf-8")
    opened = Workspace(tmp_path).open(
        "r",
        name,
        tmp_path / "items.csv",
        raters=["ana"],
        parts=tmp_path / "parts.csv" if parts else None,
    )
    items = opened.items()
    assert len(items) == 2
    assert all(item.key.startswith(item.case) for item in items)
    asks_of_parts = any(question.per == "part" for question in opened.protocol.questions)
    assert bool(items[0].parts) == asks_of_parts
    assert len(opened.queue("ana")) == 2


def test_triples_and_spellings_of_the_page_are_what_the_protocol_stores(tmp_path):
    (example,) = blocks(SECTIONS["neureg-qa"], "csv")
    (tmp_path / "items.csv").write_text(example, encoding="utf-8")
    stored = Workspace(tmp_path).open("r", "neureg-qa", tmp_path / "items.csv")
    assert [item.groups["question_type"] for item in stored.items()] == ["factual", "relational"]
    assert [item.groups["shot_type"] for item in stored.items()] == ["zero_shot", "few_shot"]
