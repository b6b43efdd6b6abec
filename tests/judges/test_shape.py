"""The shape a local model's reply is held to: one sheet's schema, and the way through it."""

import json

import pytest
from jsonschema import Draft202012Validator

from raterbook.judges.clients.constrained import Open, shape_of
from raterbook.judges.prompts import Prompts
from raterbook.judges.sheets import exact_schema, groups, reply_schema, sheets

from . import tiny

SCORE = {"type": "object", "properties": {"why": {"type": "string"}, "score": {"enum": [1, 2, 10]}}}


def sheet_of(stored, place=0):
    return next(iter(sheets(stored, groups(stored.protocol)[place], {})))


class Bytes:
    """A tokenizer whose tokens are single bytes, as the library has it."""

    def __init__(self, spells_all=True):
        tiny.require_torch()
        from llguidance import LLTokenizer

        self.known, self.spells_all = LLTokenizer("byte"), spells_all

    def count(self, text):
        return len(text.encode())

    def spelled(self, value):
        return json.dumps(value, ensure_ascii=not self.spells_all)


def along(schema, text, tokens=None):
    """Where the way through a schema is after this text; None off the way."""
    tokens = tokens or Bytes()  # which skips where the library is not
    from llguidance import LLMatcher

    way = LLMatcher(tokens.known, shape_of(schema, tokens).grammar, log_level=0)
    assert not way.is_error(), way.get_error()
    return way if way.try_consume_tokens(spelt := [*text.encode()]) == len(spelt) else None


def leads(schema, text, tokens=None):
    """Whether the way leads to its end along this text, and nowhere else."""
    way = along(schema, text, tokens)
    return way is not None and way.is_accepting() and way.is_stopped()


def part(number, accuracy, severity):
    severity = severity and {"reasoning": "b", "answer": severity}
    return {
        "part": number,
        "accuracy": {"reasoning": "a", "answer": accuracy},
        "severity": severity,
    }


@pytest.mark.parametrize(
    ("parts", "fits"),
    [
        ([part(1, "accurate", None), part(2, "disputed", "severe")], True),
        ([part(1, "accurate", "severe"), part(2, "accurate", None)], False),  # not asked
        ([part(1, "inaccurate", None), part(2, "accurate", None)], False),  # asked
        ([part(1, "accurate", None)], False),
        ([part(2, "accurate", None), part(1, "accurate", None)], False),
        ([part(1, "accurate", None), part(2, "cannot_assess", None)], True),
    ],
)
def test_parts_are_all_there_in_order_and_conditions_hold(open_round, parts, fits):
    schema = exact_schema(sheet_of(open_round("stem-sentences")))
    Draft202012Validator.check_schema(schema)
    reply = {"parts": parts}
    assert Draft202012Validator(schema).is_valid(reply) == fits
    assert leads(schema, json.dumps(reply)) == fits


def test_servers_get_one_schema_for_all_items_and_a_local_model_one_for_each(open_round):
    sheet = sheet_of(open_round("stem-sentences"))
    assert Prompts().of(sheet).schema == reply_schema(sheet)
    assert Prompts(exact=True).of(sheet).schema == exact_schema(sheet)
    assert Prompts(exact=True).of(sheet).hash == Prompts().of(sheet).hash


def test_a_path_leads_along_nothing_but_the_schema():
    assert leads(SCORE, '{"why": "It – is so.", "score": 10}')
    for wrong in (
        '{"why": "so", "score": 3}',
        '{"score": 10, "why": "so"}',
        '{"why": "so"}',
        '{"why": "a line\nbreak", "score": 1}',
        '{"why": "so", "score": 1}}',
    ):
        assert not leads(SCORE, wrong)


def test_an_answer_that_begins_another_one_is_told_from_it_by_what_follows():
    begun = along(SCORE, '{"why": "", "score": 1')
    assert {chr(token) for token, one in enumerate(begun.compute_logit_bias()) if one} == {*"}0"}
    assert not leads(SCORE, '{"why": "", "score": 1')
    assert leads(SCORE, '{"why": "", "score": 1}')


def test_numbers_of_a_narrow_range_come_in_tenths_and_of_a_wide_one_whole():
    overall, percent = (
        {"type": "number", "minimum": low, "maximum": high} for low, high in ((1, 5), (0, 100))
    )
    assert leads(overall, "4.7")
    assert leads(overall, "5")
    assert not leads(overall, "5.1")
    assert not leads(overall, "4.71")
    assert leads(percent, "85")
    assert not leads(percent, "0.85")


def test_an_answer_that_must_be_one_is_not_left_blank():
    needed = {"type": "string", "minLength": 1}
    assert leads(needed, '"Paris"')
    assert not leads(needed, '""')
    assert not leads(needed, '" "')


def test_a_value_that_no_token_can_spell_is_escaped():
    label = {"enum": ["belegt", "unbelegt – 无"]}
    escaped = json.dumps("unbelegt – 无")
    assert leads(label, '"belegt"', Bytes(spells_all=False))
    assert leads(label, escaped, Bytes(spells_all=False))
    assert not leads(label, escaped)
    assert leads(label, '"unbelegt – 无"')


def test_a_list_of_any_length_has_no_shape():
    with pytest.raises(Open, match="no reply is held to"):
        shape_of({"type": "array", "items": {"type": "string"}}, Bytes())
