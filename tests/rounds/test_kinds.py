"""Kinds of raters: what each does stands in one table, and every list of them is read off it."""

import ast
from typing import get_args

from raterbook.protocols.protocol import AnswerColumn
from raterbook.rounds import model


def test_the_lists_that_are_read_off_the_table():
    assert model.RATER_KINDS == ("human", "model", "automatic", "key", "adjudicator")
    assert model.PEOPLE == ("human", "adjudicator")
    assert model.PLANNED == ("human",)
    assert model.HELPERS == ("automatic", "key", "adjudicator")
    assert model.APPOINTED == ("key", "adjudicator")
    assert model.CONSENSUS == ("adjudicator", "human", "model")
    assert model.STANDING == ("adjudicator", "human", "model", "automatic", "key")


def test_a_protocol_may_name_the_same_kinds():
    """Protocols know no rounds, so their schema says the names by itself."""
    assert get_args(AnswerColumn.model_fields["kind"].annotation) == model.RATER_KINDS


def lists_of_kinds(source):
    """Lines with three or more kinds in one list, but for a type's."""
    tree = ast.parse(source)
    types = {node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set) and node not in types:
            words = {getattr(each, "value", None) for each in node.elts}
            if len(words & set(model.RATER_KINDS)) >= 3:
                yield node.lineno


def test_nobody_lists_the_kinds_a_second_time(root):
    found = {
        f"{file.relative_to(root)}:{line}"
        for file in (root / "raterbook").rglob("*.py")
        for line in lists_of_kinds(file.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_control_a_second_list_is_found():
    assert list(lists_of_kinds('KINDS = ["human", "model", "key"]\nKIND: L["human", "key"]')) == [1]
