"""The sentence splitter, on the cases that raters stumble over."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raterbook.protocols.sentences import sentences

from .sentence_cases import CASES

EVERY = [(kind, case) for kind, cases in CASES.items() for case in cases]


@pytest.mark.parametrize(("kind", "case"), EVERY)
def test_a_hard_case_is_split_where_a_reader_would_split_it(kind, case):
    expected = [piece.strip() for piece in case.split("‖")]
    assert [sentence.text for sentence in sentences(case.replace("‖", ""))] == expected


def test_the_table_has_at_least_eighty_cases():
    assert len({case for _, case in EVERY}) >= 80


@given(st.text(alphabet="aB1 .!?。「」\"'()\n\r\t,:-*#e.g", max_size=80))
def test_offsets_are_right_and_nothing_but_space_is_lost(text):
    found = sentences(text)
    assert all(text[each.start : each.end] == each.text for each in found)
    assert all(each.text == each.text.strip() and each.text for each in found)
    kept = {place for each in found for place in range(each.start, each.end)}
    assert all(text[place].isspace() for place in range(len(text)) if place not in kept)
    assert all(one.end <= two.start for one, two in pairwise(found))


@given(st.text(max_size=200))
def test_any_text_is_split_and_twice_the_same(text):
    assert sentences(text) == sentences(text)


def test_a_long_article_takes_no_longer_than_its_length():
    text = "The model of Smith et al. wins (Fig. 2). It scores 0.5. " * 4_000
    assert len(sentences(text)) == 8_000
