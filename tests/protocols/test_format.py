"""Which format a protocol file is written in."""

import json

import pytest

from raterbook.protocols import ProtocolError, library_path, load, parse

TEXT = library_path("halo-support").read_text("utf-8")


@pytest.mark.parametrize("written", ["format: 1\n", "format: '1'\n"])
def test_a_file_may_say_its_format_and_is_the_same_protocol(written):
    assert parse(written + TEXT).hash == load("halo-support").hash


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2", "format 2 is newer than this raterbook reads (1): install the newer version"),
        ("two", "format 'two' is not a whole number: write format: 1"),
        ("0", "format '0' is not a whole number"),
        ("1.5", "format '1.5' is not a whole number"),
        ("[1]", "format ['1'] is not a whole number"),
    ],
)
def test_another_format_is_refused_before_anything_else_in_the_file(written, said):
    with pytest.raises(ProtocolError) as refused:
        parse(f"name: {json.dumps('x')}\nnobody: knows this key\nformat: {written}\n")
    (problem,) = refused.value.problems
    assert problem.startswith("protocol.yaml, line 3: ")
    assert said in problem
