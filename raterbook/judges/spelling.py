"""What a tokenizer's tokens spell, and which of them lead along the path of a reply."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from raterbook.judges.shape import Path, Words, is_free, onward, runs

REACH = 32  # characters looked ahead; few tokens are longer, and shorter ones do as well


class Spelling:
    """For one tokenizer; made once, as it looks at every token."""

    def __init__(self, tokenizer: Any):
        import torch

        if tokenizer.eos_token_id is None:
            raise ValueError(
                "This model's tokenizer has no token for the end of a text, so its replies "
                "cannot be held to a shape: leave constrained out."
            )
        self.end = int(tokenizer.eos_token_id)
        self.texts = _texts(tokenizer)
        self._tokens: dict[str, list[int]] = {}
        self._closing: dict[str, list[int]] = {}  # by what they add from a quote on
        self._free = torch.zeros(len(self.texts), dtype=torch.bool)
        self._telling = torch.zeros(len(self.texts), dtype=torch.bool)
        for token, text in enumerate(self.texts):
            before, quote, after = text.partition('"')
            if not text:
                continue
            self._tokens.setdefault(text, []).append(token)
            if quote and is_free(before):
                self._closing.setdefault(f'"{after}', []).append(token)
            elif is_free(before):
                self._free[token] = True
                self._telling[token] = any(sign.isalnum() for sign in text)
        # A path is a tuple of few pieces, and most steps meet one that was met before.
        self.fitting = lru_cache(4096)(self._fitting)
        self.cost = lru_cache(4096)(self._cost)

    def spells(self, text: str) -> bool:
        """Whether there is a token for every character; rare ones may take several each."""
        return all(sign in self._tokens for sign in text)

    def _fitting(self, path: Path, full: bool) -> tuple[frozenset[int], Any]:
        """Tokens that lead along the path, and a mask of those that are free text, or None.

        `full`: a free text has had its share, and must end.
        """
        if not path:
            return frozenset([self.end]), None
        if isinstance(path[0], Words):
            if path[0].needed:
                return frozenset(), self._telling
            return self._endings(path[1:], full), None if full else self._free
        ways = set(runs(path, REACH))
        found: list[int] = []
        for way in ways:
            for length in range(len(way), 0, -1):
                if (tokens := self._tokens.get(way[:length])) is not None:
                    found += tokens
                    if len(ways) == 1:  # no choice to make: as few tokens as can be
                        break
        return frozenset(found), None

    def _endings(self, rest: Path, at_once: bool) -> frozenset[int]:
        return frozenset(
            token
            for ending, tokens in self._closing.items()
            if any(True for _ in onward(rest, ending))
            for token in tokens
            if not at_once or self.texts[token] == ending
        )

    def _cost(self, path: Path) -> tuple[int, int]:
        """Tokens of all that is fixed, and how many free texts, on the longest way."""
        fixed = free = 0
        for piece in path:
            if isinstance(piece, str):
                fixed += self._count(piece)
            elif isinstance(piece, Words):
                free += 1
            else:
                ways = [self._cost(one) for one in piece]
                lengths = [len(one[0]) for one in piece if len(one) == 1]  # token by character
                fixed += max([way[0] for way in ways] + lengths)
                free += max(way[1] for way in ways)
        return fixed, free

    def _count(self, text: str) -> int:
        count = 0
        while text:
            lengths = range(min(len(text), REACH), 0, -1)
            text = text[next((end for end in lengths if text[:end] in self._tokens), 1) :]
            count += 1
        return count


def _texts(tokenizer: Any) -> list[str]:
    """Each token as it reads after another one; special ones as nothing."""
    anchor = tokenizer.encode("a", add_special_tokens=False)[-1]
    how = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
    before = tokenizer.decode([anchor], **how)
    pairs = [[anchor, token] for token in range(len(tokenizer))]
    return [text[len(before) :] for text in tokenizer.batch_decode(pairs, **how)]
