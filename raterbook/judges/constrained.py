"""Holding a local model to a reply's shape: at each step, only tokens that lead along the path.

What is fixed, such as keys and brackets, leaves the model no choice; among the allowed answers it
takes the likeliest. Free texts share the tokens there are, so that no reply is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raterbook.judges.shape import Path, Words, onward
from raterbook.judges.spelling import Spelling

LEAST = 24  # tokens of each free text, however few were asked for


def room_for(path: Path, spelling: Spelling, asked: int) -> int:
    """New tokens to allow a reply: as many as asked for, or as its shape needs."""
    fixed, free = spelling.cost(path)
    return max(asked, fixed + LEAST * free + 1)


class Constrained:
    """A logits processor for one batch, each reply on a path of its own."""

    def __init__(self, paths: Sequence[Path], spelling: Spelling, room: int):
        self._rows = [Row(path, spelling, room) for path in paths]
        self._begun = False

    def __call__(self, ids: Any, scores: Any) -> Any:
        import torch

        if self._begun:
            for row, token in zip(self._rows, ids[:, -1].tolist()):
                row.take(token)
        self._begun = True
        kept = torch.full_like(scores, -float("inf"))
        for place, row in enumerate(self._rows):
            tokens, masks = row.allowed()
            for mask in masks:
                allowed = mask.nonzero().squeeze(1).to(scores.device)
                kept[place, allowed] = scores[place, allowed]
            few = list(tokens)
            kept[place, few] = scores[place, few]
        return kept


class Row:
    """One reply on its way."""

    def __init__(self, path: Path, spelling: Spelling, room: int):
        self._paths, self._spelling, self._room = {path}, spelling, room
        self._share = 0  # tokens left to the free text it is in

    def allowed(self) -> tuple[set[int], list[Any]]:
        """Tokens, and masks of more; the end alone where nothing fits."""
        found = [self._spelling.fitting(path, self._share <= 0) for path in self._paths]
        tokens = {token for few, _ in found for token in few}
        masks = [mask for _, mask in found if mask is not None]
        return tokens if tokens or masks else {self._spelling.end}, masks

    def take(self, token: int) -> None:
        text = self._spelling.texts[token]
        goes_on = bool(self._free()) and '"' not in text
        self._paths = {left for path in self._paths for left in onward(path, text)}
        self._room -= 1
        self._share -= 1
        if (free := self._free()) and not goes_on:
            costs = [self._spelling.cost(path) for path in free]
            self._share = max(1, min((self._room - fixed - 1) // many for fixed, many in costs))

    def _free(self) -> list[Path]:
        return [path for path in self._paths if path and isinstance(path[0], Words)]
