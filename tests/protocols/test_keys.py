"""Every key of a protocol file, for editors and for people, is what the code reads."""

import json
import random

import jsonschema
import pytest
import yaml

from raterbook.protocols import ProtocolError, keys, library_path, load, names, parse
from raterbook.protocols.library import read
from raterbook.protocols.schema import Written

from .test_broken import PAIRWISE
from .test_mangled import mangled

SCHEMA = json.loads(keys.shipped())


def complaints(data):
    return [error.message for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(data)]


def kinds(kind=Written):
    for each in kind.__subclasses__():
        yield from (each, *kinds(each))


def test_the_shipped_schema_and_the_page_are_made_from_the_code(root):
    """`make docs` makes both anew."""
    assert keys.shipped() == keys.schema_text()
    assert (root / "docs" / "protocol.md").read_text(encoding="utf-8") == keys.page()


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_every_key_is_described_for_editors_and_on_the_page():
    mappings = [SCHEMA, *SCHEMA["$defs"].values()]
    described = [each["description"] for one in mappings for each in one["properties"].values()]
    known = [key for kind in kinds() for key in kind.written()]
    assert len(described) == len(known) + 1 > 80  # and `format`
    assert set(keys.TABLES.values()) == set(kinds())
    assert [key for key in known if f"`{key}`" not in keys.page()] == []


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.BaseLoader])
def test_every_protocol_of_the_library_passes_an_editors_check(name, loader):
    content = yaml.load(library_path(name).read_text(encoding="utf-8"), Loader=loader)
    assert complaints(content) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("prompt: Why?", "promt: Why?", "'promt' was unexpected"),
        ("    prompt: Why?\n", "", "'prompt' is a required property"),
        ("type: choice", "type: chioce", "'chioce' is not one of"),
        ("key: [id]", "key: {id: 1}", "is not valid under any of the given schemas"),
        (
            "instructions: [Read both answers., Choose the better one., Say why.]",
            "instructions: Read.",
            "'Read.' is not of type 'array'",
        ),
        ("type: text", "type: text\n    covers: [strength]", "'text' is not one of ['percent']"),
        (
            "{statistic: alpha_nominal, question: preference}\n",
            "{statistic: alpha, question: preference}\n",
            "is not valid under any",
        ),
    ],
)
def test_an_editor_marks_what_the_reader_refuses(before, after, said):
    assert PAIRWISE.count(before) == 1
    text = PAIRWISE.replace(before, after)
    with pytest.raises(ProtocolError):
        parse(text)
    assert any(said in each for each in complaints(yaml.safe_load(text)))


def test_an_editor_marks_a_misspelt_type_once():
    marked = complaints(yaml.safe_load(PAIRWISE.replace("type: scale", "type: scales")))
    assert len(marked) == 1


@pytest.mark.parametrize("name", names())
def test_an_editor_marks_nothing_that_the_reader_takes(name):
    rng = random.Random(20261119)
    text, taken = load(name).text, 0
    for _ in range(60):
        changed = mangled(text, rng)
        try:
            parse(changed)
        except ProtocolError:
            continue
        taken += 1
        assert complaints(read(changed, "p.yaml").data) == []
    assert taken > 5
