"""Telling a reply from the prompt that came back in it: an echoed example is no answer."""

from __future__ import annotations

LONG_JSON = 80  # characters; anything shorter may be the model's own words
LONG_TEXT = 200  # the seven bare scores of the feedback guide have fewer


class Echo:
    """What was sent, to compare replies with."""

    def __init__(self, prompt: str):
        self._prompt = prompt.strip()
        self._flat: str | None = None

    def after(self, text: str) -> str:
        """What follows the prompt's last words, where a local model returned both as one text."""
        ending = self._prompt[-LONG_TEXT:]
        if len(ending) == LONG_TEXT and ending in text:
            return text.rsplit(ending, 1)[1]
        return text

    def has(self, piece: str, long: int) -> bool:
        """Whether this piece of the reply stands in the prompt, whatever its spacing."""
        words = flat(piece)
        if len(words) < long or not self._prompt:
            return False
        if self._flat is None:
            self._flat = flat(self._prompt)
        return words in self._flat


def flat(text: str) -> str:
    return " ".join(text.split())
