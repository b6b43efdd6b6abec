"""What raters together say of one thing: adjudicated, else a strict majority's, else nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

ADJUDICATOR = "adjudicator"


def strict_majority(codes: np.ndarray) -> np.ndarray:
    """The code more than half of those who answered gave, row by row; 0 is no answer, and none.

    >>> strict_majority(np.array([[1, 1, 2], [1, 2, 0], [3, 0, 0]])).tolist()
    [1, 0, 3]
    """
    many = (codes > 0).sum(axis=1)
    if not codes.shape[1]:
        return np.zeros(len(codes), dtype=np.int64)
    # What more than half gave stands in the middle of the answers, which lie behind the zeros.
    middle = codes.shape[1] - 1 - np.maximum(many - 1, 0) // 2
    common = np.sort(codes, axis=1)[np.arange(len(codes)), middle].astype(np.int64)
    wins = (codes == common[:, None]).sum(axis=1) * 2 > many
    return np.where(wins & (many > 0), common, 0)


def consensus(theirs: np.ndarray, final: np.ndarray) -> np.ndarray:
    """The adjudicators' code where they have a strict majority, else that of those who count.

    Where adjudicators tie, nothing was adjudicated.
    """
    settled = strict_majority(final)
    return np.where(settled > 0, settled, strict_majority(theirs))


def agreed(said: Mapping[str, Sequence[str]], kinds: Sequence[str]) -> str:
    """The answer that stands for what raters of each kind said of one thing; empty for none.

    Of the kinds, which stand in line, the first that said anything speaks for all.
    """
    final = said.get(ADJUDICATOR, ())
    theirs = next((said[kind] for kind in kinds if kind != ADJUDICATOR and said.get(kind)), ())
    texts = sorted({*final, *theirs})
    place = {text: code for code, text in enumerate(texts, start=1)}
    codes = (np.array([[place[text] for text in each]], dtype=int) for each in (theirs, final))
    code = int(consensus(*codes)[0])
    return texts[code - 1] if code else ""
