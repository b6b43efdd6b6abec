"""Tokens of short answers: what is cut where, and how alike two bags of them are."""

from collections import Counter

import numpy as np
import pytest

from raterbook.analysis.text import token_f1, tokenise
from raterbook.protocols.conditions import is_unanswerable


@pytest.mark.parametrize(
    ("text", "tokeniser", "tokens"),
    [
        ("The Cat, a dog; AN owl!", "squad", ["cat", "dog", "owl"]),
        ("don't e-mail", "squad", ["dont", "email"]),
        ("the a an", "squad", []),
        ("theatre anthem", "squad", ["theatre", "anthem"]),
        ("“é—x”", "squad", ["“é—x”"]),
        ("“é—x” The Y", "char", ["éx", "y"]),
        ("ぁんァー一鿿가힣㐀", "char", list("ぁんァー一鿿가힣㐀")),
        ("GPT4模型v2 の ok", "char", ["gpt4", "模", "型", "v2", "の", "ok"]),
        ("５００ Ｍ", "char", ["500", "m"]),
        # Accents alone are no reason to cut into characters; one such character is.
        ("café—bar", "auto", ["café—bar"]),
        ("café—bar 字", "auto", ["cafébar", "字"]),
        ("plain text", "auto", ["plain", "text"]),
    ],
)
def test_a_text_has_these_tokens(text, tokeniser, tokens):
    assert tokenise(text, tokeniser) == tokens


@pytest.mark.parametrize("length", [1, 5, 39, 40, 41, 42, 90])
def test_the_overlap_of_short_and_of_long_texts_is_that_of_their_bags(length):
    rng = np.random.default_rng(length)
    for other in (1, 30, 41, 60):
        a, b = (list(map(str, rng.integers(0, 25, size))) for size in (length, other))
        shared = (Counter(a) & Counter(b)).total()
        assert token_f1(" ".join(a), " ".join(b)) == pytest.approx(2 * shared / (length + other))


def test_both_sides_are_cut_by_one_tokeniser():
    # The Chinese reference makes "ab—c" a word without its dash on both sides.
    assert token_f1("字 abc", "ab—c") == pytest.approx(2 / 3)
    assert token_f1("ab—c", "字 abc") == pytest.approx(2 / 3)
    assert token_f1("abc", "ab—c") == 0


def test_texts_without_tokens_agree_with_each_other_alone():
    assert token_f1("the", "an") == 1
    assert token_f1("the", "cat") == 0
    assert token_f1("cat", "the") == 0


def test_an_unknown_tokeniser_is_refused_with_all_there_are():
    with pytest.raises(ValueError, match="'bert': choose squad, char, jieba or auto"):
        tokenise("x", "bert")
    with pytest.raises(ValueError, match="'bert': choose squad, char, jieba or auto"):
        token_f1("x", "x", "bert")


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("NO ANSWER", True),
        ("Not answerable.", True),
        ("cannot be determined", True),
        ("Cannot be determined from the text!", True),
        ("can't be determined", True),
        ("無法推斷", True),
        ("unanswerable!。. ", True),
        ("the answer is unanswerable", False),
        ("no", False),
        (".unanswerable", False),
    ],
)
def test_what_says_that_there_is_no_answer(text, so):
    assert is_unanswerable(text) is so
