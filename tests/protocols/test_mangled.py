"""Whatever happens to a protocol file, its author gets an answer and never a traceback."""

import json
import random

import pytest

from raterbook.protocols import ProtocolError, load, names, parse, show

JUNK = (
    *("", "x", "-1", "[]", "{}", "[a]", "{a: b}", "no", "1e9", "~", "[[a]]", "[{a: b}]", "[{}]"),
    *("'answer:label'", "part", "{and: []}", "{label: [x]}", "{and: [{or: x}]}", "9" * 400),
)


def mangled(text, rng):
    """A line dropped, moved, repeated, or with something else behind its colon."""
    lines = text.split("\n")
    for _ in range(rng.choice([1, 1, 2])):
        number, what = rng.randrange(len(lines)), rng.random()
        if what < 0.3:
            del lines[number]
        elif what < 0.8 and ":" in lines[number]:
            lines[number] = f"{lines[number].split(':', 1)[0]}: {rng.choice(JUNK)}"
        elif what < 0.9:
            lines[number] = lines[number][2:]
        else:
            lines.insert(number, lines[rng.randrange(len(lines))])
    return "\n".join(lines)


@pytest.mark.parametrize("name", names())
def test_a_mangled_protocol_is_read_or_refused_with_a_place(name):
    rng = random.Random(20240601)
    text = load(name).text
    refused = []
    for _ in range(40):
        try:
            protocol = parse(mangled(text, rng), "p.yaml")
        except ProtocolError as error:
            refused.append(error)
        else:
            json.dumps(protocol.for_form(), allow_nan=False)
            assert show(protocol)
            assert parse(protocol.text).hash == protocol.hash
    assert 10 < len(refused) < 40
    problems = [problem for error in refused for problem in error.problems]
    assert all(problem.startswith("p.yaml") for problem in problems)
