"""One rule, whoever states it: guide, `protocols NAME`, codebook and a model's prompt."""

import pytest

from raterbook.files.handbook import codebook, guide
from raterbook.judges.prompts import Prompts
from raterbook.judges.sheets import groups, sheets
from raterbook.protocols import ProtocolError, parse, show
from raterbook.rounds import ItemTable, Store

NESTED = parse(
    """
name: nested
title: A question with a nested condition
about: For tests.
instructions: [Answer.]
item: {key: [id], case: id, fields: {id: {label: Id, show: none}, text: {label: Text}}}
questions:
  - {id: a, label: a, prompt: A, type: scale, min: 1, max: 3}
  - {id: b, label: b, prompt: B, type: scale, min: 1, max: 3}
  - {id: c, label: c, prompt: C, type: scale, min: 1, max: 3}
  - {id: d, prompt: D, type: text, when: {and: [{or: [{a: [1]}, {b: [2]}]}, {c: [3]}]},
     required: {or: [{and: [{a: [1]}, {b: [2]}]}, {c: [1, 3]}]}}
""",
    source="nested.yaml",
)


@pytest.fixture
def stored(tmp_path):
    items = ItemTable.from_records(NESTED, [{"id": "i", "text": "t"}])
    return Store(tmp_path / "a.sqlite").open("r", NESTED, items)


def prompt(stored):
    (sheet,) = sheets(stored, groups(stored.protocol)[0], {})
    return Prompts(None).of(sheet).text


@pytest.mark.parametrize(
    "door",
    [
        lambda stored: guide(stored.protocol),
        lambda stored: show(stored.protocol),
        codebook,
        prompt,
    ],
    ids=["guide", "protocols NAME", "codebook", "prompt"],
)
def test_a_nested_condition_reads_the_same_wherever_it_is_written(stored, door):
    said = " ".join(door(stored).split())
    assert "(a is 1 or b is 2) and c is 3" in said
    assert "{'" not in said


def test_what_is_required_is_bracketed_the_same_way(stored):
    for text in (guide(NESTED), codebook(stored)):
        assert "(a is 1 and b is 2) or c is 1 or 3" in text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Score (old)", "score"),
        ("Old-Score", "old score"),
        ("Old−Score", "old score"),
        ("score", "Score (1–5)"),
    ],
)
def test_aliases_that_files_cannot_tell_apart_are_refused_in_the_protocol(one, other):
    text = NESTED.text.replace(
        "text: {label: Text}",
        "text: {label: Text, aliases: ["
        + one
        + "]}, more: {label: More, required: false, aliases: ["
        + other
        + "]}",
    )
    with pytest.raises(ProtocolError, match=r"item\.fields\.more\.aliases.*also means text"):
        parse(text, source="nested.yaml")
