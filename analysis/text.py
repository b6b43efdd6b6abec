"""Overlap of two short answers, token by token."""

from __future__ import annotations

import re
import string
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable

from raterbook.analysis.estimate import check_name

TOKENISERS = ("squad", "char", "jieba", "auto")
ARTICLES = frozenset({"a", "an", "the"})
PUNCTUATION = str.maketrans("", "", string.punctuation)
# Scripts written without spaces, where a character is the token: kana, Han, Hangul.
CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def tokenise(text: str, tokeniser: str = "auto") -> list[str]:
    """The tokens of a text.

    `squad` lowers, drops punctuation and English articles, and splits at spaces. `char` also
    makes each Chinese, Japanese or Korean character a token. `jieba` cuts as the upstream code
    did, with no normalisation, so that case, punctuation and spaces count. `auto` is char where
    such characters occur, else squad.

    >>> tokenise("The Eiffel Tower, in Paris")
    ['eiffel', 'tower', 'in', 'paris']
    """
    return _tokeniser(tokeniser, text)(text)


def token_f1(reference: str, answer: str, tokeniser: str = "auto") -> float:
    """The harmonic mean of token precision and recall: 1 is the same bag of tokens, 0 none shared.

    Two texts without tokens agree fully; one without tokens shares nothing.

    >>> round(token_f1("The Eiffel Tower", "Eiffel Tower in Paris"), 4)
    0.6667
    """
    # One tokeniser for both sides, or a Latin answer to a Chinese reference would be cut
    # by other rules than the reference.
    cut = _tokeniser(tokeniser, reference + answer)
    if reference == answer:
        return 1.0
    a, b = cut(reference), cut(answer)
    if not a and not b:
        return 1.0
    return 2 * _shared(a, b) / (len(a) + len(b))


def _shared(a: list[str], b: list[str]) -> int:
    if len(a) > 40 or len(b) > 40:
        return sum((Counter(a) & Counter(b)).values())
    # Answers are a few words long: taking each shared token off a list costs less than counting.
    left, shared = list(b), 0
    for token in a:
        if token in left:
            left.remove(token)
            shared += 1
    return shared


def _tokeniser(name: str, text: str) -> Callable[[str], list[str]]:
    check_name("tokeniser", name, TOKENISERS)
    if name == "auto":
        wide = not text.isascii() and CJK.search(unicodedata.normalize("NFKC", text))
        name = "char" if wide else "squad"
    return {"squad": _squad, "char": _char, "jieba": _jieba}[name]


def _squad(text: str) -> list[str]:
    words = text.lower().translate(PUNCTUATION).split()
    return words if ARTICLES.isdisjoint(words) else [w for w in words if w not in ARTICLES]


def _char(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(ch for ch in folded if not unicodedata.category(ch).startswith("P"))
    spaced = CJK.sub(lambda match: f" {match.group()} ", kept.translate(PUNCTUATION))
    return [word for word in spaced.split() if word not in ARTICLES]


def _jieba(text: str) -> list[str]:
    try:
        with warnings.catch_warnings():
            # jieba's own source has invalid escapes, and it imports pkg_resources.
            warnings.simplefilter("ignore")
            import jieba
    except ImportError:
        message = 'tokeniser jieba needs jieba, which is not installed: pip install "raterbook[zh]"'
        raise ValueError(message) from None
    jieba.setLogLevel(60)
    return list(jieba.cut(text))
